#pragma once
// What is wrong with a user's input, where, and what would be right. Collected, never thrown, printed all at once.

#include <string>
#include <string_view>
#include <vector>

namespace stepsim {

/// A place in a text file. Line and column count from 1; line 0 means "the file as a whole".
struct SourceSpan {
  std::string file;
  int line = 0;
  int column = 0;
  int length = 1;
};

enum class Severity { error, warning };

/// One finding. `help` says what would be right (nearest key, allowed values, which number must divide which).
struct Diagnostic {
  Severity severity = Severity::error;
  SourceSpan where;
  std::string message;
  std::string help;
};

/// All findings of a reading pass, in the order found.
class Diagnostics {
 public:
  void error(SourceSpan where, std::string message, std::string help = "");
  void warning(SourceSpan where, std::string message, std::string help = "");
  [[nodiscard]] bool has_errors() const;
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return items_; }
  void append(const Diagnostics& other);
  /// Orders by file, line, column; keeps the order of equals.
  void sort_by_place();

 private:
  std::vector<Diagnostic> items_;
};

/// "file:line:column: error: what", the source line, a caret under it, "help: ...". `source_text` is the whole file
/// ("" where it is not at hand); long lines are cut around the caret.
std::string render(const Diagnostic& diagnostic, std::string_view source_text);

/// The candidate nearest to `word` by edit distance, "" if none is near (more than a third of its letters differ).
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace stepsim

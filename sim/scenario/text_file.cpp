#include "sim/scenario/text_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "sim/scenario/yaml.h"

namespace stepsim {
namespace {

constexpr unsigned char kTab = 9, kNewline = 10, kReturn = 13;

bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/// Bytes of the UTF-8 sequence that `lead` starts, 0 if it can't start one.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

/// Length of the well-formed character at `at`; 0 for a byte that no text file holds.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x20 && lead != kTab && lead != kNewline && lead != kReturn) return 0;
  const std::size_t length = sequence_length(lead);
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(byte(at + i))) return 0;
  }
  return length;
}

/// Walks over the text once; knows the line and column of where it stands.
struct Walker {
  std::string_view text;
  std::size_t at = 0;
  std::size_t line_start = 0;
  int line = 1;

  [[nodiscard]] int column() const { return static_cast<int>(at - line_start) + 1; }
  [[nodiscard]] SourceSpan span(const std::string& file) const { return {file, line, column(), 1}; }
  void advance(std::size_t length) {
    if (text[at] == '\n') {
      ++line;
      line_start = at + 1;
    }
    at += length;
  }
};

bool check_characters(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  Walker walker{text};
  while (walker.at < text.size()) {
    const std::size_t length = character_length(text, walker.at);
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(text[walker.at]);
      diagnostics.error(walker.span(file), fmt::format("not a text file: byte 0x{:02x} is not UTF-8 text", byte));
      return false;
    }
    if (walker.at - walker.line_start > kMaxLineBytes) {
      diagnostics.error({file, walker.line, 1, 1}, fmt::format("the line is longer than {} bytes", kMaxLineBytes));
      return false;
    }
    walker.advance(length);
  }
  return true;
}

/// Follows quotes and comments well enough to count the brackets that YAML would nest.
class BracketCounter {
 public:
  /// Depth after `character`.
  int feed(char character) {
    if (in_comment_) {
      in_comment_ = character != '\n';
    } else if (quote_ != 0) {
      feed_quoted(character);
    } else {
      feed_plain(character);
    }
    previous_ = character;
    return depth_;
  }

 private:
  static bool starts_token(char previous) {
    return std::string_view(" \t\n\r[{,:-").find(previous) != std::string_view::npos;
  }
  void feed_quoted(char character) {
    if (escaped_) {
      escaped_ = false;
    } else if (character == '\\' && quote_ == '"') {
      escaped_ = true;
    } else if (character == quote_) {
      quote_ = 0;
    }
  }
  void feed_plain(char character) {
    if (character == '#' && starts_token(previous_)) in_comment_ = true;
    if ((character == '"' || character == '\'') && starts_token(previous_)) quote_ = character;
    if (character == '[' || character == '{') ++depth_;
    if ((character == ']' || character == '}') && depth_ > 0) --depth_;
  }

  int depth_ = 0;
  char quote_ = 0;
  char previous_ = '\n';
  bool escaped_ = false;
  bool in_comment_ = false;
};

/// yaml-cpp 0.7 recurses for each bracket: deep nesting is refused before it sees the text.
bool check_brackets(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  BracketCounter counter;
  Walker walker{text};
  while (walker.at < text.size()) {
    if (counter.feed(text[walker.at]) > kMaxDepth) {
      diagnostics.error(walker.span(file), fmt::format("nested deeper than {} levels", kMaxDepth));
      return false;
    }
    walker.advance(1);
  }
  return true;
}

}  // namespace

TextFile read_text_file(const std::string& path) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) return {std::nullopt, "no such file"};
  if (std::filesystem::is_directory(status)) return {std::nullopt, "is a directory, not a file"};
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return {std::nullopt, "can't be opened"};
  std::string text;
  std::string chunk(1 << 16, '\0');
  while (text.size() <= kMaxFileBytes &&
         (stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), stream.gcount() > 0)) {
    text.append(chunk, 0, static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) return {std::nullopt, "can't be read"};
  return {std::move(text), ""};
}

bool check_text(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    diagnostics.error({file, 1, 1, 1}, "the file is empty");
    return false;
  }
  if (text.size() > kMaxFileBytes) {
    diagnostics.error({file, 1, 1, 1}, fmt::format("the file is larger than {} bytes", kMaxFileBytes));
    return false;
  }
  return check_characters(text, file, diagnostics) && check_brackets(text, file, diagnostics);
}

}  // namespace stepsim

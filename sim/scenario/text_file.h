#pragma once
// Reads a text file whole, or says why not.

#include <optional>
#include <string>
#include <string_view>

#include "sim/base/diagnostic.h"

namespace stepsim {

struct TextFile {
  std::optional<std::string> text;
  std::string problem;  ///< "no such file", "is a directory"
};

TextFile read_text_file(const std::string& path);

/// Finds what no YAML file may hold: nothing at all, NUL or other control bytes, broken UTF-8, overlong files and
/// lines, brackets nested too deep. True if the text is fit to be parsed.
bool check_text(std::string_view text, const std::string& file, Diagnostics& diagnostics);

}  // namespace stepsim

#pragma once
// A whole split into parts, as a bar of letters that reads the same without colour.

#include <string>
#include <vector>

namespace stepsim {

/// How text is shown. Colour only where the caller knows that a terminal reads it.
struct TextStyle {
  bool color = false;
};

/// One part of a bar.
struct BarPart {
  char letter = '#';
  int color = 0;     ///< ANSI colour of the 256-colour table
  double share = 0;  ///< of the whole
};

/// "[####TTPP....]", `width` letters between the brackets. Shares are rounded by largest remainder, so that parts that
/// sum to 1 fill the bar.
std::string bar(const std::vector<BarPart>& parts, int width, const TextStyle& style);

/// The letter in the colour that it has in the bar.
std::string key_letter(const BarPart& part, const TextStyle& style);
/// A heading that stands out in colour.
std::string heading(const std::string& text, const TextStyle& style);
/// Something that went wrong stands out in colour.
std::string alarm(const std::string& text, const TextStyle& style);

}  // namespace stepsim

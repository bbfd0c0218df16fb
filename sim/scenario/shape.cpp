#include "sim/scenario/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace stepsim {
namespace {

std::string bound_text(double value, bool percent) {
  return percent ? fmt::format("{:g} %", value * 100) : fmt::format("{:.15g}", value);
}

std::string with_bounds(const std::string& what, const Shape& shape, bool percent) {
  const bool below = std::isfinite(shape.minimum), above = std::isfinite(shape.maximum);
  if (below && above)
    return fmt::format("{} from {} to {}", what, bound_text(shape.minimum, percent),
                       bound_text(shape.maximum, percent));
  if (below) return fmt::format("{}, at least {}", what, bound_text(shape.minimum, percent));
  if (above) return fmt::format("{}, at most {}", what, bound_text(shape.maximum, percent));
  return what;
}

std::string describe_alternatives(const Shape& shape) {
  std::vector<std::string> texts;
  for (const Shape& part : shape.parts) texts.push_back(describe(part));
  return fmt::format("{}", fmt::join(texts, ", or "));
}

}  // namespace

std::string describe(const Shape& shape) {
  switch (shape.kind) {
    case Shape::Kind::integer:
      return with_bounds("a whole number", shape, false);
    case Shape::Kind::number:
      return with_bounds("a number", shape, false);
    case Shape::Kind::boolean:
      return "true or false";
    case Shape::Kind::text:
      return "text";
    case Shape::Kind::choice:
      return fmt::format("one of {}", fmt::join(shape.choices, ", "));
    case Shape::Kind::time:
      return "a time such as 2 us";
    case Shape::Kind::size:
      return "a size such as 80 GiB";
    case Shape::Kind::bandwidth:
      return "a bandwidth such as 450 GB/s or 400 Gb/s, or inf";
    case Shape::Kind::flop_rate:
      return "a rate such as 989.4 TFLOP/s";
    case Shape::Kind::percentage:
      return std::isfinite(shape.minimum) ? with_bounds("a percentage", shape, true) : "a percentage such as 50 %";
    case Shape::Kind::tokens:
      return "a token count such as 4M tokens";
    case Shape::Kind::list:
      return fmt::format("{}, each {}", shape.maximum == 2 ? "a list of two" : "a list", describe(shape.parts.front()));
    case Shape::Kind::any_of:
      return describe_alternatives(shape);
    case Shape::Kind::section:
      return fmt::format("a map ({})", shape.section->name);
    case Shape::Kind::map_of:
      return fmt::format("a map of {}", describe(shape.parts.front()));
  }
  return "";
}

}  // namespace stepsim

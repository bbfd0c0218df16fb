#pragma once
// What a value of the scenario file may look like. The JSON Schema and the reference page are made from it.

#include <limits>
#include <string>
#include <vector>

namespace stepsim {

struct SectionInfo;

struct Shape {
  enum class Kind {
    integer,
    number,
    boolean,
    text,
    choice,
    time,
    size,
    bandwidth,
    flop_rate,
    percentage,
    tokens,
    list,
    any_of,
    section,
    map_of
  };
  Kind kind = Kind::text;
  double minimum =
      -std::numeric_limits<double>::infinity();  ///< of integer, number, percentage (1 is 100 %); items of a list
  double maximum = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices{};
  std::vector<Shape> parts{};  ///< list, map_of: of what; any_of: the alternatives
  const SectionInfo* section = nullptr;
};

/// One row of a field table, without its setter.
struct FieldInfo {
  std::string key;
  Shape shape;
  std::string help;
  bool required = false;
  std::string default_text;  ///< read like a value of the file where the key is missing; "" where there is none
  std::string default_note;  ///< for people, where the default is a rule
};

struct SectionInfo {
  std::string name;
  std::string help;
  std::vector<FieldInfo> fields;
};

/// "a whole number from 1 to 8", "a time such as 2 us", "one of none, selective, full": for error texts and reference
/// page.
std::string describe(const Shape& shape);

}  // namespace stepsim

#pragma once
// The JSON Schema and the reference page of the scenario file, made from the field tables.

#include <string>

namespace stepsim {

/// What `stepsim schema` prints and scenarios/schema/scenario.schema.json holds (JSON Schema draft-07, which editors
/// know).
std::string scenario_schema();

/// What docs/scenario-reference.md holds.
std::string scenario_reference();

}  // namespace stepsim

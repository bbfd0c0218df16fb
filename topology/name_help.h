#pragma once
// The help line for a name that does not exist.

#include <string>
#include <vector>

namespace stepsim {

/// "did you mean 'x'?", or else the first few names that there are.
std::string name_help(const std::string& name, const std::vector<std::string>& known);

}  // namespace stepsim

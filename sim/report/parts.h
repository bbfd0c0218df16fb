#pragma once
// The parts of a step under the names, letters and colours that every text report gives them.

#include <string>
#include <vector>

#include "sim/engine/step_report.h"
#include "sim/report/bar.h"

namespace stepsim {

struct NamedPart {
  std::string name;  ///< "exposed tp"
  char letter = '#';
  int color = 0;
  Seconds time;
};

/// compute, exposed tp cp pp dp ep, bubble, peer wait, host: they sum to the step.
std::vector<NamedPart> named_parts(const MeanParts& parts);
std::vector<BarPart> bar_parts(const std::vector<NamedPart>& parts, Seconds whole);

}  // namespace stepsim

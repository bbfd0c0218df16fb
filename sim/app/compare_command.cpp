#include "sim/app/commands.h"
#include "sim/app/load.h"
#include "sim/app/terminal.h"
#include "sim/report/compare_text.h"
#include "sim/report/json.h"

namespace stepsim {

ExitStatus compare_command(const CommandLine& line) {
  auto loaded = load_scenarios(line);
  if (!loaded) return kScenarioWrong;
  const Comparison comparison = compare_study(scenarios_of(std::move(*loaded)));
  print(line.json ? compare_json(comparison) : compare_text(comparison, stdout_style()));
  return kDone;
}

}  // namespace stepsim

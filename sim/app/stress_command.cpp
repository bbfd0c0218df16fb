#include "sim/app/commands.h"
#include "sim/app/load.h"
#include "sim/app/terminal.h"
#include "sim/report/json.h"
#include "sim/report/stress_text.h"

namespace stepsim {

ExitStatus stress_command(const CommandLine& line) {
  const auto loaded = load_scenarios(line);
  if (!loaded) return kScenarioWrong;
  const StressResult result = stress_study(loaded->front().scenario, progress_line());
  print(line.json ? stress_json(result) : stress_text(result, stdout_style()));
  return kDone;
}

}  // namespace stepsim

#include "sim/app/commands.h"
#include "sim/app/terminal.h"
#include "sim/scenario/schema.h"

namespace stepsim {

ExitStatus schema_command(const CommandLine&) {
  print(scenario_schema());
  return kDone;
}

}  // namespace stepsim

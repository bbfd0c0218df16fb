#include "sim/app/commands.h"
#include "sim/base/error.h"

namespace stepsim {

ExitStatus schema_command(const CommandLine&) { throw NotBuiltError("stepsim schema is not built yet"); }

}  // namespace stepsim

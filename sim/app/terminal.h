#pragma once
// Standard output and standard error: who reads them, and writing to them.

#include <string>

#include "sim/report/bar.h"
#include "sim/studies/parallel.h"

namespace stepsim {

/// Colour if standard output is a terminal and NO_COLOR (no-color.org) is unset.
TextStyle stdout_style();

/// Warnings and errors of the program go to standard error, one line each.
void set_up_log();

/// Throws SimError if standard output can't take the text (a full disk).
void print(const std::string& text);

/// A line that counts finished runs on standard error; nothing where that is not a terminal.
Progress progress_line();

}  // namespace stepsim

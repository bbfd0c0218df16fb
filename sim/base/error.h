#pragma once
// A run that can't go on: thrown by the engine, caught in main. What a user typed wrong is a Diagnostic instead.

#include <stdexcept>
#include <string>

namespace stepsim {

/// The scenario is well formed but can't be simulated (deadlock, mismatched send, unreachable devices). Exit status 1.
class SimError : public std::runtime_error {
 public:
  explicit SimError(const std::string& what) : std::runtime_error(what) {}
};

/// A key or option that is known and belongs to a later version. Exit status 2.
class NotBuiltError : public std::runtime_error {
 public:
  explicit NotBuiltError(const std::string& what) : std::runtime_error(what) {}
};

/// A bug of the simulator itself; the message says what to report.
class InternalError : public std::logic_error {
 public:
  explicit InternalError(const std::string& what) : std::logic_error(what) {}
};

/// Throws InternalError if `holds` is false.
inline void sim_assert(bool holds, const char* what) {
  if (!holds) throw InternalError(what);
}

}  // namespace stepsim

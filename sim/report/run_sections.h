#pragma once
// The sections of the run report, in the order in which they are printed. Each is "" where it has nothing to say.

#include <string>

#include "sim/report/bar.h"
#include "sim/studies/run_study.h"

namespace stepsim {

std::string title_section(const RunResult& run, const TextStyle& style);      ///< what was run
std::string headline_section(const RunResult& run, const TextStyle& style);   ///< step time and rates
std::string breakdown_section(const RunResult& run, const TextStyle& style);  ///< where the step goes
std::string stages_section(const RunResult& run, const TextStyle& style);     ///< a row for each pipeline stage
std::string memory_section(const RunResult& run, const TextStyle& style);     ///< use against capacity
std::string links_section(const RunResult& run, const TextStyle& style);      ///< what each axis sent, over which links
std::string measured_section(const RunResult& run, const TextStyle& style);   ///< simulated beside measured
std::string expect_section(const RunResult& run, const TextStyle& style);     ///< what `expect:` asked for
std::string assumptions_section(const RunResult& run, const TextStyle& style);  ///< numbers without a source
std::string footer_section(const RunResult& run);                               ///< how it was simulated

/// "tp 8  cp 1  pp 16 x 8 virtual  dp 128  ep 1".
std::string layout_in_words(const Layout& layout);
/// "training, 2,048 sequences of 8,192 tokens, …".
std::string workload_in_words(const RunResult& run);

}  // namespace stepsim

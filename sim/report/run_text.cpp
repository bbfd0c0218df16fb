#include "sim/report/run_text.h"

#include "sim/report/run_sections.h"

namespace stepsim {

std::string run_text(const RunResult& run, const TextStyle& style) {
  std::string text = title_section(run, style);
  const auto add = [&](const std::string& section) {
    if (!section.empty()) text.append("\n").append(section);
  };
  add(headline_section(run, style));
  add(breakdown_section(run, style));
  add(stages_section(run, style));
  add(memory_section(run, style));
  add(links_section(run, style));
  add(measured_section(run, style));
  add(expect_section(run, style));
  add(assumptions_section(run, style));
  add(footer_section(run));
  return text;
}

}  // namespace stepsim

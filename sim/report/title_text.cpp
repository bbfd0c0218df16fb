// What was run, and the numbers that everybody looks for first.

#include <fmt/format.h>

#include "sim/report/format.h"
#include "sim/report/run_sections.h"
#include "sim/studies/metrics.h"

namespace stepsim {
namespace {

std::string or_inline(const std::string& name, const char* what) {
  return name.empty() ? fmt::format("({} of the file)", what) : name;
}

std::uint64_t count(int number) { return static_cast<std::uint64_t>(number); }

std::string training_in_words(const RunResult& run) {
  const Workload& work = run.scenario.workload;
  return fmt::format("training, {} of {} tokens, {} of {}, {}, recompute {}, ZeRO {}",
                     counted(count(work.global_batch), "sequence"), in_thousands(count(work.seq_len)),
                     counted(count(run.microbatches), "microbatch"), work.micro_batch, work.schedule,
                     run.recompute_used, work.zero_stage);
}

std::string prefill_in_words(const Workload& work) {
  const std::string cached =
      work.cached_len > 0 ? fmt::format(" after {} cached", in_thousands(count(work.cached_len))) : "";
  return fmt::format("prefill, {} of {} new tokens{}", counted(count(work.batch), "sequence"),
                     in_thousands(count(work.seq_len)), cached);
}

std::string decode_in_words(const Workload& work) {
  return fmt::format("decode, {} with {} tokens of context", counted(count(work.batch), "sequence"),
                     in_thousands(count(work.context_len)));
}

/// "1,543 tokens/s/GPU" and the like, three spaces apart.
class Facts {
 public:
  void add(const std::string& fact) { text_.append(text_.empty() ? "" : "   ").append(fact); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string first_of_many(const Scenario& scenario) {
  if (scenario.layouts.size() < 2) return "";
  return fmt::format(" (the first of {} layouts; stepsim compare ranks them)", scenario.layouts.size());
}

const char* headline_of(WorkloadKind kind) {
  if (kind == WorkloadKind::prefill) return "time to first token";
  if (kind == WorkloadKind::decode) return "time per output token";
  return "step time";
}

}  // namespace

std::string layout_in_words(const Layout& layout) {
  const std::string virtual_stages =
      layout.virtual_stages > 1 ? fmt::format(" ({} virtual stages each)", layout.virtual_stages) : "";
  std::string text = fmt::format("TP {}, CP {}, PP {}{}, DP {}, EP {}", layout.tp, layout.cp, layout.pp, virtual_stages,
                                 layout.dp, layout.ep);
  if (layout.etp > 1) text += fmt::format(" x expert TP {}", layout.etp);
  return text + (layout.sequence_parallel ? ", sequence parallel" : "");
}

std::string workload_in_words(const RunResult& run) {
  const Workload& work = run.scenario.workload;
  std::string text = work.kind == WorkloadKind::training  ? training_in_words(run)
                     : work.kind == WorkloadKind::prefill ? prefill_in_words(work)
                                                          : decode_in_words(work);
  return text + fmt::format(", {} linear layers", name_of(work.linear_dtype));
}

std::string title_section(const RunResult& run, const TextStyle& style) {
  const Scenario& scenario = run.scenario;
  std::string text = heading(scenario.title.empty() ? scenario.file : scenario.title, style) + "\n";
  text += fmt::format("  {} on {}, {} x {}\n", or_inline(scenario.model.name, "model"),
                      or_inline(scenario.cluster.name, "cluster"), in_thousands(count(run.ranks)),
                      or_inline(scenario.accelerator.name, "accelerator"));
  text += wrap("  ", layout_in_words(scenario.layout) + first_of_many(scenario));
  return text + wrap("  ", workload_in_words(run));
}

std::string headline_section(const RunResult& run, const TextStyle& style) {
  const std::string time = fmt::format("{}  {}", headline_of(run.scenario.workload.kind), in_time(run.step()));
  Facts facts;
  const auto number = [&](const char* metric) { return metric_value(run, metric).value_or(0); };
  facts.add(fmt::format("{} tokens/s/GPU", in_number(number("tokens_per_s_per_gpu"))));
  facts.add(fmt::format("{} model TFLOP/s/GPU", in_number(number("model_tflops_per_gpu"))));
  if (const auto mfu = metric_value(run, "mfu")) facts.add(fmt::format("MFU {}", in_percent(*mfu)));
  return fmt::format("{}\n  {}\n", heading(time, style), facts.text());
}

}  // namespace stepsim

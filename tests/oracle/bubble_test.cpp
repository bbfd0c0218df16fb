// Pipeline bubbles of textbooks (Huang 2019, Narayanan 2021), exact on the ideal accelerator.
//
// Stages of equal forward time F and backward time B: every rank works m (F + B). GPipe and 1F1B end after
// (m + p - 1)(F + B), so the idle share is (p - 1)/(m + p - 1). With v virtual stages a chunk takes 1/v of the time and
// the ramp is p - 1 chunks: (p - 1)/(v m + p - 1), for m a multiple of p.

#include <gtest/gtest.h>

#include "ideal.h"
#include "tests/support/random_cases.h"

namespace stepsim::testing {
namespace {

double bubble_of(int p, int m, int v, const std::string& schedule) {
  Layout layout;
  layout.pp = p;
  layout.virtual_stages = v;
  IdealStep step = textbook_training(textbook_model(p * v), layout, m);
  step.spec.workload.schedule = schedule;
  const StepReport report = step.run();
  return report.mean.bubble.value() / seconds(report.step);
}

void expect_bubble(int p, int m, int v, const std::string& schedule) {
  const double closed_form = (p - 1.0) / (v * m + p - 1.0);
  EXPECT_NEAR(bubble_of(p, m, v, schedule), closed_form, closed_form * kRounding)
      << schedule << " p " << p << " m " << m << " v " << v;
}

/// The whole grid in a release build, every n-th point of it elsewhere.
class Grid {
 public:
  bool take() { return count_++ % (1000 / random_cases(1000)) == 0; }

 private:
  int count_ = 0;
};

TEST(Bubble, GpipeAndOneFOneB) {
  Grid grid;
  for (int p = 2; p <= 16; ++p) {
    for (int m = p; m <= 64; ++m) {
      if (!grid.take()) continue;
      expect_bubble(p, m, 1, "gpipe");
      expect_bubble(p, m, 1, "1f1b");
    }
  }
}

TEST(Bubble, Interleaved) {
  Grid grid;
  for (int p = 2; p <= 16; ++p) {
    for (int m = p; m <= 64; m += p) {
      for (int v = 2; v <= 4; ++v) {
        if (grid.take()) expect_bubble(p, m, v, "interleaved_1f1b");
      }
    }
  }
}

}  // namespace
}  // namespace stepsim::testing

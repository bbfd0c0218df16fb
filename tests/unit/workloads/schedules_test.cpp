// Can every schedule be played, is each pass in it once, and is its bubble the textbook's?
#include "workloads/schedules/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

namespace stepsim {
namespace {

constexpr int kForward = 1, kBackward = 2;  // times; messages take none

struct Played {
  int makespan = 0;
  std::vector<int> idle;  ///< by rank, over the whole step
  std::vector<int> peak;  ///< by rank: passes whose activations are held at once
  bool complete = true;
};

using Unit = std::vector<Action>;  // one action, or a pair that runs interleaved in the time of both
using Key = std::array<int, 3>;    // kind, stage, microbatch

Key key(ActionKind kind, int stage, int mb) { return {static_cast<int>(kind), stage, mb}; }

std::vector<Unit> units_of(const std::vector<Action>& actions) {
  std::vector<Unit> units;
  for (const Action& action : actions) {
    if (action.pair_with_previous)
      units.back().push_back(action);
    else
      units.push_back({action});
  }
  return units;
}

/// Runs the ranks' lists in order with buffered messages. A unit starts when its rank is free and its inputs are there.
class Player {
 public:
  explicit Player(const PipelineSchedule& schedule) : stages_(schedule.stages) {
    for (const auto& actions : schedule.ranks) units_.push_back(units_of(actions));
    clock_.resize(units_.size()), busy_.resize(units_.size()), position_.resize(units_.size());
  }

  Played play() {
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::size_t rank = 0; rank < units_.size(); ++rank) {
        while (position_[rank] < units_[rank].size() && run_next(rank)) moved = true;
      }
    }
    return result();
  }

 private:
  bool run_next(std::size_t rank) {
    const Unit& unit = units_[rank][position_[rank]];
    int start = clock_[rank], duration = 0;
    for (const Action& action : unit) {
      const auto input = input_of(action);
      if (input != Key{-1, 0, 0} && !done_.contains(input)) return false;
      if (input != Key{-1, 0, 0}) start = std::max(start, done_[input]);
      duration += action.kind == ActionKind::forward ? kForward : kBackward;
    }
    clock_[rank] = start + duration;
    busy_[rank] += duration;
    for (const Action& a : unit) {
      if (!done_.emplace(key(a.kind, a.stage, a.microbatch), clock_[rank]).second) repeated_ = true;
    }
    ++position_[rank];
    return true;
  }

  Key input_of(const Action& a) const {
    if (a.kind == ActionKind::forward) return a.stage == 0 ? Key{-1, 0, 0} : key(a.kind, a.stage - 1, a.microbatch);
    if (a.stage == stages_ - 1) return key(ActionKind::forward, a.stage, a.microbatch);
    return key(a.kind, a.stage + 1, a.microbatch);
  }

  Played result() const {
    Played played;
    played.makespan = *std::max_element(clock_.begin(), clock_.end());
    played.complete = !repeated_;
    for (std::size_t rank = 0; rank < units_.size(); ++rank) {
      played.complete = played.complete && position_[rank] == units_[rank].size();
      played.idle.push_back(played.makespan - busy_[rank]);
      int held = 0, peak = 0;
      for (const Unit& unit : units_[rank]) {
        for (const Action& a : unit) peak = std::max(peak, held += a.kind == ActionKind::forward ? 1 : -1);
      }
      played.peak.push_back(peak);
    }
    return played;
  }

  int stages_;
  std::vector<std::vector<Unit>> units_;
  std::vector<int> clock_, busy_;
  std::vector<std::size_t> position_;
  std::map<Key, int> done_;
  bool repeated_ = false;
};

/// Plays it, after checking that it holds every pass once and on the rank that rank_of names.
Played play(const std::string& name, const ScheduleSize& size) {
  const ScheduleInfo& info = *find_schedule(name);
  EXPECT_EQ(info.problem(size), "") << name;
  const PipelineSchedule schedule = info.make(size);
  std::size_t passes = 0;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    passes += schedule.ranks[rank].size();
    for (const Action& a : schedule.ranks[rank]) {
      const int direction = schedule.direction_of[static_cast<std::size_t>(a.microbatch)];
      const int home = schedule.rank_of[static_cast<std::size_t>(direction)][static_cast<std::size_t>(a.stage)];
      EXPECT_EQ(home, static_cast<int>(rank));
    }
  }
  EXPECT_EQ(passes, 2U * static_cast<unsigned>(schedule.stages * size.microbatches));
  const Played played = Player(schedule).play();  // with the count above, complete means each pass exactly once
  EXPECT_TRUE(played.complete) << name << " p " << size.pipeline_ranks << " m " << size.microbatches;
  return played;
}

ScheduleSize size_of(int p, int v, int m) { return {.pipeline_ranks = p, .virtual_stages = v, .microbatches = m}; }

// Idle time of every rank over the step is (p - 1)(F + B), so its share is (p-1)/(m+p-1) (GPipe; Narayanan 2021,
// section 2.2.1). Times are whole numbers: the comparison is exact, idle (m + p - 1) = (p - 1) makespan.
TEST(Schedules, GpipeAnd1f1bIdleTheTextbookBubble) {
  for (int p = 2; p <= 16; ++p) {
    for (int m = p; m <= 64; m += 3) {
      for (const char* name : {"gpipe", "1f1b"}) {
        const Played played = play(name, size_of(p, 1, m));
        for (int idle : played.idle) EXPECT_EQ(idle * (m + p - 1), (p - 1) * played.makespan) << name << p << ' ' << m;
      }
    }
  }
}

// (p-1)/(v m + p - 1): each of v chunks has 1/v of the layers; here a chunk takes F, so all times are v times as long.
TEST(Schedules, InterleavedIdlesTheBubbleOverV) {
  for (int v = 1; v <= 4; ++v) {
    for (int p = 2; p <= 16; ++p) {
      for (int m = p; m <= 64; m += p) {
        const Played played = play("interleaved_1f1b", size_of(p, v, m));
        for (int idle : played.idle)
          EXPECT_EQ(idle * (v * m + p - 1), (p - 1) * played.makespan) << v << ' ' << p << ' ' << m;
      }
    }
  }
}

// Rank r of 1F1B holds min(m, p - r) microbatches, GPipe all m; interleaved rank 0 min(m v, p v + p - 1) chunks
// (physics.md; warm-up of 2(p-1) + (v-1)p and one more).
TEST(Schedules, PeakOfPassesInFlight) {
  for (int p : {2, 4, 7}) {
    for (int m : {p, 3 * p}) {
      const Played one = play("1f1b", size_of(p, 1, m)), gpipe = play("gpipe", size_of(p, 1, m));
      for (int r = 0; r < p; ++r) EXPECT_EQ(one.peak[static_cast<std::size_t>(r)], std::min(m, p - r));
      EXPECT_EQ(gpipe.peak[0], m);
      for (int v : {2, 3}) {
        EXPECT_EQ(play("interleaved_1f1b", size_of(p, v, m)).peak[0], std::min(m * v, p * v + p - 1));
      }
    }
  }
}

// DeepSeek-V3's bubble (p/2 - 1)(F&B + B_full - 3W) has 3W of weight parts filling holes; whole backwards leave
// (p/2 - 1)(F&B + B), F&B = F + B here. Activations: p + 1 chunks on every rank, the report's Table 2.
TEST(Schedules, DualpipeWithWholeBackwards) {
  for (int p = 2; p <= 16; p += 2) {
    for (int m : {2 * p, 2 * p + 2, 4 * p, 64}) {
      const Played played = play("dualpipe", size_of(p, 1, m));
      for (int idle : played.idle) EXPECT_EQ(idle, (p / 2 - 1) * (kForward + kBackward + kBackward)) << p << ' ' << m;
      for (int peak : played.peak) EXPECT_EQ(peak, p + 1);
    }
  }
}

TEST(Schedules, DualpipePairsAForwardWithABackwardOfTheOtherDirection) {
  const PipelineSchedule schedule = find_schedule("dualpipe")->make(size_of(4, 1, 16));
  EXPECT_EQ(schedule.rank_of[1], (std::vector<int>{3, 2, 1, 0}));
  int pairs = 0;
  for (const auto& actions : schedule.ranks) {
    for (std::size_t i = 1; i < actions.size(); ++i) {
      if (!actions[i].pair_with_previous) continue;
      ++pairs;
      EXPECT_EQ(actions[i].kind, ActionKind::backward);
      EXPECT_EQ(actions[i - 1].kind, ActionKind::forward);
      EXPECT_NE(actions[i].chunk, actions[i - 1].chunk);
    }
  }
  // rank at depth d pairs 2 (m/2 - p + d + 1) + (p/2 - d - 1): 11 at the ends, 12 in the middle.
  EXPECT_EQ(pairs, 2 * 11 + 2 * 12);
}

TEST(Schedules, InterleavedVisitsChunksInGroupsOfP) {
  const PipelineSchedule schedule = find_schedule("interleaved_1f1b")->make(size_of(2, 2, 4));
  std::vector<std::array<int, 2>> forwards;  // chunk, microbatch of rank 0
  for (const Action& a : schedule.ranks[0]) {
    if (a.kind == ActionKind::forward) forwards.push_back({a.chunk, a.microbatch});
  }
  const std::vector<std::array<int, 2>> by_hand{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};
  EXPECT_EQ(forwards, by_hand);
  EXPECT_EQ(schedule.rank_of[0], (std::vector<int>{0, 1, 0, 1}));
}

TEST(Schedules, ProblemsSayWhatWouldBeRight) {
  EXPECT_NE(find_schedule("interleaved_1f1b")->problem(size_of(4, 2, 6)).find("4 or 8"), std::string::npos);
  EXPECT_NE(find_schedule("interleaved_1f1b")->problem(size_of(4, 2, 3)).find("4 would"), std::string::npos);
  EXPECT_NE(find_schedule("1f1b")->problem(size_of(4, 2, 8)).find("interleaved_1f1b"), std::string::npos);
  EXPECT_NE(find_schedule("gpipe")->problem(size_of(4, 2, 8)), "");
  EXPECT_NE(find_schedule("dualpipe")->problem(size_of(3, 1, 8)).find("even pp"), std::string::npos);
  EXPECT_NE(find_schedule("dualpipe")->problem(size_of(4, 1, 7)).find("8 would"), std::string::npos);
  EXPECT_NE(find_schedule("dualpipe")->problem(size_of(4, 1, 11)).find("12 would"), std::string::npos);
}

TEST(Schedules, OnePipelineRankRunsEachMicrobatchThrough) {
  for (const char* name : {"gpipe", "1f1b", "interleaved_1f1b"}) EXPECT_EQ(play(name, size_of(1, 1, 5)).idle[0], 0);
}

TEST(Schedules, NamesAreKnownOrPromised) {
  EXPECT_EQ(find_schedule("zb_h1"), nullptr);
  EXPECT_EQ(future_schedules().size(), 6U);
  for (const std::string& name : future_schedules()) EXPECT_EQ(find_schedule(name), nullptr);
}

}  // namespace
}  // namespace stepsim

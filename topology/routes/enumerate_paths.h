#pragma once
// Depth-first listing of the shortest ways between two nodes, in a fixed order. Without recursion: a ring can be long.

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "topology/fabric.h"

namespace stepsim {

struct PathStep {
  LinkId link;
  std::uint32_t node = 0;  ///< where the link leads
};

/// `Steps` has options(node), the number of links to try there, and step(node, option), the step or nothing if it does
/// not come nearer to the target or is dead.
template <class Steps>
class PathEnumerator {
 public:
  PathEnumerator(const Steps& steps, std::uint32_t from, std::uint32_t to) : steps_(steps), to_(to) {
    stack_.push_back({from});
  }

  /// At most Fabric::kMaxEqualPaths paths, each in the order of its links; earlier options first.
  std::vector<std::vector<LinkId>> run() {
    while (!stack_.empty() && found_.size() < Fabric::kMaxEqualPaths) {
      Frame& top = stack_.back();
      if (top.option == steps_.options(top.node)) {
        leave();
      } else if (const std::optional<PathStep> step = steps_.step(top.node, top.option++)) {
        follow(*step);
      }
    }
    return std::move(found_);
  }

 private:
  struct Frame {
    std::uint32_t node = 0;
    std::uint32_t option = 0;
    bool arrives = false;  ///< a path through here was found
  };

  void follow(const PathStep& step) {
    if (hopeless_.count(step.node) != 0) return;
    path_.push_back(step.link);
    if (step.node != to_) {
      stack_.push_back({step.node});
      return;
    }
    found_.push_back(path_);
    path_.pop_back();
    stack_.back().arrives = true;
  }

  void leave() {
    const Frame done = stack_.back();
    stack_.pop_back();
    if (!done.arrives) hopeless_.insert(done.node);
    if (stack_.empty()) return;
    stack_.back().arrives |= done.arrives;
    path_.pop_back();
  }

  const Steps& steps_;
  std::uint32_t to_;
  std::vector<Frame> stack_;
  std::vector<LinkId> path_;
  std::vector<std::vector<LinkId>> found_;
  std::unordered_set<std::uint32_t> hopeless_;  ///< all ways from here are cut; keeps the search linear
};

}  // namespace stepsim

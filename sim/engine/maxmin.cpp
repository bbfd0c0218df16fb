#include "sim/engine/maxmin.h"

#include <algorithm>
#include <utility>

namespace stepsim {
namespace {

/// A link of the system with what is left of it.
struct Constraint {
  std::uint32_t link = 0;
  std::int64_t left = 0;   ///< capacity not yet given to frozen activities
  std::int64_t flows = 0;  ///< of unfrozen activities
};

/// left_a / flows_a < left_b / flows_b, exactly.
bool smaller_share(const Constraint& a, const Constraint& b) {
  return static_cast<Int128>(a.left) * b.flows < static_cast<Int128>(b.left) * a.flows;
}
bool equal_share(const Constraint& a, const Constraint& b) {
  return static_cast<Int128>(a.left) * b.flows == static_cast<Int128>(b.left) * a.flows;
}

class Filling {
 public:
  Filling(std::span<const std::span<const LinkUse>> uses, std::span<const Capacity> capacity, std::vector<Rate>& rates)
      : uses_(uses), rates_(rates) {
    rates_.assign(uses.size(), kEndless);
    collect(capacity);
  }

  void run() {
    while (const Constraint* tightest = find_tightest()) freeze(*tightest);
  }

 private:
  void collect(std::span<const Capacity> capacity) {
    for (const auto& activity : uses_) {
      for (const LinkUse& use : activity) {
        if (capacity[use.link] != kUnlimited) constraints_.push_back({use.link, capacity[use.link], use.flows});
      }
    }
    std::sort(constraints_.begin(), constraints_.end(), [](auto& a, auto& b) { return a.link < b.link; });
    merge_equal_links();
  }

  void merge_equal_links() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      if (kept > 0 && constraints_[kept - 1].link == constraints_[i].link) {
        constraints_[kept - 1].flows += constraints_[i].flows;
      } else {
        constraints_[kept++] = constraints_[i];
      }
    }
    constraints_.resize(kept);
  }

  const Constraint* find_tightest() const {
    const Constraint* tightest = nullptr;
    for (const Constraint& c : constraints_) {
      if (c.flows > 0 && (tightest == nullptr || smaller_share(c, *tightest))) tightest = &c;
    }
    return tightest;
  }

  void freeze(const Constraint tightest) {
    const Rate rate = std::max<Rate>(1, tightest.left / tightest.flows);
    std::vector<std::size_t> frozen;
    for (std::size_t a = 0; a < uses_.size(); ++a) {
      if (rates_[a] == kEndless && crosses_tied(uses_[a], tightest)) frozen.push_back(a);
    }
    for (const std::size_t a : frozen) {
      rates_[a] = rate;
      take(uses_[a], rate);
    }
  }

  bool crosses_tied(std::span<const LinkUse> activity, const Constraint& tightest) {
    return std::any_of(activity.begin(), activity.end(), [&](const LinkUse& use) {
      const Constraint* c = find(use.link);
      return c != nullptr && c->flows > 0 && equal_share(*c, tightest);
    });
  }

  void take(std::span<const LinkUse> activity, Rate rate) {
    for (const LinkUse& use : activity) {
      if (Constraint* c = find(use.link)) {
        c->left = std::max<std::int64_t>(0, c->left - use.flows * rate);
        c->flows -= use.flows;
      }
    }
  }

  Constraint* find(std::uint32_t link) {
    const auto at = std::lower_bound(constraints_.begin(), constraints_.end(), link,
                                     [](const Constraint& c, std::uint32_t l) { return c.link < l; });
    return at != constraints_.end() && at->link == link ? &*at : nullptr;
  }

  std::span<const std::span<const LinkUse>> uses_;
  std::vector<Rate>& rates_;
  std::vector<Constraint> constraints_;
};

}  // namespace

void max_min_rates(std::span<const std::span<const LinkUse>> uses, std::span<const Capacity> capacity,
                   std::vector<Rate>& rates) {
  Filling(uses, capacity, rates).run();
}

Rate solo_rate(std::span<const LinkUse> uses, std::span<const Capacity> capacity) {
  Rate rate = kEndless;
  for (const LinkUse& use : uses) {
    if (capacity[use.link] != kUnlimited) rate = std::min(rate, std::max<Rate>(1, capacity[use.link] / use.flows));
  }
  return rate;
}

}  // namespace stepsim

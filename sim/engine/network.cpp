#include "sim/engine/network.h"

#include <algorithm>

namespace stepsim {

Network::Network(std::span<const Capacity> capacity, bool max_min)
    : capacity_(capacity), max_min_(max_min), on_link_(capacity.size()), link_mark_(capacity.size(), 0) {}

void Network::start(std::uint32_t transfer, std::span<const LinkUse> links, Rate solo, Amount amount, SimTime now) {
  if (transfer >= flows_.size()) flows_.resize(transfer + 1);
  Flow& flow = flows_[transfer];
  flow.links = links;
  flow.solo = solo;
  flow.rate = 0;
  flow.left = amount;
  flow.anchor = now;
  flow.running = true;
  for (const LinkUse& use : links) on_link_[use.link].push_back(transfer);
  started_.push_back(transfer);
}

void Network::remove(std::uint32_t transfer) {
  Flow& flow = flows_[transfer];
  flow.running = false;
  ++flow.version;
  for (const LinkUse& use : flow.links) std::erase(on_link_[use.link], transfer);
  touch_links(flow);
}

void Network::touch_links(const Flow& flow) {
  for (const LinkUse& use : flow.links) touched_links_.push_back(use.link);
}

void Network::settle(SimTime now, std::vector<Forecast>& changed) {
  ++round_;
  for (const std::uint32_t transfer : started_) {
    if (!flows_[transfer].running || flows_[transfer].mark == round_) continue;
    collect_component(transfer);
    solve_component(now, changed);
  }
  started_.clear();
  for (const std::uint32_t link : touched_links_) {
    if (!max_min_ || on_link_[link].empty() || flows_[on_link_[link].front()].mark == round_) continue;
    collect_component(on_link_[link].front());
    solve_component(now, changed);
  }
  touched_links_.clear();
}

void Network::collect_component(std::uint32_t transfer) {
  component_.assign(1, transfer);
  flows_[transfer].mark = round_;
  if (!max_min_) return;
  for (std::size_t i = 0; i < component_.size(); ++i) collect_neighbours(component_[i]);
}

void Network::collect_neighbours(std::uint32_t transfer) {
  for (const LinkUse& use : flows_[transfer].links) {
    if (link_mark_[use.link] == round_) continue;
    link_mark_[use.link] = round_;
    for (const std::uint32_t other : on_link_[use.link]) {
      if (flows_[other].mark == round_) continue;
      flows_[other].mark = round_;
      component_.push_back(other);
    }
  }
}

void Network::solve_component(SimTime now, std::vector<Forecast>& changed) {
  if (!max_min_) {
    set_rate(component_[0], flows_[component_[0]].solo, now, changed);
    return;
  }
  if (component_.size() == 1) {  // the usual case: nobody to share with
    set_rate(component_[0], solo_rate(flows_[component_[0]].links, capacity_), now, changed);
    return;
  }
  uses_.clear();
  for (const std::uint32_t transfer : component_) uses_.push_back(flows_[transfer].links);
  max_min_rates(uses_, capacity_, rates_);
  for (std::size_t i = 0; i < component_.size(); ++i) set_rate(component_[i], rates_[i], now, changed);
}

void Network::set_rate(std::uint32_t transfer, Rate rate, SimTime now, std::vector<Forecast>& changed) {
  Flow& flow = flows_[transfer];
  if (flow.rate == rate) return;
  if (flow.rate != 0 && flow.rate != kEndless) flow.left -= moved_in(now - flow.anchor, flow.rate);
  flow.anchor = now;
  flow.rate = rate;
  ++flow.version;
  changed.push_back({transfer, flow.version, now + time_to_move(flow.left, rate)});
}

}  // namespace stepsim

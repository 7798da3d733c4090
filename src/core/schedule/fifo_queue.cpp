// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/fifo_queue.hpp"

#include "tune/core/schedule/refusals.hpp"

#include <algorithm>

namespace tune {

void fifo_queue::apply(const scheduler_fact& what) {
  struct visitor {
    fifo_queue& self;
    void operator()(const fact::added& x) { self.add(x); }
    void operator()(const fact::started& x) { self.move(x.trial, place::away); }
    void operator()(const fact::paused& x) { self.move(x.trial, place::paused); }
    void operator()(const fact::unpaused& x) { self.allow_on(x.trial); }
    void operator()(const fact::ended& x) { self.forget(x.trial); }
    void operator()(const fact::chosen& x) { self.leave(x); }
    void operator()(const fact::result&) {}
    void operator()(const fact::saved&) {}
    void operator()(const fact::failed&) {}
    void operator()(const fact::decided&) {}
    void operator()(const fact::node_up&) {}
    void operator()(const fact::node_down&) {}
  };
  std::visit(visitor{*this}, what.what);
}

choice fifo_queue::first(sequence at, std::uint32_t count) const {
  choice result{at, {}};
  for (const auto* from : {&pending_, &paused_}) {
    for (auto i = from->begin(); i != from->end() && result.start.size() < count; ++i)
      result.start.push_back(i->second);
  }
  return result;
}

decision fifo_queue::end_paused(sequence at, std::string_view rule) const {
  auto left = paused_;
  left.insert(refused_.begin(), refused_.end());
  decision result{at, {}};
  for (const auto& [position, trial] : left)
    result.actions.push_back({trial, stop{}, {{"rule", rule}, {"why", "not promoted"}}});
  return result;
}

void fifo_queue::describe(fingerprint& into) const {
  into.add(next_position_).add(std::uint64_t{entries_.size()});
  for (const auto& [trial, x] : entries_)
    into.add(trial).add(x.position).add(std::uint64_t{static_cast<std::uint8_t>(x.where)});
}

fifo_queue::line* fifo_queue::line_of(place where) {
  switch (where) {
    case place::pending:
      return &pending_;
    case place::paused:
      return &paused_;
    case place::refused:
      return &refused_;
    case place::away:
      break;
  }
  return nullptr;
}

fifo_queue::entry& fifo_queue::known(trial_id trial) {
  auto [i, fresh] = entries_.try_emplace(trial, entry{next_position_, place::away});
  if (fresh)
    ++next_position_;
  return i->second;
}

void fifo_queue::move(trial_id trial, place to) {
  auto& x = known(trial);
  if (auto* from = line_of(x.where))
    from->erase(x.position);
  x.where = to;
  if (auto* into = line_of(to))
    into->emplace(x.position, trial);
}

void fifo_queue::add(const fact::added& what) {
  if (what.again)
    forget(what.trial);
  move(what.trial, place::pending);
}

void fifo_queue::allow_on(trial_id trial) {
  // A trial that was already chosen is on its way and must not be chosen twice.
  auto i = entries_.find(trial);
  if (i != entries_.end() && i->second.where != place::away)
    move(trial, place::pending);
}

void fifo_queue::leave(const fact::chosen& what) {
  for (auto trial : what.what.start) {
    auto i = entries_.find(trial);
    if (i == entries_.end())
      continue;
    if (!is_refused(what, trial))
      move(trial, place::away);
    else if (i->second.where == place::paused)
      move(trial, place::refused);
  }
}

void fifo_queue::forget(trial_id trial) {
  auto i = entries_.find(trial);
  if (i == entries_.end())
    return;
  if (auto* from = line_of(i->second.where))
    from->erase(i->second.position);
  entries_.erase(i);
}

} // namespace tune

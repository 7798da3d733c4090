// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/outbox.hpp"

namespace tune {

namespace {

/// Rows, facts and questions have no effect outside this process: they never wait for a gated
/// command of their trial.
bool acts_on_trial(const command_body& x) {
  return std::holds_alternative<cmd::place>(x) || std::holds_alternative<cmd::cancel_place>(x)
         || std::holds_alternative<cmd::launch>(x) || std::holds_alternative<cmd::proceed>(x)
         || std::holds_alternative<cmd::save>(x) || std::holds_alternative<cmd::halt>(x);
}

} // namespace

bool outbox::pass(const command& what) {
  auto open = what.gate <= durable_;
  if (!acts_on_trial(what.what)) {
    if (!open)
      held_.push_back(what);
    return open;
  }
  auto id = *trial_of(what.what);
  auto behind = held_per_trial_.find(id);
  if (open && behind == held_per_trial_.end())
    return true;
  ++held_per_trial_[id];
  held_.push_back(what);
  return false;
}

std::vector<command> outbox::release(sequence seq) {
  durable_ = std::max(durable_, seq);
  std::vector<command> result;
  std::deque<command> kept;
  // A command behind a kept one of its trial stays, even if its own gate is open.
  std::map<trial_id, std::size_t> blocked;
  for (auto& x : held_) {
    auto acts = acts_on_trial(x.what);
    auto id = acts ? *trial_of(x.what) : trial_id{};
    auto free = x.gate <= durable_ && !(acts && blocked.contains(id));
    if (!free) {
      if (acts)
        ++blocked[id];
      kept.push_back(std::move(x));
      continue;
    }
    result.push_back(std::move(x));
  }
  held_ = std::move(kept);
  held_per_trial_ = std::move(blocked);
  return result;
}

} // namespace tune

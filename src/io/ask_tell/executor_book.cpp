// SPDX-License-Identifier: BSD-3-Clause
#include "executor_book.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace tune {

namespace {

/// The scheduler's "why" if it gives one, else its facts: "rule = toy, draw = 0.2".
std::string reason_text(const action& x) {
  if (const auto* why = x.reason.find("why"))
    return to_text(*why);
  std::string result;
  for (const auto& [name, what] : x.reason)
    result += (result.empty() ? "" : ", ") + name + " = " + to_text(what);
  const auto* due_exploit = std::get_if<exploit>(&x.what);
  return due_exploit == nullptr ? result
                                : "goes on from trial " + to_text(due_exploit->donor)
                                      + (result.empty() ? "" : ": " + result);
}

bool lets_go(const action_body& x) {
  return std::holds_alternative<pause_trial>(x) || std::holds_alternative<stop>(x)
         || std::holds_alternative<exploit>(x);
}

} // namespace

executor_book::executor_book(const plain_runner_ports& world,
                             std::function<void(event_body)> post_later)
    : world_{world}, post_later_{std::move(post_later)} {}

void executor_book::adopt(const experiment& machine, bool leased) {
  for (const auto& [id, attempt] : machine.open_attempts()) {
    auto began = machine.launch_of(id);
    auto& x = trials_[id];
    // Iterations continue from the last report, or from the iteration at which the attempt began.
    auto at = x.number > 0 ? x.iteration : began->iteration;
    auto spent = x.number > 0 ? x.time_total : began->time_total;
    x.session.emplace(at, spent, world_.now());
    x.heard = world_.now();
    if (!leased)
      left_open_.insert(id);
  }
}

void executor_book::heard_of(trial_id id) {
  left_open_.erase(id);
  if (auto* known = find(id))
    known->heard = world_.now();
}

std::vector<trial_id> executor_book::silent_since(instant when) const {
  std::vector<trial_id> result;
  for (const auto& [id, x] : trials_) {
    if (x.session && x.open && x.heard < when)
      result.push_back(id);
  }
  return result;
}

executor_trial* executor_book::find(trial_id id) {
  auto known = trials_.find(id);
  return known == trials_.end() ? nullptr : &known->second;
}

std::optional<trial_id> executor_book::next() const {
  if (!left_open_.empty())
    return *left_open_.begin();
  return waiting_.empty() ? std::nullopt : std::optional{waiting_.front()};
}

void executor_book::taken(trial_id id) {
  left_open_.erase(id);
  std::erase(waiting_, id);
}

std::optional<cmd::launch> executor_book::take_launched() {
  return std::exchange(launched_, {});
}

std::vector<trial_id> executor_book::take_let_go() {
  return std::exchange(let_go_, {});
}

void executor_book::remind_of(trial_id id) {
  const auto* known = find(id);
  auto is_told = std::find(let_go_.begin(), let_go_.end(), id) != let_go_.end();
  if (known != nullptr && !known->open && known->let_go && !is_told)
    let_go_.push_back(id);
}

void executor_book::carry_out(const command& what) {
  std::visit(
      [this](const auto& x) {
        if constexpr (requires { carry(x); })
          carry(x);
      },
      what.what);
}

void executor_book::carry(const cmd::place& x) {
  // A resumed head may ask for the same place twice.
  if (std::find(waiting_.begin(), waiting_.end(), x.trial) == waiting_.end())
    waiting_.push_back(x.trial);
}

void executor_book::carry(const cmd::cancel_place& x) {
  std::erase(waiting_, x.trial);
}

void executor_book::carry(const cmd::launch& x) {
  auto& trial = trials_[x.trial];
  trial.session.emplace(x.iteration, x.time_total, world_.now());
  trial.heard = world_.now();
  launched_ = x;
  post_later_(on::started{x.trial, x.attempt, 0});
}

/// The executor keeps checkpoints by itself and is not asked to save. At a pause it is assumed to
/// have a checkpoint.
void executor_book::carry(const cmd::save& x) {
  auto& trial = trials_[x.trial];
  auto brought = !trial.kept.empty() && trial.kept_at == x.iteration;
  if (brought || x.then_end)
    post_later_(on::saved{x.trial, x.attempt, x.checkpoint, x.iteration, trial.time_total,
                          brought ? trial.kept : std::string{kept_outside}, 0});
  else
    post_later_(
        on::save_failed{x.trial, x.attempt, x.checkpoint, "the report brought no checkpoint"});
  if (x.then_end)
    let_go(x.trial, x.attempt, end_class::stopped);
}

void executor_book::recall(const cmd::halt& x) {
  auto& trial = trials_[x.trial];
  // If the trial makes way for a clone, the scheduler has already given the reason.
  if (trial.reason.empty() || x.how != halt_mode::release)
    trial.reason = x.why;
}

void executor_book::carry(const cmd::halt& x) {
  recall(x);
  let_go(x.trial, x.attempt, x.how == halt_mode::kill ? end_class::killed : end_class::stopped);
}

void executor_book::carry(const cmd::discard& x) {
  post_later_(on::checkpoint_gone{x.checkpoint});
}

void executor_book::let_go(trial_id id, attempt_id attempt, end_class how) {
  auto done = completing_ == id;
  if (!done)
    let_go_.push_back(id);
  post_later_(on::ended{id, attempt, done ? end_class::finished : how, {}, {}});
}

void executor_book::see(const event& what) {
  std::visit(
      [this](const auto& x) {
        if constexpr (requires { note(x); })
          note(x);
      },
      what.what);
}

config_ptr executor_book::added(const std::string& key, config_ptr otherwise) const {
  auto known = added_.find(key);
  return known == added_.end() ? std::move(otherwise) : known->second;
}

void executor_book::note(const on::add_asked& x) {
  if (!x.key.empty())
    added_.try_emplace(x.key, x.config);
}

void executor_book::note(const on::placed& x) {
  auto& trial = trials_[x.trial];
  trial.attempt = x.attempt;
  ++trial.attempts;
  trial.open = true;
  trial.number = trial.iteration = trial.kept_at = 0;
  trial.kept.clear();
  trial.reason.clear();
  trial.let_go = false;
}

void executor_book::note(const on::reported& x) {
  auto& trial = trials_[x.what->trial];
  trial.number = x.what->number;
  trial.iteration = x.what->iteration;
  trial.time_total = x.what->time_total;
  trial.reason.clear();
}

void executor_book::note(const on::saved& x) {
  auto& trial = trials_[x.trial];
  trial.kept = x.location;
  trial.kept_at = x.iteration;
}

void executor_book::note(const on::decided& x) {
  for (const auto& answer : x.answers) {
    for (const auto& what : answer.actions) {
      auto known = trials_.find(what.trial);
      if (known != trials_.end() && known->second.open && lets_go(what.what))
        known->second.reason = reason_text(what);
    }
  }
}

void executor_book::note(const on::ended& x) {
  auto& trial = trials_[x.trial];
  trial.let_go = x.how == end_class::stopped || x.how == end_class::killed;
  trial.open = false;
  trial.session.reset();
  trial.kept.clear();
  left_open_.erase(x.trial);
}

} // namespace tune

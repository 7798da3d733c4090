// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/experiment.hpp"

#include "machine.hpp"

namespace tune {

experiment::experiment(experiment_settings settings, scheduler_traits scheduler,
                       searcher_traits searcher, std::vector<std::unique_ptr<stopper>> stoppers)
    : impl_{std::make_unique<machine>(std::move(settings), std::move(scheduler), searcher,
                                      std::move(stoppers))} {}

experiment::~experiment() = default;
experiment::experiment(experiment&&) noexcept = default;
experiment& experiment::operator=(experiment&&) noexcept = default;

std::vector<command> experiment::apply(const event& what) {
  return impl_->apply(what);
}

void experiment::go_by(rule_change what) {
  impl_->go_by(std::move(what));
}

std::optional<std::vector<command>> experiment::answer_known(const report& what) const {
  return impl_->answer_known(what);
}

bool experiment::is_stale(const event_body& what) const {
  return impl_->is_stale(what);
}

std::optional<event_body> experiment::still_wanted(event_body what) const {
  return impl_->still_wanted(std::move(what));
}

order_verdict experiment::weigh(const event_body& what) const {
  return impl_->weigh(what);
}

std::optional<instant> experiment::next_deadline() const {
  return impl_->next_deadline();
}

std::vector<on::ticked> experiment::due(instant now) const {
  return impl_->due(now);
}

attempt_id experiment::next_attempt() const {
  return impl_->next_attempt();
}

event_body experiment::granted(trial_id trial, lease what) const {
  return impl_->granted(trial, std::move(what));
}

checkpoint_id experiment::next_checkpoint() const {
  return impl_->next_checkpoint();
}

std::optional<cmd::launch> experiment::launch_of(trial_id trial) const {
  return impl_->launch_of(trial);
}

std::vector<command> experiment::outstanding() const {
  return impl_->outstanding();
}

std::optional<experiment::attempt_notes> experiment::notes_on(trial_id trial) const {
  return impl_->notes_on(trial);
}

std::vector<std::pair<trial_id, attempt_id>> experiment::open_attempts() const {
  return impl_->open_attempts();
}

sequence experiment::last_seq() const {
  return impl_->last_seq();
}

bool experiment::is_finished() const {
  return impl_->is_finished();
}

experiment_view experiment::view() const {
  return impl_->view();
}

std::optional<trial_status> experiment::status_of(trial_id trial) const {
  return impl_->status_of(trial);
}

void experiment::describe(fingerprint& into) const {
  impl_->describe(into);
}

} // namespace tune

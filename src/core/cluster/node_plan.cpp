// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/node_plan.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tune {

namespace {

using stage = allocation_stage;
using input = allocation_event;

} // namespace

node_plan::node_plan(settings how) : how_{std::move(how)}, session_{how_.session} {}

// -- From the head.

node_commands node_plan::launch(const order& what, bool may_speak) {
  node_commands out;
  if (how_.is_remote) {
    if (what.session != session_)
      return out;
    if (all_.contains(what.lease)) {
      out.emplace_back(node_cmd::meet{what.lease});
      return out;
    }
    if (!may_speak)
      return out;
    if (what.turn <= turn_) {
      out.emplace_back(node_cmd::report_over{what.lease});
      return out;
    }
    turn_ = what.turn;
  }
  auto& made = all_.emplace(what.lease, allocation{what}).first->second;
  if (given_up_ > 0)
    made.at = next(made.at, input::ordered_blocked);
  else
    admit(made, out);
  return out;
}

void node_plan::admit(allocation& what, node_commands& out) {
  if (leaving_)
    return refuse(what, "its node leaves", out);
  auto& newest = epochs_[what.what.job];
  if (what.what.attempt.epoch < newest)
    return refuse(what, "a newer head leads its experiment than the one that launched it", out);
  newest = what.what.attempt.epoch;
  take_job(what, out);
}

/// Prepares the allocation if its job is known; asks for the job otherwise.
void node_plan::take_job(allocation& what, node_commands& out) {
  const auto& job = what.what.job;
  if (known_jobs_.contains(job)) {
    what.at = next(what.at, what.at == stage::absent ? input::ordered_ready : input::found);
    out.emplace_back(node_cmd::prepare{what.what.lease});
    return;
  }
  if (!how_.fetches_jobs) {
    const auto why = "it does not know experiment " + job;
    out.emplace_back(node_cmd::decline{what.what.lease, {why, false}});
    return refuse(what, text_of_refusal(why), out);
  }
  // One that waited for room is in this stage already, and nobody has asked for it.
  const auto asking = in_stage(stage::fetching, job);
  const auto is_first
      = std::all_of(asking.begin(), asking.end(), [&](lease_id x) { return x == what.what.lease; });
  what.at = next(what.at, input::ordered);
  if (!is_first)
    return;
  // The job was resumed.
  over_.erase(job);
  out.emplace_back(node_cmd::fetch{job});
}

void node_plan::refuse(allocation& what, const std::string& why, node_commands& out) {
  settle(what.what.lease, end_class::preempted, why, out);
}

node_commands node_plan::revoke(lease_id which) {
  node_commands out;
  auto known = all_.find(which);
  if (known == all_.end()) {
    out.emplace_back(node_cmd::report_over{which});
    return out;
  }
  auto& at = known->second.at;
  if (at == stage::running)
    out.emplace_back(node_cmd::kill{which});
  at = next(at, input::unwanted);
  if (at == stage::absent)
    free(which, out);
  return out;
}

node_commands node_plan::keep_only(std::uint64_t session, const std::vector<lease_id>& kept,
                                   bool is_new) {
  node_commands out;
  if (how_.is_remote && session != session_)
    return out;
  if (is_new)
    out.emplace_back(node_cmd::drop_pauses{});
  std::vector<lease_id> over;
  for (const auto& [id, x] : all_) {
    if (!x.is_given_up && std::find(kept.begin(), kept.end(), id) == kept.end())
      over.push_back(id);
  }
  for (auto id : over)
    give_up(id, out);
  out.emplace_back(node_cmd::open{});
  quit_if_done(out);
  return out;
}

void node_plan::give_up(lease_id which, node_commands& out) {
  auto& what = all_.at(which);
  out.emplace_back(node_cmd::forget{which});
  if (what.at == stage::running)
    out.emplace_back(node_cmd::kill{which});
  what.at = next(what.at, input::unwanted);
  if (what.at == stage::absent) {
    all_.erase(which);
    return;
  }
  what.is_given_up = true;
  ++given_up_;
}

node_commands node_plan::end_job(const std::string& job) {
  node_commands out;
  known_jobs_.erase(job);
  over_.insert(job);
  leave_job(job, out);
  return out;
}

/// Lets whoever fetched the job remove it once nothing of it runs.
void node_plan::leave_job(const std::string& job, node_commands& out) {
  auto runs = [&](const auto& x) {
    const auto at = x.second.at;
    return x.second.what.job == job && at != stage::fetching && at != stage::blocked
           && at != stage::closing;
  };
  if (!over_.contains(job) || std::any_of(all_.begin(), all_.end(), runs))
    return;
  over_.erase(job);
  // The job may begin anew where its directory was removed.
  epochs_.erase(job);
  out.emplace_back(node_cmd::leave_job{job});
}

// -- From the node itself.

node_holdings node_plan::rejoin(std::uint64_t session) {
  session_ = session;
  return holdings();
}

node_holdings node_plan::holdings() const {
  node_holdings result{how_.session, turn_, {}};
  for (const auto& [id, x] : all_) {
    if (!x.is_given_up)
      result.leases.push_back(id);
  }
  return result;
}

node_commands node_plan::job_found(const std::string& job) {
  node_commands out;
  known_jobs_.insert(job);
  for (auto id : in_stage(stage::fetching, job))
    admit(all_.at(id), out);
  return out;
}

node_commands node_plan::job_missing(const std::string& job, const node_cmd::not_ready& why) {
  node_commands out;
  for (auto id : in_stage(stage::fetching, job)) {
    out.emplace_back(node_cmd::decline{id, why});
    refuse(all_.at(id), text_of_refusal(why.why), out);
  }
  return out;
}

bool node_plan::is_wanted(lease_id which) const {
  return stage_of(which) == stage::preparing;
}

node_commands node_plan::started(lease_id which) {
  node_commands out;
  auto& at = all_.at(which).at;
  at = next(at, input::started);
  if (at == stage::ending)
    out.emplace_back(node_cmd::kill{which});
  return out;
}

node_commands node_plan::not_ready(lease_id which, const node_cmd::not_ready& why) {
  node_commands out;
  if (!all_.at(which).is_given_up)
    out.emplace_back(node_cmd::decline{which, why});
  settle(which, end_class::preempted, text_of_refusal(why.why), out);
  return out;
}

node_commands node_plan::files_gone(lease_id which, const std::string& why) {
  auto& what = all_.at(which);
  const auto& job = what.what.job;
  if (how_.fetches_jobs)
    known_jobs_.erase(job);
  if (!how_.fetches_jobs || what.at != stage::preparing || what.is_fetched_anew || what.is_given_up
      || leaving_ || over_.contains(job))
    return not_ready(which, {why, false});
  node_commands out;
  const auto is_first = in_stage(stage::fetching, job).empty();
  what.is_fetched_anew = true;
  what.at = next(what.at, input::files_gone);
  if (is_first)
    out.emplace_back(node_cmd::fetch{job});
  return out;
}

node_commands node_plan::not_begun(lease_id which, end_class how, const std::string& why) {
  node_commands out;
  settle(which, how, why, out);
  return out;
}

/// Ends an allocation that never ran.
void node_plan::settle(lease_id which, end_class how, const std::string& why, node_commands& out) {
  auto& what = all_.at(which);
  what.at = next(what.at, input::not_started);
  const auto job = what.what.job;
  // A draining node has already reported it.
  if (!what.is_given_up && !draining_)
    out.emplace_back(node_cmd::tell_end{which, how, why});
  if (what.is_given_up)
    erase(which, out);
  else if (how_.is_remote && !draining_)
    out.emplace_back(node_cmd::await_hearing{which});
  else
    free(which, out);
  leave_job(job, out);
}

node_commands node_plan::gone(lease_id which) {
  node_commands out;
  auto& what = all_.at(which);
  what.at = next(what.at, input::gone);
  const auto job = what.what.job;
  if (what.is_given_up)
    erase(which, out);
  else if (draining_)
    // The head may be out of reach, and nobody waits for the allocation.
    free(which, out);
  else
    out.emplace_back(node_cmd::await_hearing{which});
  leave_job(job, out);
  return out;
}

node_commands node_plan::heard(lease_id which) {
  node_commands out;
  auto known = all_.find(which);
  if (known != all_.end() && known->second.at == stage::closing)
    free(which, out);
  return out;
}

void node_plan::free(lease_id which, node_commands& out) {
  all_.erase(which);
  out.emplace_back(node_cmd::forget{which});
  out.emplace_back(node_cmd::report_over{which});
  quit_if_done(out);
}

/// Forgets an allocation that the head had given up and of which nothing is left.
void node_plan::erase(lease_id which, node_commands& out) {
  all_.erase(which);
  if (--given_up_ == 0)
    admit_blocked(out);
  quit_if_done(out);
}

void node_plan::admit_blocked(node_commands& out) {
  std::vector<std::pair<std::uint64_t, lease_id>> in_order;
  for (const auto& [id, x] : all_) {
    if (x.at == stage::blocked)
      in_order.emplace_back(x.what.turn, id);
  }
  std::sort(in_order.begin(), in_order.end());
  for (auto [turn, id] : in_order) {
    auto& what = all_.at(id);
    what.at = next(what.at, input::room);
    admit(what, out);
  }
}

node_commands node_plan::leave() {
  node_commands out;
  leaving_ = true;
  quit_if_done(out);
  return out;
}

node_commands node_plan::drain() {
  node_commands out;
  if (draining_)
    return out;
  leaving_ = true;
  std::vector<lease_id> idle;
  for (auto& [id, x] : all_) {
    if (x.is_given_up)
      continue;
    if (x.at != stage::closing)
      out.emplace_back(node_cmd::tell_end{id, end_class::preempted, "its node leaves"});
    if (x.at == stage::running || x.at == stage::ending)
      out.emplace_back(node_cmd::kill{id});
    if (next(x.at, input::unwanted) == stage::absent)
      idle.push_back(id);
    else
      x.at = next(x.at, input::unwanted);
  }
  draining_ = true;
  for (auto id : idle)
    free(id, out);
  quit_if_done(out);
  return out;
}

void node_plan::quit_if_done(node_commands& out) const {
  auto is_quit = [](const node_command& x) { return std::holds_alternative<node_cmd::quit>(x); };
  if (leaving_ && all_.empty() && std::none_of(out.begin(), out.end(), is_quit))
    out.emplace_back(node_cmd::quit{});
}

allocation_stage node_plan::stage_of(lease_id which) const {
  auto known = all_.find(which);
  return known == all_.end() ? stage::absent : known->second.at;
}

std::string node_plan::text_of_refusal(const std::string& why) const {
  return "node " + how_.name + " is not ready for it: " + why;
}

/// Allocations of a job in this stage, in the order of their launches.
std::vector<lease_id> node_plan::in_stage(allocation_stage at, const std::string& job) const {
  std::vector<std::pair<std::uint64_t, lease_id>> found;
  for (const auto& [id, x] : all_) {
    if (x.at == at && x.what.job == job)
      found.emplace_back(x.what.turn, id);
  }
  std::sort(found.begin(), found.end());
  std::vector<lease_id> result;
  for (const auto& x : found)
    result.push_back(x.second);
  return result;
}

} // namespace tune

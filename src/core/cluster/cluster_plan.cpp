// What happens to nodes.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/cluster_plan.hpp"

#include "tune/core/cluster/node_labels.hpp"
#include "tune/core/resource/demands.hpp"

#include <chrono>
#include <utility>
#include <vector>

namespace tune {

namespace {

std::string seconds_text(instant x) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(x).count()) + " s";
}

} // namespace

// -- Nodes that come.

cluster_commands cluster_plan::arrive(const node_arrival& who, node_profile what, instant now) {
  cluster_commands out;
  auto came = members_.arrive(who);
  if (came.how == membership::reception::stale)
    return out;
  if (came.how == membership::reception::returned) {
    take_back(who, std::move(what), came, out);
    return out;
  }
  if (came.how == membership::reception::replaces) {
    replace(who, out);
    static_cast<void>(members_.arrive(who));
  }
  join(who, std::move(what), now, out);
  return out;
}

/// A worker that ended its trials while this head was silent is not to blame, nor are its trials.
void cluster_plan::replace(const node_arrival& who, cluster_commands& out) {
  const auto began_anew = nodes_.find(who.node)->worker == who.worker && who.session != 0;
  if (!began_anew)
    return lose({who.node, "another node came under its name"}, out);
  const std::string why = "it heard nothing of this head for too long, ended its trials and began"
                          " anew";
  for (auto id : members_.open_on(who.node)) {
    const auto& x = *book_.find(id);
    if (x.attempt)
      out.emplace_back(cluster_cmd::tell_event{
          x.owner,
          on::ended{
              x.trial, *x.attempt, end_class::preempted, "node " + who.node + ": " + why, {}}});
  }
  lose({who.node, why}, out);
}

void cluster_plan::join(const node_arrival& who, node_profile what, instant now,
                        cluster_commands& out) {
  if (who.session != 0)
    newest_ = what.capacity;
  nodes_.came(who.node, {std::move(what), who.worker, who.session});
  out.emplace_back(cluster_cmd::attend{who.node});
  auto claims = awaited_.arrived(who);
  // Everything else that it still has was placed anew.
  std::vector<lease_id> kept;
  for (const auto& x : claims.running)
    kept.push_back(x.what.id);
  if (who.session != 0)
    out.emplace_back(cluster_cmd::keep{who.node, who.session, std::move(kept), true});
  if (auto left = flaps_.left(who.worker, now); who.session != 0 && left.count() > 0)
    return rest(who, left, now, out);
  serve(who.node, nodes_.find(who.node)->profile);
  take_over(who, std::move(claims), out);
  begin(who.node, out);
}

/// The node had these attempts of the head before: those that it knows go on, and the others end.
void cluster_plan::take_over(const node_arrival& who, awaited_attempts::claims what,
                             cluster_commands& out) {
  for (auto& x : what.running) {
    const auto id = x.what.id;
    adopt(std::move(x));
    members_.adopted(id, who.node);
    const auto as = members_.number_of(id);
    out.emplace_back(cluster_cmd::order{id, who.node, as.turn, as.session});
  }
  for (const auto& x : what.lost)
    end(x,
        x.has_begun ? "node " + who.node + " has nothing of it any more since its head died"
                    : "its launch had not reached node " + who.node + " when its head died",
        out);
}

void cluster_plan::adopt(awaited_attempt what) {
  book_.adopt(what.what, what.owner, what.trial, std::move(what.request), std::move(what.labels));
  book_.launched(what.what.id, what.attempt);
}

void cluster_plan::end(const awaited_attempt& what, const std::string& why,
                       cluster_commands& out) const {
  out.emplace_back(cluster_cmd::forget_order{what.what.id});
  out.emplace_back(cluster_cmd::tell_event{
      what.owner, on::ended{what.trial, what.attempt, end_class::preempted, why, {}}});
}

cluster_commands cluster_plan::await(awaited_attempt what) {
  cluster_commands out;
  book_.note_ran_before(what.owner);
  if (lets_nodes_in_)
    end(what, "its experiment went on after workers had been let in", out);
  else
    awaited_.add(std::move(what));
  return out;
}

cluster_commands cluster_plan::begin_wait(instant most) {
  cluster_commands out;
  lets_nodes_in_ = true;
  waited_ = awaited_.empty() && absent_.empty();
  book_.expect_nodes(!waited_);
  if (!waited_)
    out.emplace_back(cluster_cmd::end_wait_after{most});
  return out;
}

cluster_commands cluster_plan::end_wait() {
  cluster_commands out;
  waited_ = true;
  std::map<std::uint64_t, std::size_t> ended;
  for (const auto& x : awaited_.give_up()) {
    ++ended[x.owner];
    end(x, "node " + x.node() + " did not come back to the head that took the place of its own",
        out);
  }
  lose_absent(ended, out);
  book_.expect_nodes(false);
  grant(out);
  return out;
}

cluster_commands cluster_plan::knew(std::uint64_t owner, const std::vector<std::string>& nodes) {
  cluster_commands out;
  for (const auto& node : nodes) {
    if (nodes_.find(node) == nullptr)
      absent_.add(owner, node);
  }
  if (waited_)
    lose_absent({}, out);
  return out;
}

/// @param ended How many attempts of each owner ended with such nodes.
void cluster_plan::lose_absent(const std::map<std::uint64_t, std::size_t>& ended,
                               cluster_commands& out) {
  for (const auto& [owner, nodes] : absent_.give_up()) {
    const auto known = ended.find(owner);
    if (!tell(owner, absence_text(nodes, known == ended.end() ? 0 : known->second), out))
      continue;
    for (const auto& node : nodes) {
      out.emplace_back(cluster_cmd::tell_event{owner, on::node_down{node, absence_reason()}});
      notices_.lost(node, {owner});
    }
  }
}

cluster_commands cluster_plan::change(const std::string& node, node_profile what) {
  cluster_commands out;
  nodes_.came(node, {std::move(what)});
  begin(node, out);
  return out;
}

void cluster_plan::serve(const std::string& node, const node_profile& what) {
  book_.set_node(node, what.capacity, what.labels);
}

on::node_up cluster_plan::offer_of(const std::string& node, const node_profile& what) {
  return {node, what.capacity, labels_given(what.labels), taints_given(what.labels)};
}

/// Enters the node into the ledger, and announces it.
void cluster_plan::begin(const std::string& node, cluster_commands& out) {
  const auto& what = nodes_.find(node)->profile;
  absent_.came(node);
  serve(node, what);
  if (members_.is_away(node))
    book_.hold_all(node);
  announce(offer_of(node, what), out);
  tell_of_return(node, out);
  for (const auto& [owner, labels] : book_.labels_by_owner())
    tell_of_lack(node, owner, labels, out);
  grant(out);
  if (book_.has_unmet())
    tell_of_unmet(out);
}

// -- Nodes that were out of reach.

cluster_commands cluster_plan::cut_off(const std::string& node, const std::string& why,
                                       instant now) {
  cluster_commands out;
  const auto* known = nodes_.find(node);
  if (known != nullptr && known->session != 0)
    part(node);
  else
    break_off(node, why, now, out);
  return out;
}

void cluster_plan::part(const std::string& node) {
  members_.part(node);
  book_.hold_all(node);
}

/// The node was away, and nothing was placed anew: everything goes on where it left off.
void cluster_plan::take_back(const node_arrival& who, node_profile what,
                             const membership::arrival& came, cluster_commands& out) {
  auto& known = *nodes_.find(who.node);
  known.session = who.session;
  known.profile.route = what.route;
  out.emplace_back(cluster_cmd::attend{who.node});
  repeat(who.node, came, out);
  auto missed = std::exchange(known.missed, {});
  for (const auto& job : missed.jobs)
    out.emplace_back(cluster_cmd::end_job{who.node, job});
  for (auto& pause : missed.pauses)
    out.emplace_back(cluster_cmd::drop_pause{who.node, std::move(pause)});
  for (auto id : came.over)
    free(id, out);
  if (members_.is_leaving(who.node) || known.is_resting || held_.contains(who.node))
    return;
  serve(who.node, what);
  grant(out);
}

/// Leases it still has go on, and orders that did not reach it are sent again.
void cluster_plan::repeat(const std::string& node, const membership::arrival& came,
                          cluster_commands& out) {
  auto order = [&](lease_id id, membership::launch_number as) {
    out.emplace_back(cluster_cmd::order{id, node, as.turn, as.session});
  };
  out.emplace_back(cluster_cmd::keep{node, nodes_.find(node)->session, came.kept, false});
  for (auto id : came.known)
    order(id, members_.number_of(id));
  for (auto id : came.missed)
    order(id, *members_.launched(id));
  for (auto id : came.revoked)
    out.emplace_back(cluster_cmd::revoke{node, id});
}

cluster_commands cluster_plan::end_job(const std::string& job) {
  cluster_commands out;
  for (const auto& [node, x] : nodes_.all()) {
    if (members_.is_away(node))
      nodes_.find(node)->missed.jobs.insert(job);
    else
      out.emplace_back(cluster_cmd::end_job{node, job});
  }
  return out;
}

cluster_commands cluster_plan::drop_pause(const std::string& node, const pause_in_memory& what) {
  cluster_commands out;
  auto* known = nodes_.find(node);
  if (known != nullptr && members_.is_away(node))
    known->missed.pauses.push_back(what);
  else if (known != nullptr)
    out.emplace_back(cluster_cmd::drop_pause{node, what});
  return out;
}

// -- Nodes that are lost again and again.

void cluster_plan::rest(const node_arrival& who, instant left, instant now, cluster_commands& out) {
  auto& known = *nodes_.find(who.node);
  known.is_resting = true;
  known.rest_session = who.session;
  out.emplace_back(cluster_cmd::end_rest_after{who.node, who.session, left});
  if (!flaps_.is_news(who.worker, now))
    return;
  for (auto& x : tell_all("node " + who.node + " is back, but was lost "
                          + std::to_string(flaps_.losses(who.worker, now))
                          + " times of late: no trial goes there for " + seconds_text(left)))
    out.push_back(std::move(x));
}

cluster_commands cluster_plan::end_rest(const std::string& node, std::uint64_t session) {
  cluster_commands out;
  auto* known = nodes_.find(node);
  const auto is_it = known != nullptr && known->is_resting && known->rest_session == session;
  // A node that leaves meanwhile gets no trials, and stays unannounced.
  if (!is_it || members_.is_leaving(node))
    return out;
  known->is_resting = false;
  begin(node, out);
  return out;
}

// -- Nodes that go.

cluster_commands cluster_plan::silent(std::uint64_t session, const std::string& why, instant now) {
  cluster_commands out;
  if (auto node = members_.node_of(session))
    break_off(*node, why, now, out);
  return out;
}

cluster_commands cluster_plan::lost(const std::string& node, const std::string& why) {
  cluster_commands out;
  lose({node, why}, out);
  return out;
}

/// The node did not go by itself. Its losses count; a process that begins anew has a clean slate.
void cluster_plan::break_off(const std::string& node, std::string why, instant now,
                             cluster_commands& out) {
  const auto* known = nodes_.find(node);
  if (known == nullptr)
    return;
  const auto& worker = known->worker;
  flaps_.lost(worker, now);
  if (auto wait = flaps_.wait(worker, now); wait.count() > 0)
    why += "; lost " + std::to_string(flaps_.losses(worker, now))
           + " times of late, it gets no trials for " + seconds_text(wait);
  if (known->session != 0)
    tell_of_loss(node, why, out);
  lose({node, why, true}, out);
}

/// The node's processes are out of reach, or gone: its trials have to run elsewhere.
void cluster_plan::lose(const on::node_down& what, cluster_commands& out) {
  const auto& node = what.node;
  const auto* known = nodes_.find(node);
  if (known == nullptr)
    return;
  const auto was_announced = !known->is_resting;
  held_.erase(node);
  nodes_.lost(node);
  out.emplace_back(cluster_cmd::let_go{node});
  settle(out);
  book_.remove_node(node);
  if (was_announced)
    announce(what, out);
  for (auto id : members_.lose(node)) {
    out.emplace_back(cluster_cmd::forget_order{id});
    for (auto other : book_.lose(id))
      revoke(other, out);
  }
  grant(out);
  tell_of_fewer(out);
}

cluster_commands cluster_plan::leave(const std::string& node) {
  cluster_commands out;
  const auto* known = nodes_.find(node);
  if (known == nullptr || !members_.leave(node))
    return out;
  book_.remove_node(node);
  if (!known->is_resting)
    announce(on::node_leaving{node}, out);
  book_.drop_label(node_label(node));
  grant(out);
  tell_of_fewer(out);
  return out;
}

cluster_commands cluster_plan::dissolve() {
  cluster_commands out;
  is_dissolved_ = true;
  awaits_end_ = true;
  std::vector<std::string> away;
  for (const auto& [node, x] : nodes_.all()) {
    out.emplace_back(cluster_cmd::drain{node});
    if (members_.is_away(node))
      away.push_back(node);
  }
  for (const auto& node : away)
    lose({node, "the head ends"}, out);
  settle(out);
  return out;
}

void cluster_plan::settle(cluster_commands& out) {
  if (awaits_end_ && nodes_.size() == 0) {
    awaits_end_ = false;
    out.emplace_back(cluster_cmd::all_gone{});
  }
}

} // namespace tune

// What happens to experiments, and to their leases.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/cluster_plan.hpp"

#include "tune/core/cluster/node_labels.hpp"

#include <utility>
#include <vector>

namespace tune {

namespace {

/// Time that a new cluster has to come together before it is told what it lacks.
constexpr auto gathering_time = std::chrono::seconds{2};

} // namespace

// -- Experiments.

cluster_commands cluster_plan::enrol(std::uint64_t owner) {
  cluster_commands out;
  hearers_.insert(owner);
  for (const auto& [node, x] : nodes_.all()) {
    if (!x.is_resting)
      out.emplace_back(cluster_cmd::tell_event{owner, offer_of(node, x.profile)});
  }
  return out;
}

cluster_commands cluster_plan::stand(std::uint64_t owner, owner_standing what, queue_claim claim) {
  cluster_commands out;
  book_.stand(owner, std::move(what), claim);
  grant(out);
  return out;
}

cluster_commands cluster_plan::open_queue() {
  cluster_commands out;
  book_.open_queue();
  grant(out);
  return out;
}

cluster_status cluster_plan::status() const {
  cluster_status result{book_.total(), book_.used(), nodes_.size(), {}};
  for (const auto& [node, x] : nodes_.all()) {
    if (!members_.is_leaving(node))
      continue;
    const auto held = book_.held_on_removed(node);
    result.total += held;
    result.used += held;
    result.leaving.push_back(node);
  }
  return result;
}

cluster_commands cluster_plan::tell_all(const std::string& text) const {
  cluster_commands out;
  for (auto owner : hearers_)
    out.emplace_back(cluster_cmd::tell{owner, text});
  return out;
}

cluster_commands cluster_plan::enter(const lease_wish& what) {
  cluster_commands out;
  const auto entered = book_.enter(what);
  if (entered.is_refused) {
    out.emplace_back(cluster_cmd::refuse{what.owner, what.trial, to_text(*entered.why)});
    return out;
  }
  if (entered.why)
    plan_look(out);
  if (entered.is_first) {
    for (const auto& [node, x] : nodes_.all()) {
      if (members_.is_away(node))
        book_.hold(node, what.owner);
      tell_of_lack(node, what.owner, what.labels, out);
    }
  }
  grant(out);
  return out;
}

cluster_commands cluster_plan::forget(std::uint64_t owner) {
  cluster_commands out;
  hearers_.erase(owner);
  awaited_.forget(owner);
  absent_.forget(owner);
  for (auto id : book_.forget(owner))
    revoke(id, out);
  // Another one may be served now.
  grant(out);
  return out;
}

cluster_commands cluster_plan::look_for_unmet() {
  cluster_commands out;
  tell_of_unmet(out);
  return out;
}

void cluster_plan::plan_look(cluster_commands& out) {
  if (!is_dissolved_ && !std::exchange(looks_soon_, true))
    out.emplace_back(cluster_cmd::look_after{gathering_time});
}

/// The cluster has a node less. Who waits already hears at once what it has now; others may find
/// what they need at a node that comes soon.
void cluster_plan::tell_of_fewer(cluster_commands& out) {
  if (!is_dissolved_ && book_.has_unmet())
    tell_of_unmet(out);
  plan_look(out);
}

void cluster_plan::tell_of_unmet(cluster_commands& out) {
  looks_soon_ = false;
  for (auto& x : book_.unmet())
    out.emplace_back(cluster_cmd::tell_unmet{x.owner, std::move(x.text)});
}

// -- What they are told of nodes.

void cluster_plan::announce(const event_body& what, cluster_commands& out) const {
  for (auto owner : hearers_)
    out.emplace_back(cluster_cmd::tell_event{owner, what});
}

/// @returns whether the owner hears of nodes.
bool cluster_plan::tell(std::uint64_t owner, const std::string& text, cluster_commands& out) const {
  if (!hearers_.contains(owner))
    return false;
  out.emplace_back(cluster_cmd::tell{owner, text});
  return true;
}

/// People read this once for each trainable and node, however often they are told.
void cluster_plan::tell_of_lack(const std::string& node, std::uint64_t owner,
                                const node_labels& asked, cluster_commands& out) const {
  for (const auto& label : nodes_.missing_trainables(node, asked))
    out.emplace_back(
        cluster_cmd::tell{owner,
                          "worker " + node + " has no " + label
                              + ": it runs another program, and gets no trial of this experiment; "
                                "a [trainable] plugin would come along",
                          "lack of " + label + " at " + node});
}

/// Tells the owners whose trials were there, or if there are none, whoever runs this head.
void cluster_plan::tell_of_loss(const std::string& node, const std::string& why,
                                cluster_commands& out) {
  const auto leaves = members_.is_leaving(node);
  std::vector<std::uint64_t> told;
  for (const auto& [owner, trials] : book_.trials_of(members_.open_on(node))) {
    if (tell(owner, loss_text(node, why, trials.size(), leaves), out))
      told.push_back(owner);
  }
  if (told.empty())
    out.emplace_back(cluster_cmd::say{loss_text(node, why, 0, leaves)});
  notices_.lost(node, std::move(told));
}

void cluster_plan::tell_of_return(const std::string& node, cluster_commands& out) {
  const auto who = notices_.back(node);
  if (!who)
    return;
  auto is_told = false;
  for (auto owner : *who)
    is_told = tell(owner, return_text(node), out) || is_told;
  if (!is_told)
    out.emplace_back(cluster_cmd::say{return_text(node)});
}

// -- Leases.

namespace {

/// The first node of the lease that cannot enforce its limit of memory; empty: there is none.
std::string unlimited_node(const lease& what, const known_nodes& nodes) {
  for (const auto& x : what.bundles) {
    const auto* node = x.what.memory > 0 ? nodes.find(x.node) : nullptr;
    if (node != nullptr && node->profile.labels.contains(memory_only_counted_label))
      return x.node;
  }
  return {};
}

/// People are told once of all such nodes.
cluster_command text_of_unlimited(std::uint64_t owner, const std::string& node) {
  return cluster_cmd::tell{owner,
                           "[resources] memory: only counted, not enforced at node " + node
                               + " (others are not named): no control group can be made there that "
                                 "limits memory; see `tune-node doctor` there",
                           "memory that is only counted"};
}

} // namespace

void cluster_plan::grant(cluster_commands& out) {
  for (auto& x : book_.grant_what_fits()) {
    members_.granted(x.what.id, x.node);
    if (const auto node = unlimited_node(x.what, nodes_); !node.empty())
      out.emplace_back(text_of_unlimited(x.owner, node));
    out.emplace_back(cluster_cmd::grant{x.owner, x.trial, std::move(x.what), std::move(x.node)});
  }
  for (auto owner : book_.take_newly_served())
    out.emplace_back(cluster_cmd::moved{owner});
  for (auto owner : book_.take_newly_waiting())
    out.emplace_back(cluster_cmd::moved{owner});
  make_room(out);
}

void cluster_plan::make_room(cluster_commands& out) {
  for (const auto& [id, for_whom] : book_.make_room()) {
    const auto& x = *book_.find(id);
    const auto taker = called(book_.standing_of(for_whom));
    out.emplace_back(cluster_cmd::make_room{x.owner, x.trial, id, taker});
  }
}

/// People are told once of each who needs room; how often it happens can be looked up.
cluster_commands cluster_plan::note_room_made(std::uint64_t owner, const std::string& for_whom) {
  book_.note_room_made(owner, for_whom);
  cluster_commands out;
  out.emplace_back(cluster_cmd::tell{owner,
                                     "trials of higher priority wait, those of " + for_whom
                                         + ": some of this experiment save and pause for them,"
                                           " and go on when there is room again",
                                     "room for " + for_whom});
  return out;
}

cluster_commands cluster_plan::note_saving(std::uint64_t owner, bool can_save) {
  cluster_commands out;
  book_.note_saving(owner, can_save);
  grant(out);
  return out;
}

std::optional<lease_id> cluster_plan::begin_rank(lease_id whole, std::uint32_t rank,
                                                 const std::string& node) {
  if (nodes_.find(node) == nullptr)
    return std::nullopt;
  auto part = book_.begin_rank(whole, rank, node);
  if (part)
    members_.granted(*part, node);
  return part;
}

/// A node that is away gets the order when it is back.
cluster_commands cluster_plan::launch(lease_id which, attempt_id attempt) {
  cluster_commands out;
  const auto number = members_.launched(which);
  if (!number)
    return out;
  book_.launched(which, attempt);
  out.emplace_back(
      cluster_cmd::order{which, *members_.node_of(which), number->turn, number->session});
  return out;
}

cluster_commands cluster_plan::over(lease_id which) {
  cluster_commands out;
  free(which, out);
  return out;
}

void cluster_plan::free(lease_id which, cluster_commands& out) {
  const auto was_awaited = awaited_.remove(which);
  if (members_.over(which) || was_awaited)
    out.emplace_back(cluster_cmd::forget_order{which});
  auto ended = book_.over(which);
  if (ended.rest)
    out.emplace_back(
        cluster_cmd::end_hold_after{ended.rest->owner, ended.rest->node, ended.rest->rest});
  if (ended.is_free)
    grant(out);
}

/// A node that is away hears of it when it is back.
void cluster_plan::revoke(lease_id which, cluster_commands& out) {
  // None if the part was on the lost node itself, as several parts of a lease may be.
  if (auto node = members_.revoke(which))
    out.emplace_back(cluster_cmd::revoke{*node, which});
}

cluster_commands cluster_plan::decline(lease_id which, const std::string& why, bool is_passing) {
  cluster_commands out;
  const auto refused = book_.decline(which, is_passing);
  if (!refused)
    return out;
  const auto& [owner, node, rest] = refused->what;
  out.emplace_back(cluster_cmd::end_hold_after{owner, node, rest});
  const auto text = "node " + node + " is not ready for it: " + why;
  if (refused->is_hopeless)
    out.emplace_back(
        cluster_cmd::tell_event{owner, on::interrupted{"no node is ready for it: " + text}});
  else
    out.emplace_back(cluster_cmd::tell{owner, text + "; no trial goes there for "
                                                  + std::to_string(rest.length.count()) + " s"});
  return out;
}

cluster_commands cluster_plan::end_hold(std::uint64_t owner, const std::string& node,
                                        unsigned times) {
  cluster_commands out;
  if (!book_.ends(owner, node, times) || members_.is_away(node))
    return out;
  book_.unhold(node, owner);
  grant(out);
  return out;
}

} // namespace tune

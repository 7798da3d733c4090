// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/lease_book.hpp"

#include "tune/core/cluster/making_room.hpp"
#include "tune/core/cluster/node_labels.hpp"
#include "tune/core/resource/demands.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tune {

// -- Nodes.

void lease_book::set_node(const std::string& node, const resources& capacity, node_labels labels) {
  labels.insert(node_label(node));
  nodes_.set(node, capacity, std::move(labels));
  renew(node);
  ready_.forget_node(node);
  possible_.reset();
  nodes_changed_ = true;
  order_.set_total(books_.total());
  wake();
}

/// Tells the ledger all that is known of the node.
void lease_book::renew(const std::string& node) {
  const auto& x = *nodes_.find(node);
  books_.set_node(node, x.capacity, nodes_.labels_of(node));
  for (auto owner : x.closed_to)
    books_.hold(node, owner);
}

void lease_book::remove_node(const std::string& node) {
  possible_.reset();
  nodes_changed_ = true;
  nodes_.remove(node);
  books_.remove_node(node);
  order_.set_total(books_.total());
}

void lease_book::hold(const std::string& node, std::uint64_t owner) {
  nodes_.close(node, owner);
  books_.hold(node, owner);
}

void lease_book::hold_all(const std::string& node) {
  for (auto owner : owners_)
    hold(node, owner);
}

void lease_book::unhold(const std::string& node, std::uint64_t owner) {
  nodes_.open(node, owner);
  books_.unhold(node, owner);
  wake();
}

// -- Owners.

void lease_book::stand(std::uint64_t owner, owner_standing what, queue_claim claim) {
  order_.enter(owner, std::move(what), claim);
}

/// What is there for such a request of this owner.
room_on_nodes lease_book::room_for(const resource_request& what, const node_labels& labels,
                                   std::uint64_t owner) const {
  auto result = books_.room_with(demands_of(labels));
  result.awaited = books_.awaited_node(what, labels, owner);
  // Another node than the best one is room, too.
  if (!books_.has_room_for(what, demands_of(labels), owner))
    result.scattered = what.bundles.size() == 1
                           ? "no node has " + to_text(what.bundles.front()) + " free at once"
                           : "the nodes have no room at once for " + to_text(what);
  for (const auto& line : order_.lines()) {
    if (books_.has_node_with(demands_of(line.what->labels), result.nodes))
      result.rivals.insert(line.owner);
  }
  return result;
}

allocation_view lease_book::view_of(std::uint64_t owner) const {
  const auto* waiting = order_.waiting_of(owner);
  auto result = waiting == nullptr
                    ? order_.view_of(owner)
                    : order_.view_of(owner, room_for(waiting->what, waiting->labels, owner));
  if (auto known = made_room_.find(owner); known != made_room_.end())
    std::tie(result.made_room, result.made_room_for)
        = std::tie(known->second.times, known->second.for_whom);
  return result;
}

// -- Requests.

void lease_book::learn(const node_labels& asked, std::uint64_t owner) {
  for (const auto& node : nodes_.learn(asked, owner))
    renew(node);
}

std::optional<error> lease_book::impossible(const resource_request& what, const node_labels& labels,
                                            std::uint64_t owner) {
  const auto asked = asked_of_nodes(labels);
  learn(asked, owner);
  // First: no node that may still come changes it.
  if (auto why = order_.beyond_quota(owner, what); !why.empty())
    return error{ec::impossible_request, std::move(why)};
  return books_.impossible(what, asked);
}

lease_book::reception lease_book::enter(const lease_wish& what) {
  reception result;
  learn(asked_of_nodes(what.labels), what.owner);
  if (std::pair asked{what.what, what.labels}; possible_ != asked) {
    result.why = books_.impossible(what.what, asked_of_nodes(what.labels));
    if (!result.why)
      possible_ = std::move(asked);
  }
  if (auto why = order_.beyond_quota(what.owner, what.what); !why.empty())
    result.why = error{ec::impossible_request, std::move(why)};
  result.is_refused = result.why && !what.waits;
  if (result.is_refused)
    return result;
  withdraw(what.owner, what.trial);
  result.is_first = owners_.insert(what.owner).second;
  auto labels = labels_of(what);
  const auto token = waiting_.add({what.owner, what.trial, what.what, labels});
  line_up(token, what.owner, {what.what, asked_of_nodes(std::move(labels))});
  return result;
}

node_labels lease_book::labels_of(const lease_wish& what) {
  auto result = what.labels;
  if (!what.best.empty())
    result.insert(what.best);
  return !what.best.empty() && books_.impossible(what.what, asked_of_nodes(result)) ? what.labels
                                                                                    : result;
}

void lease_book::withdraw(std::uint64_t owner, trial_id trial) {
  if (auto token = waiting_.remove(owner, trial))
    order_.remove(*token);
}

std::vector<lease_id> lease_book::forget(std::uint64_t owner) {
  owners_.erase(owner);
  ready_.forget_owner(owner);
  unmet_.forget(owner);
  for (auto token : waiting_.remove_all(owner))
    order_.remove(token);
  order_.leave(owner);
  nodes_.forget(owner);
  made_room_.erase(owner);
  unsaving_.erase(owner);
  std::vector<lease_id> result;
  for (const auto& [id, x] : leases_) {
    if (x.owner == owner)
      result.push_back(id);
  }
  return result;
}

void lease_book::drop_label(const std::string& label) {
  for (auto token : waiting_.drop_label(label)) {
    const auto& x = waiting_.all().at(token);
    order_.remove(token);
    line_up(token, x.owner, {x.what, asked_of_nodes(x.labels)});
  }
}

// -- Requests that no node could ever grant.

void lease_book::line_up(std::uint64_t token, std::uint64_t owner, allocation_order::shape what) {
  const auto unmet = order_.has_queue() && is_unmet(owner, what);
  order_.add(token, owner, std::move(what), unmet);
}

/// Without any node it is not known what nodes will come: then nothing is unmet.
bool lease_book::is_unmet(std::uint64_t owner, const allocation_order::shape& what) const {
  const auto is_known = possible_ && possible_->first == what.what
                        && asked_of_nodes(possible_->second) == what.labels;
  return (!is_known && !nodes_.empty() && !expects_nodes_
          && books_.impossible(what.what, what.labels))
         || !order_.beyond_quota(owner, what.what).empty();
}

/// Their experiments shall keep no place in the queue from others.
void lease_book::note_unmet() {
  if (!std::exchange(nodes_changed_, false) || !order_.has_queue())
    return;
  auto lines = order_.lines();
  std::map<allocation_order::shape, bool> known;
  std::erase_if(lines, [&](const auto& x) {
    auto [found, is_new] = known.try_emplace(*x.what);
    if (is_new)
      found->second = !nodes_.empty() && !expects_nodes_
                      && books_.impossible(x.what->what, x.what->labels).has_value();
    return !found->second && order_.beyond_quota(x.owner, x.what->what).empty();
  });
  order_.set_unmet(lines);
}

void lease_book::wake() {
  misfits_.clear();
  order_.wake();
}

/// What does not fit for one owner fits for no other, unless nodes are closed to it.
std::optional<lease> lease_book::try_to_grant(const allocation_order::candidate& what) {
  if (misfits_.contains(*what.what))
    return std::nullopt;
  auto result = grant_in(books_, what.owner, *what.what);
  if (!result && !nodes_.is_closed_somewhere(what.owner))
    misfits_.insert(*what.what);
  return result;
}

std::vector<lease_book::grant> lease_book::grant_what_fits() {
  note_unmet();
  std::vector<grant> result;
  while (auto tried = order_.next()) {
    auto given = try_to_grant(*tried);
    if (!given) {
      order_.set_aside(*tried);
      continue;
    }
    order_.grant(*tried, given->id);
    auto asked = waiting_.take(tried->token);
    const auto id = given->id;
    const auto node = given->bundles.front().node;
    const auto refusals = ready_.refusals({asked.owner, node});
    result.push_back({asked.owner, asked.trial, std::move(*given), node});
    parts_.granted(id);
    note_places(result.back().what);
    leases_[id] = {asked.owner, asked.trial, std::move(asked.what), std::move(asked.labels),
                   node,        refusals};
  }
  return result;
}

std::vector<unmet_requests::notice> lease_book::unmet() {
  std::vector<ledger::stranded> found;
  for (const auto& x : order_.lines()) {
    if (auto why = impossible(x.what->what, x.what->labels, x.owner))
      found.push_back({x.owner, why->detail});
  }
  return unmet_.update(found);
}

// -- Leases.

const lease_book::holder* lease_book::find(lease_id which) const {
  auto known = leases_.find(which);
  return known == leases_.end() ? nullptr : &known->second;
}

void lease_book::launched(lease_id which, attempt_id attempt) {
  leases_.at(which).attempt = attempt;
}

void lease_book::adopt(const lease& what, std::uint64_t owner, trial_id trial,
                       resource_request request, node_labels labels) {
  const auto& node = what.bundles.front().node;
  learn(asked_of_nodes(labels), owner);
  books_.adopt(what, owner);
  order_.adopt(what.id, owner, sum_of(request));
  owners_.insert(owner);
  parts_.granted(what.id);
  note_places(what);
  leases_[what.id]
      = {owner, trial, std::move(request), std::move(labels), node, ready_.refusals({owner, node})};
}

std::optional<lease_id> lease_book::begin_rank(lease_id whole, std::uint32_t rank,
                                               const std::string& node) {
  auto part = parts_.begin(whole, rank);
  if (!part)
    return std::nullopt;
  const auto& of = leases_.at(whole);
  leases_[*part]
      = {of.owner, of.trial, of.what, of.labels, node, ready_.refusals({of.owner, node})};
  return part;
}

lease_book::ending lease_book::over(lease_id which) {
  ending result;
  if (auto gone = leases_.extract(which); gone && !gone.mapped().is_declined) {
    const auto& x = gone.mapped();
    if (auto rest = ready_.was_ready({x.owner, x.node}, x.refusals))
      result.rest = pause{x.owner, x.node, *rest};
  }
  if (auto whole = parts_.over(which))
    result.is_free = release(*whole);
  return result;
}

std::vector<lease_id> lease_book::lose(lease_id which) {
  leases_.erase(which);
  auto left = parts_.lose(which);
  if (left.freed)
    release(*left.freed);
  return std::move(left.to_revoke);
}

// -- Nodes that are not ready.

std::optional<lease_book::refusal> lease_book::decline(lease_id which, bool is_passing) {
  auto known = leases_.find(which);
  if (known == leases_.end())
    return std::nullopt;
  auto& x = known->second;
  x.is_declined = true;
  const auto rest = ready_.refused({x.owner, x.node}, x.refusals, is_passing);
  if (!rest)
    return std::nullopt;
  hold(x.node, x.owner);
  return refusal{{x.owner, x.node, *rest}, is_hopeless(x)};
}

bool lease_book::is_hopeless(const holder& whose) const {
  const auto never = ready_.never_ready(whose.owner);
  const auto asked = asked_of_nodes(whose.labels);
  return !never.empty() && !books_.impossible(whose.what, asked)
         && books_.impossible(whose.what, asked, never);
}

bool lease_book::ends(std::uint64_t owner, const std::string& node, unsigned times) const {
  return ready_.ends({owner, node}, times);
}

void lease_book::note_places(const lease& what) {
  for (const auto& x : what.bundles) {
    if (places_[what.id].insert(x.node).second)
      ++uses_[x.node];
  }
}

bool lease_book::release(lease_id whole) {
  if (auto gone = places_.extract(whole)) {
    for (const auto& node : gone.mapped()) {
      if (--uses_.at(node) == 0)
        uses_.erase(node);
    }
  }
  order_.free(whole);
  if (making_room_.erase(whole) > 0)
    note_floor();
  const auto was_known = books_.release(whole);
  wake();
  return was_known;
}

// -- What is there.

node_labels lease_book::labels_of(const std::string& node) const {
  return nodes_.find(node) == nullptr ? node_labels{} : nodes_.labels_of(node);
}

std::vector<pending_request> lease_book::pending() const {
  std::map<std::pair<resource_request, node_labels>, std::uint64_t> counts;
  // What the quotas allow of each user's requests together.
  std::map<std::string, holding> more;
  std::map<allocation_order::shape, std::uint64_t> aside;
  for (const auto& x : order_.lines()) {
    if (order_.stands_aside(x.owner) && aside[*x.what]++ >= order_.places_left())
      continue;
    const auto count = order_.lacking_room(x, more[order_.standing_of(x.owner).user]);
    if (count > 0)
      counts[{x.what->what, demands_of(x.what->labels)}] += count;
  }
  std::vector<pending_request> result;
  for (auto& [what, count] : counts)
    result.push_back({what.first, count, what.second});
  return result;
}

std::map<std::uint64_t, std::set<trial_id>>
lease_book::trials_of(const std::vector<lease_id>& which) const {
  std::map<std::uint64_t, std::set<trial_id>> result;
  for (auto id : which) {
    const auto& x = leases_.at(id);
    result[x.owner].insert(x.trial);
  }
  return result;
}

std::map<std::uint64_t, node_labels> lease_book::labels_by_owner() const {
  std::map<std::uint64_t, node_labels> result;
  for (const auto& [token, x] : waiting_.all())
    result.try_emplace(x.owner, x.labels);
  for (const auto& [id, x] : leases_)
    result.try_emplace(x.owner, x.labels);
  return result;
}

} // namespace tune

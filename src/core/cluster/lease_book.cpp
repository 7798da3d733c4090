// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/lease_book.hpp"

#include "tune/core/cluster/node_labels.hpp"

namespace tune {

// -- Nodes.

void lease_book::set_node(const std::string& node, const resources& capacity, node_labels labels) {
  labels.insert(node_label(node));
  books_.set_node(node, capacity, std::move(labels));
  ready_.forget_node(node);
  possible_.reset();
}

void lease_book::remove_node(const std::string& node) {
  possible_.reset();
  books_.remove_node(node);
}

void lease_book::hold_all(const std::string& node) {
  for (auto owner : owners_)
    books_.hold(node, owner);
}

// -- Requests.

std::optional<error> lease_book::impossible(const resource_request& what,
                                            const node_labels& labels) const {
  return books_.impossible(what, labels);
}

lease_book::reception lease_book::enter(const lease_wish& what) {
  reception result;
  if (std::pair asked{what.what, what.labels}; possible_ != asked) {
    result.why = books_.impossible(what.what, what.labels);
    result.is_refused = result.why && !what.waits;
    if (result.is_refused)
      return result;
    if (!result.why)
      possible_ = std::move(asked);
  }
  withdraw(what.owner, what.trial);
  result.is_first = owners_.insert(what.owner).second;
  auto labels = labels_of(what);
  const auto token = waiting_.add({what.owner, what.trial, what.what, labels});
  books_.enqueue(token, what.what, std::move(labels), what.owner);
  return result;
}

node_labels lease_book::labels_of(const lease_wish& what) const {
  auto result = what.labels;
  if (!what.best.empty())
    result.insert(what.best);
  return !what.best.empty() && books_.impossible(what.what, result) ? what.labels : result;
}

void lease_book::withdraw(std::uint64_t owner, trial_id trial) {
  if (auto token = waiting_.remove(owner, trial))
    books_.cancel(*token);
}

std::vector<lease_id> lease_book::forget(std::uint64_t owner) {
  owners_.erase(owner);
  ready_.forget_owner(owner);
  unmet_.forget(owner);
  for (auto token : waiting_.remove_all(owner))
    books_.cancel(token);
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
    books_.enqueue(token, x.what, x.labels, x.owner);
  }
}

std::vector<lease_book::grant> lease_book::grant_what_fits() {
  std::vector<grant> result;
  for (auto& given : books_.grant()) {
    auto asked = waiting_.take(given.token);
    const auto id = given.what.id;
    const auto node = given.what.bundles.front().node;
    const auto refusals = ready_.refusals({asked.owner, node});
    result.push_back({asked.owner, asked.trial, std::move(given.what), node});
    parts_.granted(id);
    note_places(result.back().what);
    leases_[id] = {asked.owner, asked.trial, std::move(asked.what), std::move(asked.labels),
                   node,        refusals};
  }
  return result;
}

std::vector<unmet_requests::notice> lease_book::unmet() {
  return unmet_.update(books_.stranded_requests());
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
  books_.adopt(what, owner);
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
  books_.hold(x.node, x.owner);
  return refusal{{x.owner, x.node, *rest}, is_hopeless(x)};
}

bool lease_book::is_hopeless(const holder& whose) const {
  const auto never = ready_.never_ready(whose.owner);
  return !never.empty() && !books_.impossible(whose.what, whose.labels)
         && books_.impossible(whose.what, whose.labels, never);
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
  return books_.release(whole);
}

// -- What is there.

std::vector<pending_request> lease_book::pending() const {
  std::map<resource_request, std::uint64_t> counts;
  for (const auto& [token, x] : waiting_.all())
    ++counts[x.what];
  std::vector<pending_request> result;
  for (auto& [what, count] : counts)
    result.push_back({what, count});
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

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/making_room.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

std::optional<lease> granted_without(ledger books, std::uint64_t owner,
                                     const allocation_order::shape& what,
                                     const std::vector<lease_id>& ended) {
  for (auto id : ended)
    books.release(id);
  return grant_in(books, owner, what);
}

std::vector<lease_id> first_of(const std::vector<endable_lease>& all, std::size_t count) {
  std::vector<lease_id> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(all[i].id);
  return result;
}

bool is_on_any(const endable_lease& x, const std::vector<bundle_grant>& bundles) {
  return std::any_of(bundles.begin(), bundles.end(),
                     [&](const auto& each) { return x.nodes.contains(each.node); });
}

} // namespace

std::optional<lease> grant_in(ledger& books, std::uint64_t owner,
                              const allocation_order::shape& what) {
  constexpr std::uint64_t token = 1;
  books.enqueue(token, what.what, what.labels, owner);
  auto granted = books.grant();
  if (granted.empty()) {
    books.cancel(token);
    return std::nullopt;
  }
  return std::move(granted.front().what);
}

std::vector<lease_id> leases_in_the_way(const ledger& books, std::uint64_t owner,
                                        const allocation_order::shape& what,
                                        const std::vector<endable_lease>& may_end) {
  if (may_end.empty() || !granted_without(books, owner, what, first_of(may_end, may_end.size())))
    return {};
  // The shortest beginning of the list that is enough: more of it always is, too.
  std::size_t too_few = 0;
  auto enough = may_end.size();
  while (too_few + 1 < enough) {
    const auto middle = too_few + (enough - too_few) / 2;
    const auto fits = granted_without(books, owner, what, first_of(may_end, middle));
    (fits ? enough : too_few) = middle;
  }
  const auto where = granted_without(books, owner, what, first_of(may_end, enough));
  std::vector<lease_id> result;
  for (std::size_t i = 0; i < enough; ++i) {
    if (is_on_any(may_end[i], where->bundles))
      result.push_back(may_end[i].id);
  }
  // Each that is not needed goes on, the worst to end first.
  for (auto i = result.size(); i-- > 0;) {
    auto without = result;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (granted_without(books, owner, what, without))
      result = std::move(without);
  }
  return result;
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/lease_parts.hpp"

namespace tune {

void lease_parts::granted(lease_id whole) {
  leases_[whole] = {{whole}, false};
  wholes_[whole] = whole;
}

std::optional<lease_id> lease_parts::begin(lease_id whole, std::uint32_t rank) {
  auto known = leases_.find(whole);
  if (known == leases_.end() || known->second.is_ending)
    return std::nullopt;
  const lease_id part{whole.number + rank};
  if (!known->second.open.insert(part).second)
    return std::nullopt;
  wholes_[part] = whole;
  return part;
}

std::optional<lease_id> lease_parts::over(lease_id part) {
  auto whole = whole_of(part);
  if (!whole)
    return std::nullopt;
  if (part == *whole)
    leases_.at(*whole).is_ending = true;
  return close(part, *whole);
}

lease_parts::loss lease_parts::lose(lease_id part) {
  auto whole = whole_of(part);
  if (!whole)
    return {};
  loss result;
  leases_.at(*whole).is_ending = true;
  result.freed = close(part, *whole);
  if (!result.freed) {
    const auto& open = leases_.at(*whole).open;
    result.to_revoke.assign(open.begin(), open.end());
  }
  return result;
}

std::optional<lease_id> lease_parts::whole_of(lease_id part) const {
  auto known = wholes_.find(part);
  return known == wholes_.end() ? std::nullopt : std::optional{known->second};
}

/// @returns the lease if this was its last open part.
std::optional<lease_id> lease_parts::close(lease_id part, lease_id whole) {
  wholes_.erase(part);
  auto known = leases_.find(whole);
  known->second.open.erase(part);
  if (!known->second.open.empty())
    return std::nullopt;
  leases_.erase(known);
  return whole;
}

} // namespace tune

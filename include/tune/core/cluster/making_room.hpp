/// Which leases have to end so that a request fits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/allocation_order.hpp"
#include "tune/core/resource/ledger.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tune {

/// Has a ledger with no waiting requests grant a request. @returns the lease, or nothing if it does
/// not fit now.
[[nodiscard]] std::optional<lease> grant_in(ledger& books, std::uint64_t owner,
                                            const allocation_order::shape& what);

/// A lease that may be ended.
struct endable_lease {
  lease_id id;
  /// The nodes of its bundles.
  std::set<std::string> nodes;
};

/// The leases to end so that the request fits: as few as one look at each of them shows, and those
/// that come first rather than others. Empty if all together would not do.
///
/// Costs about log(n) copies of the books for n leases, and one for each lease on the nodes that
/// would take the request.
/// @param books    With no waiting requests.
/// @param may_end  Leases that may be ended, the best ones first.
[[nodiscard]] std::vector<lease_id> leases_in_the_way(const ledger& books, std::uint64_t owner,
                                                      const allocation_order::shape& what,
                                                      const std::vector<endable_lease>& may_end);

} // namespace tune

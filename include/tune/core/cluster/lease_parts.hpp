/// The open allocations of each lease, if its bundles run one rank each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace tune {

/// The head's account of leases by allocation. A lease of n bundles has n numbers: its own number
/// also names the allocation for its first bundle, and the n - 1 numbers after it name the others.
///
/// Its promise: **a lease is free once none of its allocations runs on any node**, and no further
/// allocation begins once one of them is lost, or the first one is over.
class lease_parts {
public:
  /// The lease was granted: its first allocation is open.
  void granted(lease_id whole);

  /// A further rank is to run. @param rank Index of its bundle. [>= 1]
  /// @returns the number of its allocation, which is open now; empty if the lease is ending or the
  ///          rank was begun before.
  [[nodiscard]] std::optional<lease_id> begin(lease_id whole, std::uint32_t rank);

  /// Nothing of an allocation runs any more. After the end of the first one no further one begins.
  /// @returns the lease, if it is free now; empty for an unknown allocation.
  [[nodiscard]] std::optional<lease_id> over(lease_id part);

  struct loss {
    /// Other allocations of the lease, which are no longer wanted.
    std::vector<lease_id> to_revoke = {};
    /// The lease, if it is free now.
    std::optional<lease_id> freed = {};
  };
  /// The node of an allocation was lost.
  [[nodiscard]] loss lose(lease_id part);

  /// The lease of an allocation; empty if the allocation is not open.
  [[nodiscard]] std::optional<lease_id> whole_of(lease_id part) const;
  /// Number of leases that are not free.
  [[nodiscard]] std::size_t size() const { return leases_.size(); }

private:
  struct account {
    std::set<lease_id> open;
    bool is_ending = false;
  };

  std::map<lease_id, account> leases_;
  /// The lease of each open allocation.
  std::map<lease_id, lease_id> wholes_;

  std::optional<lease_id> close(lease_id part, lease_id whole);
};

} // namespace tune

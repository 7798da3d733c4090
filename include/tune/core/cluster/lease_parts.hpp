/// Which allocations of a lease are open, where its bundles run a rank each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace tune {

/// The head's account of leases by allocation. A lease of n bundles has n numbers: its own is that
/// of the allocation for its first bundle, and those behind it are for the others.
///
/// Its promise: **a lease is free when nothing of it runs on any node**, and nothing more of it
/// begins once one of its allocations is over where it must not be, or lost.
class lease_parts {
public:
  /// The lease was granted: its first allocation is open.
  void granted(lease_id whole);

  /// A further rank is to run. @param rank Index of its bundle. [>= 1]
  /// @returns the number of its allocation, which is open now; nothing where the lease ends, or it
  ///          was begun before.
  [[nodiscard]] std::optional<lease_id> begin(lease_id whole, std::uint32_t rank);

  /// Nothing of an allocation runs any more. After the first one's end no further begins.
  /// @returns the lease, if it is free now; nothing for what is not known.
  [[nodiscard]] std::optional<lease_id> over(lease_id part);

  struct loss {
    /// Other allocations of the lease, which nobody wants any more.
    std::vector<lease_id> to_revoke = {};
    /// The lease, if it is free now.
    std::optional<lease_id> freed = {};
  };
  /// The node of an allocation was lost.
  [[nodiscard]] loss lose(lease_id part);

  /// The lease of an allocation; nothing: it is not open.
  [[nodiscard]] std::optional<lease_id> whole_of(lease_id part) const;
  /// Leases that are not free.
  [[nodiscard]] std::size_t size() const { return leases_.size(); }

private:
  struct account {
    std::set<lease_id> open;
    bool is_ending = false;
  };

  std::map<lease_id, account> leases_;
  /// By open allocation.
  std::map<lease_id, lease_id> wholes_;

  std::optional<lease_id> close(lease_id part, lease_id whole);
};

} // namespace tune

/// Notices to owners of requests that no node can ever grant.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/resource/ledger.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tune {

/// Remembers the last notice to each owner, so that each is told of changes only.
class unmet_requests {
public:
  struct notice {
    std::uint64_t owner = 0;
    /// Text that says what the owner's requests wait for, and what would end the wait; empty: all
    /// can be granted again, though perhaps not now.
    std::string text;
  };

  /// @param now All requests that cannot be granted.
  /// @returns notices for the owners for whom something changed, in order of owners.
  [[nodiscard]] std::vector<notice> update(const std::vector<ledger::stranded>& now);

  /// The owner is gone.
  void forget(std::uint64_t owner) { told_.erase(owner); }

  /// Whether some owner was told that requests wait.
  [[nodiscard]] bool any() const { return !told_.empty(); }

private:
  std::map<std::uint64_t, std::string> told_;
};

} // namespace tune

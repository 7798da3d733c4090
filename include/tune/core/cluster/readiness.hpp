/// Nodes that were not ready for trials of an owner, and how long they are left out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace tune {

struct readiness_rules {
  /// Pause of a node after its first refusal; each further one in a row pauses it `growth` times as
  /// long.
  std::chrono::seconds first{1};
  int growth = 4;
  std::chrono::seconds longest{256};
  /// Longest pause if the node lacks something that it may have again in a moment: processes,
  /// descriptors, memory.
  std::chrono::seconds longest_passing{30};
  /// Refusals in a row after which a node counts as never ready. Passing shortages do not count.
  unsigned most_refusals = 3;
};

/// A back-off for each pair of an owner of trials and a node, as a value. A node's not being ready
/// is not the trial's fault, but the next trial must not be sent there at once.
class readiness {
public:
  /// @param owner The owner's number in the ledger.
  using pair = std::pair<std::uint64_t, std::string>;

  explicit readiness(readiness_rules rules = {}) : rules_{rules} {}

  /// Number of times in a row that the node was not ready for the owner. An allocation remembers
  /// it.
  [[nodiscard]] unsigned refusals(const pair& of) const;

  /// Time for which a node is left out.
  struct pause {
    std::chrono::seconds length{0};
    /// Number of refusals up to this pause: see `ends`.
    unsigned times = 0;
  };
  /// The node was not ready for an allocation.
  /// @param seen Value of `refusals` when the allocation was granted: one that was granted before
  ///             the last refusal was known tells nothing new.
  /// @returns empty if it tells nothing new.
  std::optional<pause> refused(const pair& of, unsigned seen, bool is_passing);
  /// An allocation is over that the node was ready for; `refusals` was `seen` when it was granted.
  /// @returns the rest of the pause if that is due to a lack of what the allocation gave back;
  ///          empty if nothing changes.
  std::optional<pause> was_ready(const pair& of, unsigned seen);
  /// Whether the pause that began with refusal number `times` is the present one.
  [[nodiscard]] bool ends(const pair& of, unsigned times) const;

  /// Nodes that are never ready for the owner.
  [[nodiscard]] std::set<std::string> never_ready(std::uint64_t owner) const;

  /// The node arrived anew, or the owner is gone: its refusals no longer count.
  void forget_node(const std::string& node);
  void forget_owner(std::uint64_t owner);

private:
  struct count {
    unsigned times = 0;
    /// Latest refusals in a row that do not pass by themselves.
    unsigned lasting = 0;
  };

  readiness_rules rules_;
  std::map<pair, count> counts_;

  [[nodiscard]] std::chrono::seconds length(unsigned times, bool is_passing) const;
};

} // namespace tune

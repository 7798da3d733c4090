/// Which nodes were not ready for whose trials, and how long they are left out.
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
  /// How long a node is left out after it was not ready for the first time; each further time in a
  /// row is `growth` times as long.
  std::chrono::seconds first{1};
  int growth = 4;
  std::chrono::seconds longest{256};
  /// The longest where the node lacks what it may have again in a moment: processes, descriptors,
  /// memory.
  std::chrono::seconds longest_passing{30};
  /// So often in a row a node may not be ready before it counts as one that never is. What may pass
  /// by itself does not count.
  unsigned most_refusals = 3;
};

/// A back-off for each pair of an owner of trials and a node, as a value. That a node is not ready
/// is none of a trial's fault, and no reason to send it the next one at once.
class readiness {
public:
  /// @param owner As the ledger calls it.
  using pair = std::pair<std::uint64_t, std::string>;

  explicit readiness(readiness_rules rules = {}) : rules_{rules} {}

  /// How often in a row the node was not ready for the owner. An allocation remembers it.
  [[nodiscard]] unsigned refusals(const pair& of) const;

  /// How long the node is left out.
  struct pause {
    std::chrono::seconds length{0};
    /// The refusals with it: see `ends`.
    unsigned times = 0;
  };
  /// The node was not ready for an allocation.
  /// @param seen What `refusals` was when it was granted: one that was granted before the last
  ///             refusal was known tells nothing new.
  /// @returns nothing where it tells nothing new.
  std::optional<pause> refused(const pair& of, unsigned seen, bool is_passing);
  /// An allocation is over that the node was ready for; `refusals` was `seen` when it was granted.
  /// @returns the rest of the pause where that is for lack of what the allocation gave back;
  /// nothing
  ///          where it changes nothing.
  std::optional<pause> was_ready(const pair& of, unsigned seen);
  /// Whether the pause that began with so many refusals is the present one.
  [[nodiscard]] bool ends(const pair& of, unsigned times) const;

  /// Nodes that are never ready for the owner.
  [[nodiscard]] std::set<std::string> never_ready(std::uint64_t owner) const;

  /// The node came anew, or the owner is gone: nothing of it counts any more.
  void forget_node(const std::string& node);
  void forget_owner(std::uint64_t owner);

private:
  struct count {
    unsigned times = 0;
    /// Those of late that do not pass by themselves.
    unsigned lasting = 0;
  };

  readiness_rules rules_;
  std::map<pair, count> counts_;

  [[nodiscard]] std::chrono::seconds length(unsigned times, bool is_passing) const;
};

} // namespace tune

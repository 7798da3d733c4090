/// Nodes that were there under the head before this one, and have not come back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace tune {

/// By experiment, the nodes that its record calls there and that are not, as a value: each comes
/// back in time, or is to be recorded as lost.
class absent_nodes {
public:
  void add(std::uint64_t owner, const std::string& node) { all_[owner].insert(node); }
  void came(const std::string& node);
  /// The owner is gone.
  void forget(std::uint64_t owner) { all_.erase(owner); }

  /// The time to come back is over. @returns all that did not, by owner.
  [[nodiscard]] std::map<std::uint64_t, std::set<std::string>> give_up() {
    return std::exchange(all_, {});
  }
  [[nodiscard]] bool empty() const { return all_.empty(); }

private:
  std::map<std::uint64_t, std::set<std::string>> all_;
};

/// Why such a node is lost, without its name.
[[nodiscard]] std::string absence_reason();
/// The message about workers that did not come back.
/// @param nodes  [>= 1]
/// @param trials Number of the reader's trials that ran there.
[[nodiscard]] std::string absence_text(const std::set<std::string>& nodes, std::size_t trials);

} // namespace tune

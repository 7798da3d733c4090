/// The checkpoints of a simulated experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace tune {

/// A checkpoint directory on the simulated disk.
struct simulated_checkpoint {
  trial_id trial;
  bool torn = false;
  /// Number of the node whose memory holds the checkpoint instead; empty: it is on disk.
  std::optional<std::size_t> node = {};
};

/// Knows which checkpoints exist, by number, and which were handed over with reports and have no
/// number yet, by location.
class simulated_disk {
public:
  void write(checkpoint_id id, simulated_checkpoint what) { numbered_.insert_or_assign(id, what); }
  void hand_over(const std::string& location, trial_id by) { handed_over_[location] = {by}; }
  /// A checkpoint got its number. No effect unless it was handed over. The location stays known: a
  /// head that follows on this one may be told of it again.
  void number(checkpoint_id id, const std::string& location) {
    if (auto known = handed_over_.find(location); known != handed_over_.end())
      numbered_.insert_or_assign(id, known->second);
  }
  void tear(checkpoint_id id) { numbered_.at(id).torn = true; }
  void erase(checkpoint_id id) { numbered_.erase(id); }
  /// Loses what that node has in memory.
  void lose_memory(std::size_t node) {
    std::erase_if(numbered_, [&](const auto& x) { return x.second.node == node; });
  }
  /// Loses what all nodes have in memory, and sweeps away that for which `is_known` is false.
  template <class Predicate>
  void sweep(Predicate is_known) {
    std::erase_if(numbered_,
                  [&](const auto& x) { return x.second.node || !is_known(x.first, x.second); });
  }

  [[nodiscard]] bool has(checkpoint_id id) const { return numbered_.contains(id); }
  [[nodiscard]] bool is_torn(checkpoint_id id) const { return numbered_.at(id).torn; }
  [[nodiscard]] const std::map<checkpoint_id, simulated_checkpoint>& numbered() const {
    return numbered_;
  }

private:
  std::map<checkpoint_id, simulated_checkpoint> numbered_;
  std::map<std::string, simulated_checkpoint> handed_over_;
};

} // namespace tune

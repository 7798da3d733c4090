/// What the head's nodes offer, and how long some of it has been free.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run_clocks.hpp"

#include "tune/core/resource/resources.hpp"

#include <map>
#include <string>
#include <utility>

namespace tune {

/// Knows the nodes of the present head. With a node the places are gone that trials had on it.
class cluster_offer {
public:
  void add(const std::string& node, resources capacity) { nodes_[node] = std::move(capacity); }
  /// @returns false, with no effect, if it does not offer anything.
  bool remove(const std::string& node) {
    if (nodes_.erase(node) == 0)
      return false;
    free_.forget_places();
    return true;
  }
  /// @returns the nodes of the last head.
  std::map<std::string, resources> begin_head() {
    free_.begin_head();
    return std::exchange(nodes_, {});
  }
  /// See `free_place_clock::watch`.
  void watch(std::uint64_t running, std::uint64_t served, bool is_asked, instant now) {
    free_.watch(running, served, is_asked, now);
  }
  /// See `free_place_clock::restart`.
  void restart(instant now) { free_.restart(now); }

  [[nodiscard]] const std::map<std::string, resources>& nodes() const { return nodes_; }
  [[nodiscard]] const free_place_clock& free() const { return free_; }

private:
  std::map<std::string, resources> nodes_;
  free_place_clock free_;
};

} // namespace tune

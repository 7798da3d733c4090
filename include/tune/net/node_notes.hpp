/// What is known of nodes beside their messages. A pure value.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <string>

namespace tune {

/// A note on a node.
struct node_note {
  /// Subject of the certificate that it showed; empty: none.
  std::string identity;
  /// Its `liveness_rules::lost_after`; 0: it has not told.
  instant lost_after{0};
};

/// Notes on nodes by their ids; the oldest are forgotten when there are too many.
template <class Node>
class node_notes {
public:
  /// @param most Notes that are kept. [>= 1]
  explicit node_notes(std::size_t most) : most_{most} {}

  /// The note on a node, to be written; a new one if there is none.
  node_note& on(const Node& which) {
    auto [place, is_new] = all_.try_emplace(which);
    if (is_new)
      by_age_.push_back(which);
    if (all_.size() > most_) {
      all_.erase(by_age_.front());
      by_age_.pop_front();
    }
    return place->second;
  }
  /// Null: there is none.
  [[nodiscard]] const node_note* find(const Node& which) const {
    auto known = all_.find(which);
    return known == all_.end() ? nullptr : &known->second;
  }
  [[nodiscard]] std::size_t size() const { return all_.size(); }

private:
  std::size_t most_;
  std::map<Node, node_note> all_;
  /// The newest is last.
  std::deque<Node> by_age_;
};

} // namespace tune

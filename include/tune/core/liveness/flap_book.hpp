/// The wait before a node that is lost again and again gets work.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <string>

namespace tune {

struct flap_rules {
  /// Number of losses within `window` that cost nothing.
  std::size_t free_losses = 2;
  instant window = std::chrono::minutes{10};
  /// Wait after the next loss; doubled with each further one.
  instant first_wait = std::chrono::seconds{10};
  instant most_wait = std::chrono::minutes{5};
};

/// Remembers the losses of each node, under its name, for as long as they count. A value.
class flap_book {
public:
  explicit flap_book(flap_rules rules = {}) : rules_{rules} {}

  void lost(const std::string& node, instant now);
  /// Losses that count at `now`.
  [[nodiscard]] std::size_t losses(const std::string& node, instant now) const;
  /// The wait that the last loss costs: the node gets no work for this long after it.
  [[nodiscard]] instant wait(const std::string& node, instant now) const;
  /// The part of that wait that remains at `now`.
  [[nodiscard]] instant left(const std::string& node, instant now) const;

  /// Whether people should be told of the node's wait: it is longer than they were told before.
  /// Counts as told from now on.
  [[nodiscard]] bool is_news(const std::string& node, instant now);

  /// Number of nodes with remembered losses.
  [[nodiscard]] std::size_t size() const { return losses_.size(); }

private:
  flap_rules rules_;
  std::map<std::string, std::deque<instant>> losses_;
  /// The longest wait that people were told of, for each node with losses.
  std::map<std::string, instant> known_waits_;

  void forget(instant now);
};

} // namespace tune

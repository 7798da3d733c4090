/// How long a node that is lost again and again has to wait before it gets work.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <string>

namespace tune {

struct flap_rules {
  /// So many losses within `window` cost nothing.
  std::size_t free_losses = 2;
  instant window = std::chrono::minutes{10};
  /// What the next one costs; doubled with each more.
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
  /// What the last loss costs: so long after it the node gets no work.
  [[nodiscard]] instant wait(const std::string& node, instant now) const;
  /// What of that is left at `now`.
  [[nodiscard]] instant left(const std::string& node, instant now) const;

  /// Whether people should hear what its losses cost: it is more than they heard before. From now
  /// on they know.
  [[nodiscard]] bool is_news(const std::string& node, instant now);

  /// Nodes that it remembers.
  [[nodiscard]] std::size_t size() const { return losses_.size(); }

private:
  flap_rules rules_;
  std::map<std::string, std::deque<instant>> losses_;
  /// The longest wait that people heard of, of nodes with losses.
  std::map<std::string, instant> known_waits_;

  void forget(instant now);
};

} // namespace tune

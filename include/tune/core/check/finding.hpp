/// Findings of a check: the broken promise, the place, and a description.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// The promises that a record and a run are checked for.
enum class promise : std::uint8_t {
  /// Everything seen outside survives the loss of the head.
  durable_acknowledgement = 1,
  /// Each trial ends exactly once, each report counts once, no resources are granted twice.
  nothing_lost_or_doubled,
  /// Losses are noticed: nothing stays open on a lost node, nothing waits for ever.
  bounded_detection,
  /// A trial goes on from its newest good checkpoint, and that checkpoint exists.
  bounded_loss,
  /// The log alone reproduces the state, and the rows that show it.
  replay,
  /// Nothing that has ended leaves a running program behind.
  no_leftovers,
};

/// The enumerator's name, e.g. "durable_acknowledgement".
[[nodiscard]] std::string_view to_text(promise x);

/// One violation of a promise.
struct finding {
  promise broken = promise::replay;
  /// The event that shows the violation; 0: no particular one.
  sequence seq = 0;
  std::optional<trial_id> trial;
  /// Description: one clause without a full stop.
  std::string what;
  /// View of the database, and row in it; both empty: the event itself.
  std::string table{};
  std::string row{};
};

/// "event 12, trial 00003: attempt 1.2 is recorded as ended twice (nothing_lost_or_doubled)".
[[nodiscard]] std::string to_text(const finding& x);

/// Findings in the order in which they were made. Only the first `most` are kept.
class findings {
public:
  /// Findings kept per kind of check. A single fault often shows in many places.
  static constexpr std::size_t most = 100;

  void add(finding what) {
    ++count_;
    if (kept_.size() < most)
      kept_.push_back(std::move(what));
  }
  void add(const findings& more);

  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Number of all findings, kept or not.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] const std::vector<finding>& kept() const { return kept_; }

private:
  std::uint64_t count_ = 0;
  std::vector<finding> kept_;
};

} // namespace tune

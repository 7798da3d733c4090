/// What a check found to be wrong: the promise that is broken, where, and in which words.
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
  /// What anybody outside has seen survives the loss of the head.
  durable_acknowledgement = 1,
  /// Each trial comes to exactly one end, each report counts once, no resources are granted twice.
  nothing_lost_or_doubled,
  /// Who is gone is noticed: nothing stays open on a node that is lost, nothing waits for ever.
  bounded_detection,
  /// A trial goes on from its newest good checkpoint, and that is there.
  bounded_loss,
  /// The log alone leads to the state, and to the rows that show it.
  replay,
  /// What is over leaves nothing that runs.
  no_leftovers,
};

/// The name as listed, e.g. "durable_acknowledgement".
[[nodiscard]] std::string_view to_text(promise x);

/// One thing that is not as it must be.
struct finding {
  promise broken = promise::replay;
  /// The event it shows at; 0: none in particular.
  sequence seq = 0;
  std::optional<trial_id> trial;
  /// One clause without a full stop.
  std::string what;
  /// View of the database, and row in it; empty: the event itself.
  std::string table{};
  std::string row{};
};

/// "event 12, trial 00003: attempt 1.2 is recorded as ended twice (nothing_lost_or_doubled)".
[[nodiscard]] std::string to_text(const finding& x);

/// Findings in the order in which they were made. Of very many only the first are kept.
class findings {
public:
  /// Kept of each kind of check. What is wrong once is often wrong everywhere.
  static constexpr std::size_t most = 100;

  void add(finding what) {
    ++count_;
    if (kept_.size() < most)
      kept_.push_back(std::move(what));
  }
  void add(const findings& more);

  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// All that were made, kept or not.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] const std::vector<finding>& kept() const { return kept_; }

private:
  std::uint64_t count_ = 0;
  std::vector<finding> kept_;
};

} // namespace tune

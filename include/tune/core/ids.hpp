/// Identifiers: trials, attempts, log positions, and time as the core knows it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>

namespace tune {

/// Position in the experiment's log. The first event has 1; 0 stands for "before everything".
using sequence = std::uint64_t;

/// Monotonic experiment time: time since the experiment was opened, summed over resumes.
using instant = std::chrono::nanoseconds;

/// A trial of one experiment; numbered from 0 in the order of suggestion.
struct trial_id {
  std::uint64_t number = 0;
  friend auto operator<=>(const trial_id&, const trial_id&) = default;
};

/// One run of a trainable from one starting point, with one configuration, on one node. Ids are
/// never reused: they consist of the head's epoch and a counter within it.
struct attempt_id {
  std::uint32_t epoch = 0;
  std::uint64_t counter = 0;
  friend auto operator<=>(const attempt_id&, const attempt_id&) = default;
  /// False for the value that stands for "none".
  explicit operator bool() const { return epoch != 0; }
};

/// Generation of a trial's results: 1 at first, one more after each exploit.
using lineage_id = std::uint32_t;

/// A checkpoint of an experiment; numbered from 1, 0 stands for "none".
struct checkpoint_id {
  std::uint64_t number = 0;
  friend auto operator<=>(const checkpoint_id&, const checkpoint_id&) = default;
  explicit operator bool() const { return number != 0; }
};

/// A grant of resources; numbered by the ledger from 1, 0 stands for "none".
struct lease_id {
  std::uint64_t number = 0;
  friend auto operator<=>(const lease_id&, const lease_id&) = default;
  explicit operator bool() const { return number != 0; }
};

/// At least five digits: "00042".
[[nodiscard]] std::string to_text(trial_id id);
/// Epoch and counter: "1.42".
[[nodiscard]] std::string to_text(attempt_id id);

} // namespace tune

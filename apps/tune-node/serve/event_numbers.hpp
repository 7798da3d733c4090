/// What the log of a running experiment tells of its pace: counted as it grows, for Prometheus.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/trial/status.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune {
class store_reader;
struct raw_event;
} // namespace tune

namespace tune::cli {

/// Counts of times, by upper bounds that Prometheus adds up.
class time_histogram {
public:
  /// [s], growing; the last bucket has no bound.
  static constexpr std::array<double, 15> bounds{
      0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

  /// @param took [>= 0]
  void add(instant took);
  /// Number of times up to bound number `i`; all of them behind the last bound.
  [[nodiscard]] std::uint64_t up_to(std::size_t i) const;
  [[nodiscard]] std::uint64_t count() const { return up_to(bounds.size()); }
  /// [s]
  [[nodiscard]] double sum() const { return sum_; }

private:
  std::array<std::uint64_t, bounds.size() + 1> counts_{};
  double sum_ = 0;
};

/// Changes of the statuses of trials, and times from a report to its decision, as events tell
/// them. Counts from the first look on: what was before in a long log is left out.
class event_numbers {
public:
  /// Statuses before and after.
  using change = std::pair<trial_status, trial_status>;

  /// Takes what is new. @param from Held still: see `store_reader::hold`.
  /// @errors those of the reader.
  [[nodiscard]] expected<void> look(store_reader& from);

  [[nodiscard]] bool has_begun() const { return seen_ > 0; }
  [[nodiscard]] const std::map<change, std::uint64_t>& changes() const { return changes_; }
  /// Of reports that a scheduler judged.
  [[nodiscard]] const time_histogram& decisions() const { return decisions_; }

  /// A first look at a log that is longer takes nothing of it, and any other look at so much more
  /// takes the newest statuses alone. [events]
  static constexpr sequence most_at_once = 50'000;

private:
  sequence seen_ = 0;
  /// By the numbers of trials; those that are not known yet have none.
  std::vector<trial_status> known_;
  /// Trials whose attempts ended as they were told to: they paused, or came to their end.
  std::set<trial_id> in_doubt_;
  std::map<change, std::uint64_t> changes_;
  time_histogram decisions_;
  /// Reports that may be judged yet: when they were heard.
  std::map<sequence, instant> open_;

  void become(trial_id trial, trial_status status);
  void take(const raw_event& what);
  void take_answers(instant at, std::string_view body);
  [[nodiscard]] expected<void> read_events(store_reader& from, sequence until);
  [[nodiscard]] expected<void> compare(store_reader& from, sequence until);
  [[nodiscard]] expected<void> skip_to(store_reader& from, sequence last);
};

} // namespace tune::cli

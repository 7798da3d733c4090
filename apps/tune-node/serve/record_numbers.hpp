/// Numbers about the experiments that are served, for Prometheus.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "serve/event_numbers.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/resource/resources.hpp"
#include "tune/core/trial/costs.hpp"
#include "view/place.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace tune {
class store_reader;
struct raw_attempt;
} // namespace tune

namespace tune::cli {

/// Counts what the records tell, each time something has happened there. For any thread.
class record_numbers {
public:
  explicit record_numbers(const std::filesystem::path& place) : place_{place} {}

  /// The text for Prometheus, without experiments that cannot be read now. One label names the
  /// experiment; trials and parameters are none.
  [[nodiscard]] std::string text();

  /// More experiments than that are left out: each has lines of its own.
  static constexpr std::size_t most_experiments = 200;

private:
  /// What attempts come to.
  struct attempt_sums {
    /// By their ends; those under way are "running".
    std::map<std::string, std::uint64_t> outcomes;
    /// Of those that are over.
    cost_sheet costs;
  };

  /// What one record tells.
  struct numbers {
    sequence last_seq = 0;
    /// Tells a record from another that took its place. [Unix time, ms]
    std::int64_t created_ms = 0;
    std::string status;
    bool is_led = false;
    std::map<std::string, std::uint64_t> trials;
    attempt_sums attempts;
    /// The part of `attempts` that cannot change any more: those up to `settled_until`.
    attempt_sums settled;
    attempt_id settled_until{};
    std::map<std::string, std::uint64_t> nodes;
    std::uint64_t results = 0;
    std::uint64_t bytes = 0;
    double elapsed_s = 0;
    event_numbers log;
    /// All resources of its nodes, and those that are granted; nothing: its head did not tell.
    std::optional<std::pair<resources, resources>> slots;
  };

  shown_place place_;
  std::mutex mutex_;
  std::map<std::string, numbers> known_;

  [[nodiscard]] bool look(const std::string& name, numbers& to) const;
  /// Looks at the attempts that may have changed. @returns whether they could be read.
  static bool sum_attempts(store_reader& from, numbers& to);
  static void ask_head(const std::filesystem::path& directory, numbers& to);
  static void add(const raw_attempt& what, attempt_sums& to);
};

} // namespace tune::cli

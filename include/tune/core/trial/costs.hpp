/// What training costs: CPU time, memory, bytes moved, GPU time, energy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/value.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tune {

/// Kinds of costs, in the order in which they are shown.
enum class cost_kind : std::uint8_t {
  /// CPU time of all processes, user and system. [s]
  cpu_s,
  /// Most resident memory. [bytes]
  peak_rss_bytes,
  /// Read from and written to storage; what the page cache answers does not count. [bytes]
  read_bytes,
  written_bytes,
  /// Time for which GPUs were held, times their number. [s]
  gpu_s,
  /// Most GPU memory. [bytes]
  peak_gpu_bytes,
  /// Energy. [J]
  energy_j,
};

inline constexpr std::size_t cost_kind_count = 7;

/// The names of the metrics, by kind.
inline constexpr std::array<std::string_view, cost_kind_count> cost_metrics{
    "tune/cpu_s", "tune/peak_rss_bytes", "tune/read_bytes", "tune/written_bytes",
    "tune/gpu_s", "tune/peak_gpu_bytes", "tune/energy_j"};

/// Whether a metric is one of those.
[[nodiscard]] bool is_cost(std::string_view metric);

/// "cpu_s", …: the name of the metric without what all of them begin with.
[[nodiscard]] std::string_view short_name(cost_kind which);

/// What is known of the costs of an attempt, or of all attempts of a trial. A kind that could not
/// be measured is absent, which is not 0.
class cost_sheet {
public:
  /// @param x Not negative; others are left out, as is what is not finite.
  void set(cost_kind which, double x);
  [[nodiscard]] std::optional<double> of(cost_kind which) const {
    return all_[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] bool empty() const;

  /// Adds what comes afterwards: amounts add up, of peaks the larger one counts.
  void add(const cost_sheet& more);
  /// Takes over whatever is larger, or absent here: a later measurement of the same.
  void raise(const cost_sheet& later);
  /// What has been added since `before`: amounts are subtracted, peaks stay.
  [[nodiscard]] cost_sheet since(const cost_sheet& before) const;

  /// By short names; bytes are whole numbers.
  [[nodiscard]] object to_object() const;
  /// Reads what `to_object` made; anything else in it is skipped.
  [[nodiscard]] static cost_sheet from(const object& names);
  /// The costs among the metrics of a report.
  [[nodiscard]] static cost_sheet among(const object& metrics);
  /// Adds each known kind to the metrics of a report that has none of its name.
  void join(object& metrics) const;

  friend bool operator==(const cost_sheet&, const cost_sheet&) = default;

private:
  std::array<std::optional<double>, cost_kind_count> all_;
};

/// Costs for a record or message; null if nothing is known.
[[nodiscard]] metrics_ptr to_record(const cost_sheet& x);
[[nodiscard]] cost_sheet from_record(const metrics_ptr& x);

} // namespace tune

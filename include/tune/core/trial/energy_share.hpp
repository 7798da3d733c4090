/// An attempt's share of the energy of the processors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

namespace tune {

/// What the processors of a machine have used up to a moment; only differences have a meaning.
struct machine_use {
  /// Energy of all packages. [J]
  double energy_j = 0;
  /// Time for which processors worked, over all of them. [s]
  double cpu_s = 0;
  friend bool operator==(const machine_use&, const machine_use&) = default;
};

/// Divides the energy of a machine by processor time: in each interval between two measurements
/// an attempt is counted that part of the energy which its processor time is of all. What an idle
/// machine draws is thus divided among those who work.
class energy_share {
public:
  /// The attempt begins.
  void begin(const machine_use& now) { last_ = now; }
  /// @param cpu_s Processor time of the attempt since it began. [s] Where it has not grown since
  ///              the last call, the interval goes on.
  void take(const machine_use& now, double cpu_s);
  /// [J] Empty as long as no interval is over.
  [[nodiscard]] std::optional<double> joules() const { return joules_; }

private:
  std::optional<machine_use> last_;
  double last_cpu_s_ = 0;
  std::optional<double> joules_;
};

/// Makes an ever growing number of one that begins anew at a limit.
class wrapping_counter {
public:
  /// @param range The number of values: the largest one, and 0. [> 0]
  explicit wrapping_counter(double range) : range_{range} {}
  /// @param now What the counter shows. It may have passed its limit once since the last call.
  /// @returns how much was counted since the first call.
  double take(double now);

private:
  double range_;
  std::optional<double> last_;
  double total_ = 0;
};

} // namespace tune

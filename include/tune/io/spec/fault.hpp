/// What is wrong with a configuration, and where: a list, so that a user mends all at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tune {

/// Where a value of the configuration came from.
struct config_origin {
  enum class source : std::uint8_t { fallback, file, environment, command_line };

  source from = source::fallback;
  /// The file's path, the environment variable, or the option with its dashes.
  std::string where;
  /// Counts from 1; 0 where there is none.
  std::size_t line = 0;

  friend bool operator==(const config_origin&, const config_origin&) = default;
};

/// "digits.ini:12", "environment TUNE_EXPERIMENT_SEED", "command line --experiment.seed",
/// "default".
[[nodiscard]] std::string to_text(const config_origin& x);

/// One thing that is wrong.
struct config_fault {
  config_origin at;
  /// Empty where it belongs to none.
  std::string section;
  /// Empty where it belongs to none.
  std::string key;
  /// One line: what is wrong, what would be legal, the nearest known name.
  std::string message;

  friend bool operator==(const config_fault&, const config_fault&) = default;
};

/// "digits.ini:12: [experiment] seed = x: must be a whole number >= 0". One line; what is not
/// printable is escaped.
[[nodiscard]] std::string to_text(const config_fault& x);

/// Faults in the order of the file, then those of the environment and the command line. Bounded:
/// beyond `kept` they are only counted.
class config_faults {
public:
  static constexpr std::size_t kept = 100;

  void add(config_fault what);
  /// Puts the faults of one file in the order of their lines.
  void sort();

  [[nodiscard]] bool empty() const { return total_ == 0; }
  [[nodiscard]] bool full() const { return list_.size() == kept; }
  [[nodiscard]] const std::vector<config_fault>& list() const { return list_; }
  /// How many there were, those not kept included.
  [[nodiscard]] std::size_t total() const { return total_; }

private:
  std::vector<config_fault> list_;
  std::size_t total_ = 0;
};

/// The first three faults, a line each, then a line that tells how many more there are.
[[nodiscard]] std::string to_text(const config_faults& x);

/// The same as one error, for callers who pass errors on: `ec::unreadable` where a file could not
/// be read, else `ec::bad_option`. @param x not empty.
[[nodiscard]] error to_error(const config_faults& x);

} // namespace tune

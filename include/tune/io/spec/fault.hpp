/// Faults of a configuration with their locations, listed so that a user can fix all at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tune {

/// The origin of a value in the configuration.
struct config_origin {
  enum class source : std::uint8_t { fallback, file, environment, command_line, program };

  source from = source::fallback;
  /// The file's path, the environment variable, the option with its dashes, or the full key that a
  /// program sets.
  std::string where;
  /// Counts from 1; 0 if there is none.
  std::size_t line = 0;

  friend bool operator==(const config_origin&, const config_origin&) = default;
};

/// "digits.ini:12", "environment TUNE_EXPERIMENT_SEED", "command line --experiment.seed",
/// "run_options::set(\"experiment.seed\")", "default".
[[nodiscard]] std::string to_text(const config_origin& x);

/// A single fault.
struct config_fault {
  config_origin at;
  /// Empty if it belongs to none.
  std::string section;
  /// Empty if it belongs to none.
  std::string key;
  /// One line: the fault, the legal values, the nearest known name.
  std::string message;

  friend bool operator==(const config_fault&, const config_fault&) = default;
};

/// "digits.ini:12: [experiment] seed = x: must be a whole number >= 0". One line; unprintable
/// characters are escaped.
[[nodiscard]] std::string to_text(const config_fault& x);

/// Faults in the order of the file, then those of the environment and the command line. Bounded:
/// beyond `kept`, faults are only counted.
class config_faults {
public:
  static constexpr std::size_t kept = 100;

  void add(config_fault what);
  /// Sorts the faults of one file by line.
  void sort();

  [[nodiscard]] bool empty() const { return total_ == 0; }
  [[nodiscard]] bool full() const { return list_.size() == kept; }
  [[nodiscard]] const std::vector<config_fault>& list() const { return list_; }
  /// Number of faults, including those not kept.
  [[nodiscard]] std::size_t total() const { return total_; }

private:
  std::vector<config_fault> list_;
  std::size_t total_ = 0;
};

/// The first three faults, one line each, then a line with the number of further ones.
[[nodiscard]] std::string to_text(const config_faults& x);

/// Like `to_text`, as an error to pass on: `ec::unreadable` if a file could not be read, else
/// `ec::bad_option`. @param x not empty.
[[nodiscard]] error to_error(const config_faults& x);

} // namespace tune

/// The numbers that the runs of each configuration have had.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/run_book.hpp"
#include "tune/core/fingerprint.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace tune {

/// Counts on, by configuration, from the highest number that a run of it was given, by the searcher
/// or a client.
class run_numbers {
public:
  /// @param parameter Tells a run its number; configurations that differ only in it are the same.
  explicit run_numbers(std::string parameter) : parameter_{std::move(parameter)} {}

  /// A run was made. Its number is ignored if it is not whole, or negative.
  void take(const object& config);
  /// The first number above those of all runs of this configuration. [>= 0]
  [[nodiscard]] std::int64_t next(const object& config) const;

  [[nodiscard]] const std::string& parameter() const { return parameter_; }

  void describe(fingerprint& into) const;

private:
  std::string parameter_;
  std::map<std::string, std::int64_t> next_;
};

} // namespace tune

/// What went wrong with the attempts of a trial.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/trial/end_class.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace tune {

/// Counts the ends of each class, and keeps the text of the last error.
class failure_record {
public:
  /// @returns how often the trial's attempts have ended so.
  std::uint32_t add(end_class how) { return ++counts_[static_cast<std::size_t>(how)]; }
  void set_error(std::string text) { error_ = std::move(text); }

  [[nodiscard]] std::uint32_t of(end_class how) const {
    return counts_[static_cast<std::size_t>(how)];
  }
  [[nodiscard]] const std::array<std::uint32_t, end_class_count>& all() const { return counts_; }
  /// Ends that are failures.
  [[nodiscard]] std::uint32_t count() const {
    std::uint32_t result = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (is_failure(static_cast<end_class>(i)))
        result += counts_[i];
    }
    return result;
  }
  /// Empty: there was none.
  [[nodiscard]] const std::string& error() const { return error_; }

private:
  std::array<std::uint32_t, end_class_count> counts_{};
  std::string error_;
};

} // namespace tune

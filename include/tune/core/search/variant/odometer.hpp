/// Counts through the combinations of grid parameters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/space/space.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tune::variant_search {

/// One grid parameter as a digit.
struct digit {
  /// Index of the parameter.
  std::size_t parameter = 0;
  /// Number of its values. [>= 1]
  std::uint64_t size = 1;
  /// Number of combinations between two turns of it.
  std::uint64_t stride = 1;
  /// Whether it has a condition.
  bool conditional = false;
  /// A parameter whose value decides whether this one is active, directly or indirectly.
  struct cause {
    std::size_t parameter = 0;
    /// Number of combinations between two turns of it; 1 if it is drawn anew each time.
    std::uint64_t stride = 1;
  };
  std::vector<cause> causes = {};

  /// Its position in combination number `c`.
  [[nodiscard]] std::uint64_t at(std::uint64_t c) const { return c / stride % size; }
};

/// The grids of a space, sorted by path; the first turns fastest.
class odometer {
public:
  /// More combinations than this are refused.
  static constexpr std::uint64_t most = std::uint64_t{1} << 62;

  odometer() = default;
  /// @param fixed Parameters that have a given value and are not expanded.
  /// @errors `ec::bad_option` for more than `most` combinations.
  [[nodiscard]] static expected<odometer> make(const search_space& space,
                                               const std::vector<bool>& fixed);

  [[nodiscard]] const std::vector<digit>& digits() const { return digits_; }
  /// Product of all sizes; 1 if there is no grid.
  [[nodiscard]] std::uint64_t combinations() const { return combinations_; }
  /// Whether some combinations may stand for no configuration of their own.
  [[nodiscard]] bool conditional() const { return conditional_; }

  /// The next combination worth examining if `c`, where `active` holds, is a duplicate because an
  /// inactive grid is not at its first value; empty if `c` is no duplicate.
  [[nodiscard]] std::optional<std::uint64_t> skip(std::uint64_t c,
                                                  const std::vector<bool>& active) const;

private:
  void find_causes(const search_space& space, const std::vector<bool>& fixed);

  std::vector<digit> digits_;
  std::uint64_t combinations_ = 1;
  bool conditional_ = false;
};

} // namespace tune::variant_search

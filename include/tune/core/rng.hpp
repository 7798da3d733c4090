/// Counter-based randomness: each number is a pure function of its position.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tune {

/// Philox4x32-10: a keyed bijection of 128-bit counters.
///
/// @source Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011.
[[nodiscard]] std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key);

/// Names a sequence of draws: equal (seed, stream, number) give equal draws on every platform.
///
/// The object only remembers how many draws were taken; none of its state is ever stored.
class rng {
public:
  /// @param seed   The experiment's seed.
  /// @param stream Name of the drawing part, e.g. "space" or "scheduler"; hashed.
  /// @param number Sequence within that stream, e.g. the trial's number.
  rng(std::uint64_t seed, std::string_view stream, std::uint64_t number);

  /// 64 uniform bits.
  [[nodiscard]] std::uint64_t bits();
  /// Uniform in [0, 1): 53 bits.
  [[nodiscard]] double unit();
  /// Uniform in {0, …, n - 1}, without bias. [n >= 1]
  [[nodiscard]] std::uint64_t below(std::uint64_t n);
  /// Standard normal, by inversion.
  [[nodiscard]] double normal();

private:
  std::array<std::uint32_t, 2> key_;
  std::uint64_t number_;
  std::uint64_t draw_ = 0;
};

/// Inverse of the standard normal distribution function, to about 1e-15 relative, computed by
/// exactly rounded operations only. @param p In (0, 1).
/// @source Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied
///         Statistics 37, 1988 (PPND16).
[[nodiscard]] double normal_quantile(double p);

/// FNV-1a of `text`: turns names of streams into numbers, the same on all platforms.
[[nodiscard]] std::uint64_t stable_hash(std::string_view text);

} // namespace tune

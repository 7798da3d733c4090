/// Points that fill a cube evenly.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tune::sobol {

/// A scrambled Sobol sequence, accessible at any index.
///
/// Each interval of width 2^-m holds one of the first 2^m points of each dimension. The scramble is
/// a random lower-triangular matrix and a digital shift per dimension, which preserves that.
///
/// @source Bratley, Fox, "Algorithm 659", ACM TOMS 14, 1988; Matoušek, "On the L2-discrepancy for
///         anchored boxes", J. Complexity 14, 1998. Direction numbers are those of Boost.Random.
class sequence {
public:
  /// Number of dimensions for which there are direction numbers.
  static const std::size_t most_dimensions;

  /// @param dimensions [0 … most_dimensions]
  sequence(std::size_t dimensions, std::uint64_t seed);

  [[nodiscard]] std::size_t dimensions() const { return shifts_.size(); }
  /// Coordinate `dimension` of point `index`, in [0, 1): 53 bits. [index < 2^53; taken modulo that]
  [[nodiscard]] double at(std::uint64_t index, std::size_t dimension) const;

private:
  /// One scrambled direction number per dimension and bit of the index.
  std::vector<std::uint64_t> directions_;
  std::vector<std::uint64_t> shifts_;
};

} // namespace tune::sobol

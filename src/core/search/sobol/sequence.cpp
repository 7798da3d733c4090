// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/sobol/sequence.hpp"

#include "tune/core/rng.hpp"

#include <boost/random/sobol.hpp>

#include <array>
#include <bit>
#include <cassert>

namespace tune::sobol {

namespace {

using table = boost::random::default_sobol_table;

constexpr std::size_t width = 53;

/// One direction number per bit of the index; the first digit is bit 52.
using directions = std::array<std::uint64_t, width>;

directions plain_directions(std::size_t dimension) {
  directions result{};
  if (dimension == 0) {
    for (std::size_t j = 0; j < width; ++j)
      result[j] = std::uint64_t{1} << (width - 1 - j);
    return result;
  }
  std::uint64_t polynomial = table::polynomial(dimension - 1);
  auto degree = static_cast<std::size_t>(std::bit_width(polynomial)) - 1;
  for (std::size_t j = 0; j < width; ++j) {
    if (j < degree) {
      result[j] = table::minit(dimension - 1, j);
      continue;
    }
    // m(j) is the xor of m(j - d) and, for each coefficient a(k) of x^(d - k), 2^k m(j - k).
    result[j] = result[j - degree];
    for (std::size_t k = 1; k <= degree; ++k) {
      if ((polynomial >> (degree - k) & 1) != 0)
        result[j] ^= result[j - k] << k;
    }
  }
  for (std::size_t j = 0; j < width; ++j)
    result[j] <<= width - 1 - j;
  return result;
}

/// Rows of a random lower-triangular matrix with ones on its diagonal. Digit r of the result is the
/// parity of row r and the old digits, of which it uses its own and those before.
directions random_rows(rng& from) {
  directions result{};
  for (std::size_t r = 0; r < width; ++r) {
    auto own = std::uint64_t{1} << (width - 1 - r);
    auto before = (std::uint64_t{1} << width) - 2 * own;
    result[r] = (from.bits() & before) | own;
  }
  return result;
}

std::uint64_t scrambled(std::uint64_t x, const directions& rows) {
  std::uint64_t result = 0;
  for (auto row : rows)
    result = result << 1 | static_cast<std::uint64_t>(std::popcount(row & x) & 1);
  return result;
}

} // namespace

const std::size_t sequence::most_dimensions = table::max_dimension;

sequence::sequence(std::size_t dimensions, std::uint64_t seed) {
  assert(dimensions <= most_dimensions);
  directions_.reserve(dimensions * width);
  for (std::size_t d = 0; d < dimensions; ++d) {
    rng from{seed, "sobol", d};
    auto rows = random_rows(from);
    for (auto x : plain_directions(d))
      directions_.push_back(scrambled(x, rows));
    shifts_.push_back(from.bits() >> (64 - width));
  }
}

double sequence::at(std::uint64_t index, std::size_t dimension) const {
  auto x = shifts_[dimension];
  const auto* own = &directions_[dimension * width];
  auto code = (index ^ index >> 1) & ((std::uint64_t{1} << width) - 1);
  for (; code != 0; code &= code - 1)
    x ^= own[std::countr_zero(code)];
  return static_cast<double>(x) * 0x1p-53;
}

} // namespace tune::sobol

// SPDX-License-Identifier: BSD-3-Clause
#include "forward.hpp"

#include <algorithm>
#include <vector>

// Resolvers of clones run before a sanitizer is ready.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)          \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TUNE_WIDEST_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TUNE_WIDEST_VECTORS
#endif

namespace tune::gp {

namespace {

using Eigen::Index;

/// Columns that are solved together: a multiple of every vector's length.
constexpr Index lanes = 24;
/// Products that are summed before they are subtracted, as in Eigen's solver.
constexpr Index step = 4;

/// @param lower The first row of L; rows lie `stride` apart.
/// @param x `lanes` values of each row.
TUNE_WIDEST_VECTORS void solve_lanes(const double* lower, Index stride, Index size, double* x) {
  for (Index i = 0; i < size; ++i) {
    const double* row = lower + i * stride;
    double* at = x + i * lanes;
    double rest[lanes];
    for (Index c = 0; c < lanes; ++c)
      rest[c] = at[c];
    Index k = 0;
    for (; k + step <= i; k += step) {
      const double* y = x + k * lanes;
      for (Index c = 0; c < lanes; ++c)
        rest[c] -= ((row[k] * y[c] + row[k + 1] * y[c + lanes]) + row[k + 2] * y[c + 2 * lanes])
                   + row[k + 3] * y[c + 3 * lanes];
    }
    for (; k < i; ++k) {
      const double* y = x + k * lanes;
      for (Index c = 0; c < lanes; ++c)
        rest[c] -= row[k] * y[c];
    }
    const auto inverse = 1 / row[i];
    for (Index c = 0; c < lanes; ++c)
      at[c] = rest[c] * inverse;
  }
}

} // namespace

void solve_lower(const Eigen::Ref<const row_matrix>& lower, Eigen::Ref<Eigen::MatrixXd> columns) {
  const auto size = lower.rows();
  std::vector<double> x(static_cast<std::size_t>(size * lanes));
  for (Index begin = 0; begin < columns.cols(); begin += lanes) {
    const auto used = std::min(lanes, columns.cols() - begin);
    for (Index c = 0; c < used; ++c) {
      for (Index i = 0; i < size; ++i)
        x[static_cast<std::size_t>(i * lanes + c)] = columns(i, begin + c);
    }
    solve_lanes(lower.data(), lower.outerStride(), size, x.data());
    for (Index c = 0; c < used; ++c) {
      for (Index i = 0; i < size; ++i)
        columns(i, begin + c) = x[static_cast<std::size_t>(i * lanes + c)];
    }
  }
}

} // namespace tune::gp

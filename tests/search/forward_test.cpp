// Forward substitution with the widest vectors, against Eigen's solver.
// SPDX-License-Identifier: BSD-3-Clause
#include "search/gp/forward.hpp"

#include <Eigen/Dense>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tune::gp {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

class numbers {
public:
  explicit numbers(unsigned seed) : from_{seed} {}

  MatrixXd matrix(Index rows, Index columns) {
    return MatrixXd::NullaryExpr(rows, columns, [this] { return draw_(from_); });
  }

  /// Positive on the diagonal; garbage above it.
  MatrixXd lower(Index size) {
    MatrixXd result = matrix(size, size) / std::sqrt(static_cast<double>(size));
    result.diagonal() = result.diagonal().cwiseAbs().array() + 1;
    return result;
  }

private:
  std::mt19937_64 from_;
  std::uniform_real_distribution<double> draw_{-1, 1};
};

TEST(solve_lower, says_what_eigen_says_to_the_last_digit) {
  numbers chance{1};
  for (const Index size : {1, 2, 3, 4, 5, 8, 23, 24, 60, 99, 120}) {
    for (const Index count : {0, 1, 5, 24, 25, 60, 100}) {
      auto lower = chance.lower(size);
      auto right = chance.matrix(size, count);
      MatrixXd wanted = right;
      lower.triangularView<Eigen::Lower>().solveInPlace(wanted);
      const row_matrix rows = lower;

      solve_lower(rows, right);

      EXPECT_EQ(right, wanted) << size << " rows, " << count << " columns";
    }
  }
}

TEST(solve_lower, takes_corners_of_larger_matrices) {
  numbers chance{2};
  auto lower = chance.lower(70);
  auto all = chance.matrix(70, 40);
  auto wanted = all;
  wanted.block(30, 2, 40, 31)
      = lower.bottomRightCorner(40, 40).triangularView<Eigen::Lower>().solve(
          MatrixXd{all.block(30, 2, 40, 31)});
  const row_matrix rows = lower;

  solve_lower(rows.bottomRightCorner(40, 40), all.block(30, 2, 40, 31));

  EXPECT_EQ(all, wanted);
}

TEST(solve_lower, solves_systems_of_any_size) {
  numbers chance{3};
  for (const Index size : {150, 333}) {
    auto lower = chance.lower(size);
    auto x = chance.matrix(size, 30);
    MatrixXd right = MatrixXd{lower.triangularView<Eigen::Lower>()} * x;
    const row_matrix rows = lower;

    solve_lower(rows, right);

    EXPECT_LT((right - x).cwiseAbs().maxCoeff(), 1e-9);
  }
}

} // namespace
} // namespace tune::gp

/// Forward substitution for many right sides at once. Private to the Gaussian process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace tune::gp {

/// Row-major, so that forward substitution reads memory in order.
using row_matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Solves L·x = b for each column b, and writes x in its place.
///
/// Takes half the time of Eigen's solver up to some 150 rows, since it uses the widest vectors that
/// the processor has, and adds in the same order, so that results agree to the last digit with any
/// vectors, and with Eigen's solver as long as that needs one panel (see `model.cpp`).
/// @param lower Holds L on and below its diagonal; what is above is not read.
/// @param columns As many rows as `lower`.
void solve_lower(const Eigen::Ref<const row_matrix>& lower, Eigen::Ref<Eigen::MatrixXd> columns);

} // namespace tune::gp

/// The problems as a service over lines of JSON, so that searchers of other houses run on the same.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quality/problems.hpp"

#include <iosfwd>

namespace tune::quality {

/// What a peer must know of the parameters of a space, as said at `serve`.
[[nodiscard]] value parameters_of(const search_space& space);

/// Upper bounds of floats, which other searchers may choose, are no values of ours: just below.
[[nodiscard]] object fitted(const search_space& space, object config);

/// Answers each line of `in` by one line, until the end of `in`.
///
/// `{"op": "list"}`: a list with, for each problem, its `name`, `noise`, `conditional`, `optimum`,
/// `ten_draws`, and its `parameters` in an order in which parents come first. Of a parameter:
/// `name`; `kind` ("float", "int" or "choice"); bounds `low` and `high`, which are both values,
/// `log` and `step` (0: none), or `options`; and, if it is not always there, `when`: an object of
/// one other parameter's name and the values of that at which it is.
///
/// `{"problem": "branin", "params": {…}}`: `{"value": 0.4}`, without noise; null where the trial
/// fails. What cannot be understood: `{"error": "…"}`.
///
/// @returns 0.
int serve(const std::vector<problem>& all, std::istream& in, std::ostream& out);

} // namespace tune::quality

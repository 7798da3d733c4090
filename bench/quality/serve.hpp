/// Serves the problems over lines of JSON, so that other projects' searchers can run on them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quality/problems.hpp"

#include <iosfwd>

namespace tune::quality {

/// Description of a space's parameters for a peer: see `serve`.
[[nodiscard]] value parameters_of(const search_space& space);

/// Replaces upper bounds of floats, which other searchers may choose but which are outside of this
/// project's ranges, by the values just below.
[[nodiscard]] object fitted(const search_space& space, object config);

/// Answers each line of `in` by one line, until the end of `in`.
///
/// `{"op": "list"}`: a list with, for each problem, its `name`, `noise`, `conditional`, `optimum`,
/// `ten_draws`, and its `parameters` in an order in which parents come first. A parameter has a
/// `name`; a `kind` ("float", "int" or "choice"); bounds `low` and `high`, both inclusive, `log`
/// and `step` (0: none), or `options`; and, if it is not always active, `when`: an object with the
/// name of one other parameter and the values of that at which it is active.
///
/// `{"problem": "branin", "params": {…}}`: `{"value": 0.4}`, without noise; null if the trial
/// fails. A line that cannot be understood: `{"error": "…"}`.
///
/// @returns 0.
int serve(const std::vector<problem>& all, std::istream& in, std::ostream& out);

} // namespace tune::quality

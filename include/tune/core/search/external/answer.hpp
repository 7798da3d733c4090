/// Reads and checks the answers of an external searcher's process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/searcher.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace tune::external {

/// `origin` of what the process suggested.
inline constexpr std::string_view own_origin = "external";

/// A well-formed answer whose configuration is not in the space. The process may try again.
struct refused {
  /// Names the parameter, the value and its range.
  std::string why;
};

/// No valid answer, or an error reported by the process: it has to begin anew.
struct breach {
  std::string why;
};

using answer = std::variant<proposal, refused, breach>;

/// Reads `{"id": 1, "config": {…}}`; instead of `config` there may be `none` or `wait`, which are
/// true, or `error`.
/// @param id Number of the question: an answer to another one is a breach.
[[nodiscard]] answer read_answer(const object& said, std::uint64_t id, const search_space& space);

/// Reads the reply to `begin`: `{"tune": 1}`. @returns what is wrong with it; empty: nothing.
[[nodiscard]] std::string why_no_greeting(const object& said);

/// The configuration in the form that trials get. Names may be dotted or nested. Inactive
/// parameters are left out, constants may be missing, whole numbers may stand for floats and floats
/// for whole numbers, and multiples of a step are rounded to the exact ones.
/// @errors `ec::bad_option`, `ec::unknown_name`, naming the parameter, its value and its range.
[[nodiscard]] expected<object> fitted(const object& config, const search_space& space);

} // namespace tune::external

/// What the process of an external searcher answers, read and checked.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/searcher.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace tune::external {

/// `origin` of what the process suggested.
inline constexpr std::string_view own_origin = "external";

/// It could be an answer, but its configuration is none of the space. It may try again.
struct refused {
  /// Names the parameter, the value and its range.
  std::string why;
};

/// No answer at all, or it says that it cannot give one: it has to begin anew.
struct breach {
  std::string why;
};

using answer = std::variant<proposal, refused, breach>;

/// Reads `{"id": 1, "config": {…}}`; `none` or `wait`, which are true, or `error` may stand in the
/// place of `config`.
/// @param id Of the question: an answer to another one is a breach.
[[nodiscard]] answer read_answer(const object& said, std::uint64_t id, const search_space& space);

/// Reads what follows `begin`: `{"tune": 1}`. @returns what is wrong with it; empty: nothing.
[[nodiscard]] std::string why_no_greeting(const object& said);

/// The configuration as trials get it. Names may be dotted or nested. What is inactive is left out,
/// constants may be missing, whole numbers may stand for floats and floats for whole numbers, and
/// multiples of a step are rounded to what they mean.
/// @errors `ec::bad_option`, `ec::unknown_name`, naming the parameter, its value and its range.
[[nodiscard]] expected<object> fitted(const object& config, const search_space& space);

} // namespace tune::external

/// What a parameter may be: a distribution, a list, a grid or a constant.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/rng.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tune {

/// Floats in [low, high), drawn evenly or evenly in the logarithm; with `step` > 0 rounded to the
/// nearest multiple, upper bound inclusive (uniform, loguniform, quniform, qloguniform).
struct float_range {
  double low = 0;
  double high = 1;
  bool log = false;
  double step = 0;
};

/// Integers in [low, high) — with `step` > 1 multiples of it, upper bound inclusive
/// (randint, lograndint, qrandint, qlograndint).
struct int_range {
  std::int64_t low = 0;
  std::int64_t high = 1;
  bool log = false;
  std::int64_t step = 1;
};

/// Normally distributed floats, with `step` > 0 rounded to the nearest multiple (randn, qrandn).
struct normal_range {
  double mean = 0;
  double sd = 1;
  double step = 0;
};

/// One of a list, each equally likely.
struct choice_of {
  std::vector<value> options;
};

/// Every one of a list.
struct grid_of {
  std::vector<value> options;
};

/// Always the same.
struct constant {
  value what;
};

using domain = std::variant<float_range, int_range, normal_range, choice_of, grid_of, constant>;

/// The value that stands at `u` of the domain, in [0, 1): its inverse distribution function.
/// A grid is treated like a choice.
[[nodiscard]] value at_quantile(const domain& what, double u);

/// Draws from the domain. Uses exactly one draw of `from`.
[[nodiscard]] value sample(const domain& what, rng& from);

/// Tells whether `x` is in the domain: right type, bounds, multiples.
[[nodiscard]] bool contains(const domain& what, const value& x);

/// As a user would write it: "loguniform(1e-5, 0.1)".
[[nodiscard]] std::string to_text(const domain& what);

/// Reads "uniform(0, 1)", "choice(a, "b", 3)", "grid(…)", or a literal constant: the INI grammar of
/// docs/ini.md.
/// @errors `ec::bad_syntax` with column and what was expected; `ec::bad_option` with the range;
///         `ec::unknown_name` with the nearest distribution.
[[nodiscard]] expected<domain> parse_domain(std::string_view text);

/// Reads one literal: integer, float, true, false, "string", bareword, JSON list or object.
[[nodiscard]] expected<value> parse_literal(std::string_view text);

} // namespace tune

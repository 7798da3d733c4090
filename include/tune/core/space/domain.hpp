/// The possible values of a parameter: a distribution, a list, a grid or a constant.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/rng.hpp"
#include "tune/core/space/expression.hpp"
#include "tune/core/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tune {

/// Floats in [low, high), drawn uniformly or uniformly in the logarithm; with `step` > 0 multiples
/// of it, upper bound inclusive (uniform, loguniform, quniform, qloguniform).
///
/// Multiples are equally likely, or weighted by their cell of half a step to either side in the
/// logarithm. Unlike in Ray Tune the two ends are not drawn half as often.
struct float_range {
  double low = 0;
  double high = 1;
  bool log = false;
  double step = 0;
};

/// Integers in [low, high) — with `step` > 1 its multiples in [low, high], weighted like those of
/// `float_range` (randint, lograndint, qrandint, qlograndint).
///
/// With `log` an integer k has the weight log((k + 1) / k): the floor of a loguniform.
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

/// One value of a list, each equally likely (choice, ordinal).
struct choice_of {
  std::vector<value> options;
  /// True if the list is ordered: neighbours are similar.
  bool ordered = false;
};

/// All values of a list.
struct grid_of {
  std::vector<value> options;
};

/// A list of all items, each once, in any order (permutation).
struct permutation_of {
  static constexpr std::size_t most_items = 12;
  /// Distinct items. [2 … most_items]
  std::vector<value> items;
};

/// A list of some of the items, of none or of all, in their order; each is in it or not, equally
/// likely (subset).
struct subset_of {
  static constexpr std::size_t most_items = 32;
  /// Distinct items. [1 … most_items]
  std::vector<value> items;
};

/// Always the same value.
struct constant {
  value what;
};

/// Numbers between bounds of which at least one depends on other parameters: `uniform(0, {a})`.
///
/// For one configuration it becomes a `float_range` or an `int_range` (`range_between`), which a
/// `search_space` determines. By itself it has no values.
struct dependent_range {
  expression low;
  expression high;
  bool whole = false;
  bool log = false;
  /// As in `float_range` and, if `whole`, in `int_range`.
  double step = 0;
};

using domain = std::variant<float_range, int_range, normal_range, choice_of, grid_of, constant,
                            permutation_of, subset_of, dependent_range>;

/// The value at quantile `u` of the domain, in [0, 1): its inverse distribution function. A grid is
/// treated like a choice. Null for a dependent range: use `search_space::place`.
[[nodiscard]] value at_quantile(const domain& what, double u);

/// Draws from the domain. Uses exactly one draw of `from`.
[[nodiscard]] value sample(const domain& what, rng& from);

/// Whether `x` is in the domain: right type, bounds, multiples. Whole numbers may stand for floats,
/// and the upper bound of floats counts as inside, since users write it. The members of a subset
/// may come in any order. A dependent range accepts every number of its kind:
/// `search_space::reject` knows the bounds.
[[nodiscard]] bool contains(const domain& what, const value& x);

/// Every value of a finite domain, once per mention, smallest first for a range. Permutations and
/// subsets are listed in the order in which `at_quantile` counts them. Empty if the domain is not
/// finite or has more than `most` values, and for a dependent range.
[[nodiscard]] std::optional<std::vector<value>> all_values(const domain& what, std::size_t most);

/// Whether its values are floats, for which whole numbers may stand.
[[nodiscard]] bool draws_floats(const domain& what);

/// The text that a user would write: "loguniform(1e-5, 0.1)".
[[nodiscard]] std::string to_text(const domain& what);

/// Reads "uniform(0, 1)", "randint(1, {layers} + 1)", "choice(a, "b", 3)", "grid(…)", or a literal
/// constant: the INI grammar of docs/ini.md.
/// @errors `ec::bad_syntax` with column and what was expected; `ec::bad_option` with the range;
///         `ec::unknown_name` with the nearest distribution.
[[nodiscard]] expected<domain> parse_domain(std::string_view text);

/// Reads one literal: integer, float, true, false, "string", bareword, JSON list or object.
[[nodiscard]] expected<value> parse_literal(std::string_view text);

} // namespace tune

/// Translates values of one domain to another, and to the form in which a domain has them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/domain.hpp"

#include <optional>

namespace tune {

/// The value that represents `x` in a domain that it was not drawn from: `x` itself, or for numbers
/// between the ends of the domain the nearest value of it (whole, a multiple of the step, or a
/// member of a list of numbers). Empty if `x` lies outside, or is of another kind. In a dependent
/// range every number of its kind is a value: use the range that holds for the configuration.
[[nodiscard]] std::optional<value> nearest_in(const domain& what, const value& x);

/// The value as the domain itself draws it: `[b, a]` of `subset(a, b)` becomes `[a, b]`, which is
/// the same configuration. All else, and what is no value of the domain, stays as it is.
[[nodiscard]] value in_member_order(const domain& of, const value& x);

/// The value as the domain itself draws it, where numbers may be of the other kind, as programs
/// write them: 1.0 becomes 1 where whole numbers are drawn, 1 becomes 1.0 where floats are. Of a
/// list, and for items of permutations and subsets, it is the only member that is the same number.
/// Members of subsets come in the domain's order. All else stays as it is, such as 1.5 for a whole
/// number, and floats beyond 64 bits.
[[nodiscard]] value as_drawn(const domain& of, const value& x);

} // namespace tune

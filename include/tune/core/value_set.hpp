/// Sets of values, for looking up in constant time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/value.hpp"

#include <cstddef>
#include <unordered_set>

namespace tune {

struct value_hash {
  std::size_t operator()(const value& x) const {
    return static_cast<std::size_t>(fingerprint{}.add(x).digest());
  }
};

/// Values that differ from each other, exactly, by kind and bits.
using value_set = std::unordered_set<value, value_hash>;

} // namespace tune

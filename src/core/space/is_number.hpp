/// Whether a value is a number. Private to core.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/value.hpp"

namespace tune {

[[nodiscard]] inline bool is_number(const value& x) {
  return x.as_int() != nullptr || x.as_double() != nullptr;
}

} // namespace tune

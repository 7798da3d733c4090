/// Reads an expression that is a part of a text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "scanner.hpp"

#include "tune/core/space/expression.hpp"

namespace tune {

class expression_reader {
public:
  /// The longest that begins where the scanner stands.
  [[nodiscard]] static expected<expression> read(scanner& in);
};

} // namespace tune

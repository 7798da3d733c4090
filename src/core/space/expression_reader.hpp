/// Reads an expression within a longer text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "scanner.hpp"

#include "tune/core/space/expression.hpp"

namespace tune {

class expression_reader {
public:
  /// Reads the longest expression that begins at the scanner's position.
  [[nodiscard]] static expected<expression> read(scanner& in);
};

} // namespace tune

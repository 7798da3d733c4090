/// Checks of single lines in families of keys. Private to io/spec.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/spec/spec.hpp"

#include <string>

namespace tune {

/// `metric.<name>`: compiles and has a group. @errors with a detail that starts with the key.
[[nodiscard]] expected<void> check_metric_expression(const named_text& x);
/// `report_on`: compiles. Empty is fine.
[[nodiscard]] expected<void> check_expression(const std::string& key, const std::string& text);
/// `env.<NAME>`: a variable's name, not one of the command protocol.
[[nodiscard]] expected<void> check_variable(const named_text& x);
/// `custom.<name>`: a number >= 0.
[[nodiscard]] expected<void> check_custom(const named_text& x);

} // namespace tune

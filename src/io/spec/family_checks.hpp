/// Checks of single lines in families of keys. Private to io/spec.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/spec/spec.hpp"

#include <string>

namespace tune {

/// `metric.<name>`: must compile and have a group. @errors with a detail that starts with the key.
[[nodiscard]] expected<void> check_metric_expression(const named_text& x);
/// `report_on`: must compile; may be empty.
[[nodiscard]] expected<void> check_expression(const std::string& key, const std::string& text);
/// `env.<NAME>`: must be a valid variable name that the command protocol does not use.
[[nodiscard]] expected<void> check_variable(const named_text& x);
/// `custom.<name>`: must be a number >= 0.
[[nodiscard]] expected<void> check_custom(const named_text& x);

} // namespace tune

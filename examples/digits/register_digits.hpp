/// The example trainables by name, for programs that offer them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/trainable/trainable.hpp"

#include <filesystem>

namespace tune::examples {

/// Adds the class `digits_mlp` and the function `quadratic` to `to`.
/// @param default_data File with the digits, unless a configuration names its own `data`.
void register_digits(trainable_registry& to, std::filesystem::path default_data);

} // namespace tune::examples

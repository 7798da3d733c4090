/// Checks that the kernel can pass the words of a command to its program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"
#include "tune/io/spec/command_template.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace tune {

/// Checks the words for one configuration.
/// @errors `ec::bad_option` naming the parameter that has a NUL byte, which would end the word, or
///         that makes a word longer than Linux allows (128 KiB), and its size.
[[nodiscard]] expected<void> check_words(const command_template& command, const object& config,
                                         const command_builtins& builtins);

/// The parameter with the longest text among those that a command names, and its size in bytes; an
/// empty name if the command names none.
[[nodiscard]] std::pair<std::string, std::size_t> longest_parameter(const command_template& command,
                                                                    const object& config);

} // namespace tune

/// Words of command lines that are shown to people: what they paste into a shell means the same.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace tune {

/// A word for a POSIX shell: quoted where it must be.
[[nodiscard]] std::string shell_word(std::string_view text);

} // namespace tune

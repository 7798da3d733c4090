/// Quotes words of command lines that are shown to people, so that a shell reads them unchanged.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace tune {

/// A word for a POSIX shell: quoted if necessary.
[[nodiscard]] std::string shell_word(std::string_view text);

} // namespace tune

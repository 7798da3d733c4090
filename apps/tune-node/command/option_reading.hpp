/// Turns values of options and arguments into those of requests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_table.hpp"
#include "command/read_words.hpp"
#include "command/requests.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune::cli {

/// The enumerator at the position of `given` among the choices of an argument.
template <class Enum>
Enum chosen(const std::vector<std::string_view>& choices, const std::string& given) {
  auto i = std::find(choices.begin(), choices.end(), given);
  return static_cast<Enum>(i - choices.begin());
}

/// A whole number that is not less than `least`. @errors one line, naming `name`.
[[nodiscard]] expected<std::uint64_t> whole_number(const std::string& text, std::string_view name,
                                                   std::int64_t least);

/// The same. @errors a wrong command line, naming `name`.
[[nodiscard]] expected<std::uint64_t> count_from(const std::string& text, std::string_view name,
                                                 std::int64_t least, const command_doc& where);

/// Appends an option as it was given. A value that begins with a dash is joined to it.
void append_as_given(words& to, const option_doc& option, const words& given);

} // namespace tune::cli

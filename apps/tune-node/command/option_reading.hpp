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

/// The option of that name, which must exist.
[[nodiscard]] const option_doc& option_of(const command_doc& where, std::string_view name);

/// A whole number that is not less than `least`. @errors a wrong command line, naming `name`.
[[nodiscard]] expected<std::uint64_t> count_from(const std::string& text, std::string_view name,
                                                 std::int64_t least, const command_doc& where);

/// Reads the value of an option that may be left out.
template <class Value, class Parse>
expected<void> read_option(const read_result& from, std::string_view option, Value& to, Parse parse,
                           const command_doc& where) {
  auto given = from.text(option);
  if (!given)
    return {};
  auto value = parse(*given);
  if (!value)
    return wrong("--" + std::string{option} + ": " + value.error().detail, &where);
  to = std::move(*value);
  return {};
}

/// The options of a command as they were given, in the order of its table, without those that are
/// named in `except`. A value that begins with a dash is joined to its option.
[[nodiscard]] words own_words(const read_result& from, const command_doc& where,
                              const std::vector<std::string_view>& except);

/// Reads the resources that a machine offers.
[[nodiscard]] expected<void> read_offers(const read_result& from, offered_request& to,
                                         const command_doc& where);

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "command/option_reading.hpp"

#include "tune/core/plugin/options.hpp"

namespace tune::cli {

expected<std::uint64_t> whole_number(const std::string& text, std::string_view name,
                                     std::int64_t least) {
  auto number = parse_integer(text);
  if (number && *number >= least)
    return static_cast<std::uint64_t>(*number);
  return error{ec::bad_syntax, std::string{name} + " is a whole number from "
                                   + std::to_string(least) + ", not " + in_single_quotes(text)};
}

expected<std::uint64_t> count_from(const std::string& text, std::string_view name,
                                   std::int64_t least, const command_doc& where) {
  auto number = whole_number(text, name, least);
  if (!number)
    return wrong(number.error().detail, &where);
  return number;
}

void append_as_given(words& to, const option_doc& option, const words& given) {
  const auto name = "--" + std::string{option.name};
  for (const auto& text : given) {
    const auto is_joined = text.starts_with('-') || !option.word.empty();
    if (text.empty() && option.argument.empty())
      to.push_back(name);
    else if (is_joined)
      to.push_back(name + "=" + text);
    else
      to.insert(to.end(), {name, text});
  }
}

} // namespace tune::cli

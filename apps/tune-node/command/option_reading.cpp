// SPDX-License-Identifier: BSD-3-Clause
#include "command/option_reading.hpp"

#include "command/option_values.hpp"
#include "tune/core/plugin/options.hpp"

namespace tune::cli {

const option_doc& option_of(const command_doc& where, std::string_view name) {
  return *std::find_if(where.options.begin(), where.options.end(),
                       [name](const auto& x) { return x.name == name; });
}

expected<std::uint64_t> count_from(const std::string& text, std::string_view name,
                                   std::int64_t least, const command_doc& where) {
  auto number = parse_integer(text);
  if (number && *number >= least)
    return static_cast<std::uint64_t>(*number);
  return wrong(std::string{name} + " is a whole number from " + std::to_string(least) + ", not "
                   + in_quotes(text),
               &where);
}

expected<void> read_offers(const read_result& from, offered_request& to, const command_doc& where) {
  auto bytes = [](const std::string& text) { return parse_bytes(text); };
  for (const auto& done : {read_option(from, "cpus", to.cpus, amount_from, where),
                           read_option(from, "gpus", to.gpus, amount_from, where),
                           read_option(from, "memory", to.memory, bytes, where),
                           read_option(from, "custom", to.custom, custom_from, where)}) {
    if (!done)
      return done;
  }
  return {};
}

} // namespace tune::cli

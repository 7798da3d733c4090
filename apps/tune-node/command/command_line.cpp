// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_line.hpp"

#include "command/at_head.hpp"
#include "command/command_options.hpp"
#include "command/command_table.hpp"
#include "command/requests.hpp"
#include "console/text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tune::cli {
namespace {

bool has_own(const command_doc& where, std::string_view name) {
  return std::any_of(where.options.begin(), where.options.end(),
                     [name](const auto& x) { return x.name == name; });
}

/// The options of all commands as they were given. @param where Null: there is no command.
general_words general_from(const read_result& x, const command_doc* where) {
  general_words result;
  for (const auto& option : general_options()) {
    const auto given = x.options.find(option.doc.name);
    if (given != x.options.end() && (where == nullptr || !has_own(*where, option.doc.name)))
      static_cast<void>(option.read(given->second, result));
  }
  return result;
}

command_line with_general(request what, const general_words& x) {
  command_line result{std::move(what)};
  result.output = x.output;
  result.color = x.color;
  result.quiet = x.quiet;
  result.verbosity = x.verbosity;
  return result;
}

expected<command_line> parse_command(const words& rest, const command_doc& where) {
  auto found = read_words(rest, where);
  if (!found)
    return wrong(found.error().detail, &where);
  const auto general = general_from(*found, &where);
  auto what = request_from(*found, where, general);
  if (!what)
    return what.error();
  auto result = with_general(std::move(*what), general);
  if (std::holds_alternative<help_request>(result.what)
      || std::holds_alternative<version_request>(result.what))
    return result;
  auto at_head = at_head_from(*found, where);
  if (!at_head)
    return at_head.error();
  result.at_head = std::move(*at_head);
  return result;
}

/// Without a command only `--help`, `--help-all` and `--version` make sense.
expected<command_line> parse_without_command(const words& all) {
  static const command_doc none{"tune-node", "", {}, {}, {}};
  auto found = read_words(all, none);
  if (!found)
    return wrong(found.error().detail, nullptr);
  const auto general = general_from(*found, nullptr);
  if (general.version)
    return with_general(version_request{}, general);
  if (general.help || general.help_all)
    return with_general(help_request{{}, general.help_all}, general);
  return wrong("which command?", nullptr);
}

} // namespace

expected<command_line> parse(const words& all) {
  auto index = command_position(all);
  if (index == all.size())
    return parse_without_command(all);
  const auto* where = find_command(all[index]);
  if (where == nullptr) {
    if (auto before = parse_without_command({all.begin(), all.begin() + static_cast<long>(index)});
        index > 0 && !before)
      return before.error();
    words known;
    for (const auto& x : commands())
      known.emplace_back(x.name);
    return wrong("unknown command " + in_single_quotes(all[index])
                     + did_you_mean(all[index], known),
                 nullptr);
  }
  auto rest = all;
  rest.erase(rest.begin() + static_cast<long>(index));
  return parse_command(rest, *where);
}

expected<command_line> parse(int argc, const char* const* argv) {
  return parse(argc > 1 ? words(argv + 1, argv + argc) : words{});
}

} // namespace tune::cli

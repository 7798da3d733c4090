// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_line.hpp"

#include "command/at_head.hpp"
#include "command/command_table.hpp"
#include "command/requests.hpp"
#include "console/text.hpp"

#include <utility>

namespace tune::cli {
namespace {

command_line with_globals(request what, const read_result& x, const command_doc* where = nullptr) {
  command_line result{std::move(what)};
  const auto has_format
      = where == nullptr || global_options_for(*where).size() == global_options().size();
  if (auto given = x.text("output"); given && has_format)
    result.output = output_format_from(*given);
  if (auto given = x.text("color"))
    result.color = *given == "always"  ? color_mode::always
                   : *given == "never" ? color_mode::never
                                       : color_mode::automatic;
  result.quiet = x.has("quiet");
  if (auto given = x.options.find("verbose"); given != x.options.end())
    result.verbosity = static_cast<int>(given->second.size());
  return result;
}

expected<command_line> parse_command(const words& rest, const command_doc& where) {
  auto found = read_words(rest, where);
  if (!found)
    return wrong(found.error().detail, &where);
  auto what = request_from(*found, where);
  if (!what)
    return what.error();
  auto result = with_globals(std::move(*what), *found, &where);
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
  if (found->has("version"))
    return with_globals(version_request{}, *found);
  if (found->has("help") || found->has("help-all"))
    return with_globals(help_request{{}, found->has("help-all")}, *found);
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

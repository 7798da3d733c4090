// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_table.hpp"

#include "command/at_head.hpp"
#include "command/command_docs.hpp"
#include "command/command_options.hpp"
#include "tune/core/program_name.hpp"

#include <algorithm>

namespace tune::cli {

namespace {

/// Lets a head carry the command out: it has the options for that.
command_doc at_heads_too(command_doc x) {
  x.at_head = true;
  auto more = docs_of(reaching_options<at_head_request>());
  x.options.insert(x.options.end(), more.begin(), more.end());
  return x;
}

std::vector<command_doc> all_commands() {
  return {run_doc(),
          up_doc(),
          launch_doc(),
          down_doc(),
          ask_tell_doc(),
          head_doc(),
          worker_doc(),
          resume_doc(),
          rerun_doc(),
          attach_doc(),
          at_heads_too(status_doc()),
          at_heads_too(trials_doc()),
          at_heads_too(compare_doc()),
          at_heads_too(importance_doc()),
          at_heads_too(fsck_doc()),
          simulate_doc(),
          whatif_doc(),
          at_heads_too(logs_doc()),
          at_heads_too(wait_doc()),
          at_heads_too(fetch_doc()),
          at_heads_too(export_doc()),
          serve_doc(),
          report_doc(),
          at_heads_too(plot_doc()),
          top_doc(),
          at_heads_too(stop_doc()),
          at_heads_too(pause_doc()),
          at_heads_too(unpause_doc()),
          at_heads_too(add_doc()),
          at_heads_too(retry_doc()),
          at_heads_too(list_doc()),
          config_doc(),
          certs_doc(),
          doctor_doc(),
          {"version",
           "tell the version",
           {{"tune-node version", "also as --version"}},
           {},
           {},
           false,
           knowing},
          {"completion",
           "write a shell's completion script to stdout",
           {{"source <(tune-node completion bash)", "bash: in ~/.bashrc"},
            {"tune-node completion zsh > ~/.zfunc/_tune-node", "zsh: a directory of $fpath"},
            {"tune-node completion fish > ~/.config/fish/completions/tune-node.fish", "fish"}},
           {{"bash|zsh|fish", {"bash", "zsh", "fish"}}},
           {},
           false,
           knowing},
          {"help",
           "tell how to use a command",
           {{"tune-node help run", "the same as tune-node run --help"},
            {"tune-node help --man > tune-node.1", "the manual page"}},
           {{"COMMAND", {}, argument_kind::text, false}},
           docs_of(options_of_help()),
           false,
           knowing}};
}

expected<void> read_format(const std::string& text, general_words& to) {
  to.output = output_format_from(text);
  return {};
}

expected<color_mode> color_from(const std::string& text) {
  return text == "always"  ? color_mode::always
         : text == "never" ? color_mode::never
                           : color_mode::automatic;
}

/// The switch may be repeated.
bound_option<general_words> verbosity() {
  return {{"verbose",
           'v',
           "",
           "say more on stderr; twice: everything",
           {},
           "",
           argument_kind::text,
           true},
          [](const words& given, general_words& to) -> expected<void> {
            to.verbosity = static_cast<int>(given.size());
            return {};
          }};
}

} // namespace

bound_options<help_request> options_of_help() {
  return {bound({"man", 0, "", "the manual page of all commands, for man"}, &help_request::man)};
}

bound_options<general_words> general_options() {
  return {bound({"help", 'h', "", "the short help: examples first"}, &general_words::help),
          bound({"help-all", 0, "", "the whole help: all options, defaults, exit codes"},
                &general_words::help_all),
          bound_with({"output",
                      'o',
                      "FORMAT",
                      "form of the result on stdout",
                      {"table", "json", "jsonl", "csv"},
                      "table"},
                     read_format),
          bound({"color",
                 0,
                 "WHEN",
                 "colours; NO_COLOR, FORCE_COLOR and TERM are honoured",
                 {"auto", "always", "never"},
                 "auto"},
                &general_words::color, color_from),
          bound({"quiet", 'q', "", "say nothing on stderr but errors"}, &general_words::quiet),
          verbosity(),
          bound({"version", 0, "", "tell the version"}, &general_words::version)};
}

const std::vector<command_doc>& commands() {
  static const auto all = all_commands();
  return all;
}

const std::vector<option_doc>& global_options() {
  static const auto all = docs_of(general_options());
  return all;
}

std::vector<option_doc> global_options_for(const command_doc& x) {
  auto result = global_options();
  std::erase_if(result, [&](const option_doc& global) {
    return std::any_of(x.options.begin(), x.options.end(),
                       [&](const option_doc& own) { return own.name == global.name; });
  });
  return result;
}

const command_doc* find_command(std::string_view name) {
  const auto& all = commands();
  auto i = std::find_if(all.begin(), all.end(), [name](const auto& x) { return x.name == name; });
  return i == all.end() ? nullptr : &*i;
}

std::string option_text(const option_doc& x) {
  auto result = x.letter == 0 ? std::string{} : std::string{'-', x.letter} + ", ";
  result.append("--").append(x.name);
  if (!x.argument.empty())
    result.append(" ").append(x.argument);
  if (!x.word.empty())
    result.append("[=").append(x.word).append("]");
  return result;
}

std::string usage_line(const command_doc& x) {
  auto result = program_name() + " " + std::string{x.name};
  for (const auto& p : x.positionals)
    result.append(p.required ? " " : " [")
        .append(p.name)
        .append(p.repeats ? "..." : "")
        .append(p.required ? "" : "]");
  for (const auto& option : x.options) {
    if (!reaches_head(option))
      result.append(" [").append(option_text(option)).append(option.repeats ? "]..." : "]");
  }
  if (x.overrides)
    result += " [--section.key VALUE]...";
  return result;
}

} // namespace tune::cli

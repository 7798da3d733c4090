// SPDX-License-Identifier: BSD-3-Clause
#include "command/help.hpp"

#include "command/command_table.hpp"
#include "console/text.hpp"
#include "exit_code.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/json.hpp"
#include "tune/io/spec/print.hpp"

#include <algorithm>

namespace tune::cli {
namespace {

/// Two columns: a term and its meaning.
using entries = std::vector<std::pair<std::string, std::string>>;

/// Help is read in terminals of any width; 80 columns are always there.
constexpr std::size_t help_width = 80;

std::string listed(const entries& xs, const style& look) {
  std::size_t width = 0;
  for (const auto& [head, tail] : xs)
    width = std::max(width, display_width(head));
  std::string result;
  for (const auto& [head, tail] : xs) {
    auto left = "  " + pad_right(look.paint(tint::accent, head), width) + "  ";
    for (const auto& line : wrapped(tail, help_width - width - 4)) {
      result += left + line + "\n";
      left = std::string(width + 4, ' ');
    }
  }
  return result;
}

std::string heading(std::string_view text, const style& look) {
  return "\n" + look.paint(tint::strong, text) + "\n";
}

std::string meaning_of(const option_doc& x) {
  auto result = std::string{x.meaning};
  std::string choices;
  for (auto choice : x.choices)
    choices.append(choices.empty() ? "" : "|").append(choice);
  if (!choices.empty())
    result += " [" + choices + "]";
  if (!x.fallback.empty())
    result.append(" (default: ").append(x.fallback).append(")");
  return result;
}

entries entries_of(const std::vector<option_doc>& options) {
  entries result;
  for (const auto& x : options)
    result.emplace_back(option_text(x), meaning_of(x));
  return result;
}

std::string examples_text(const std::vector<example_doc>& examples, const style& look) {
  std::string result;
  for (const auto& x : examples)
    result += "  " + look.paint(tint::faint, "# " + std::string{x.effect}) + "\n  "
              + look.paint(tint::accent, in_own_name(x.line)) + "\n";
  return result;
}

/// Commands and their summaries; unless `all` is wanted, a family has one line.
entries command_entries(bool all) {
  entries result;
  std::string_view last;
  for (const auto& x : commands()) {
    auto joins = !all && !x.family.empty() && x.family == last;
    last = x.family;
    if (joins) {
      result.back().first.append(", ").append(x.name);
      result.back().second = x.family;
    } else {
      result.emplace_back(std::string{x.name}, std::string{x.summary});
    }
  }
  return result;
}

std::string overrides_text() {
  return "\nAny key of the INI file can be given as --section.key VALUE, or in the\n"
         "environment as TUNE_SECTION_KEY. The command line goes before the environment,\n"
         "the environment before the file.\n";
}

std::string exit_codes_text(const style& look) {
  entries codes;
  for (const auto& x : exit_code_docs())
    codes.emplace_back(std::to_string(static_cast<int>(x.code)), std::string{x.meaning});
  return heading("exit codes", look) + listed(codes, look);
}

std::string general(bool all, const style& look) {
  std::string result = "Tunes the parameters of any program: one binary, one INI file.\n";
  std::vector<example_doc> first;
  for (const auto& x : commands())
    if (x.name == "run" || x.name == "trials" || x.name == "list")
      first.push_back(x.examples.front());
  result += heading("examples", look) + examples_text(first, look);
  result += heading("commands", look) + listed(command_entries(all), look);
  if (!all)
    return result + "\n" + program_name()
           + " COMMAND --help says more; --help-all says everything.\n";
  result += heading("options of all commands", look) + listed(entries_of(global_options()), look);
  for (const auto& x : commands())
    result += heading(usage_line(x), look) + listed(entries_of(x.options), look);
  return result + overrides_text() + exit_codes_text(look);
}

std::string specific(const command_doc& x, bool all, const style& look) {
  auto summary = std::string{x.summary};
  auto result = program_name() + " " + std::string{x.name} + ": " + summary + ".\n";
  result += heading("examples", look) + examples_text(x.examples, look);
  result += heading("usage", look) + "  " + usage_line(x) + "\n";
  if (!x.options.empty())
    result += heading("options", look) + listed(entries_of(x.options), look);
  if (x.overrides)
    result += overrides_text();
  if (!all)
    return result + "\nOptions of all commands and exit codes: --help-all.\n";
  result
      += heading("options of all commands", look) + listed(entries_of(global_options_for(x)), look);
  if (x.overrides)
    result += heading("keys of the INI file", look) + help_all_keys();
  return result + exit_codes_text(look);
}

} // namespace

std::string help_text(const help_request& what, const style& look) {
  const auto* command = find_command(what.topic);
  return command == nullptr ? general(what.all, look) : specific(*command, what.all, look);
}

std::string version_text(std::string_view caf_version, output_format format) {
  if (format == output_format::json || format == output_format::jsonl)
    return to_json(object{{"tune_node", TUNE_VERSION}, {"caf", caf_version}}) + "\n";
  return std::string{"tune-node " TUNE_VERSION " (CAF "}.append(caf_version).append(")\n");
}

} // namespace tune::cli

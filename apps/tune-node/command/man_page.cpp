// SPDX-License-Identifier: BSD-3-Clause
#include "command/man_page.hpp"

#include "command/command_table.hpp"
#include "exit_code.hpp"
#include "tune/core/program_name.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace tune::cli {
namespace {

/// The text as roff shows it unchanged.
std::string plain(std::string_view text) {
  std::string result;
  for (auto c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if ((c == '.' || c == '\'') && result.empty())
      result.append("\\&").append(1, c);
    else
      result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string section(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return ".SH " + name + "\n";
}

/// A term and its meaning below it.
std::string entry(std::string_view term, std::string_view meaning) {
  return ".TP\n.B " + plain(term) + "\n" + plain(meaning) + "\n";
}

std::string option_entry(const option_doc& x) {
  auto meaning = std::string{x.meaning};
  for (auto choice : x.choices)
    meaning.append(choice == x.choices.front() ? ": " : ", ").append(choice);
  if (!x.fallback.empty())
    meaning.append(" (default: ").append(x.fallback).append(")");
  return entry(option_text(x), meaning + ".");
}

std::string options_text(const std::vector<option_doc>& options) {
  std::string result;
  for (const auto& x : options)
    result += option_entry(x);
  return result;
}

std::string command_text(const command_doc& x) {
  auto result = ".SS " + plain(x.name) + "\n.B " + plain(usage_line(x)) + "\n.PP\n"
                + plain("To " + std::string{x.summary} + ".") + "\n";
  result += options_text(x.options);
  for (const auto& example : x.examples)
    result += ".PP\n" + plain(std::string{example.effect} + ":") + "\n.PP\n.nf\n.RS\n"
              + plain(in_own_name(example.line)) + "\n.RE\n.fi\n";
  return result;
}

} // namespace

std::string man_page() {
  const auto name = program_name();
  auto result = ".TH " + plain(name) + " 1 \"\" \"" + plain(name) + " " TUNE_VERSION "\"\n";
  result += section("name") + plain(name) + " \\- tune the parameters of any program\n";
  result += section("synopsis") + ".B " + plain(name) + "\n.I COMMAND\n.RI [ ARGUMENT ]...\n";
  result += section("description")
            + plain("Tries configurations of a program, stops those that do badly early, and keeps "
                    "a record of all that happened. An experiment is one INI file; it runs on this "
                    "machine, on several, or at a standing head.")
            + "\n.PP\n"
            + plain("Any key of the INI file can be given as --section.key VALUE, or in the "
                    "environment as TUNE_SECTION_KEY. The command line goes before the "
                    "environment, the environment before the file.")
            + "\n";
  result += section("options of all commands") + options_text(global_options());
  result += section("commands");
  for (const auto& x : commands())
    result += command_text(x);
  result += section("exit status");
  for (const auto& x : exit_code_docs())
    result += entry(std::to_string(static_cast<int>(x.code)), x.meaning);
  return result;
}

} // namespace tune::cli

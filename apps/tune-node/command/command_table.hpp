/// All commands and options in one table, the source of parsing, help, completion and error texts,
/// so that nothing is stated twice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// The values of an argument, for completion.
enum class argument_kind : std::uint8_t { text, number, ini_file, directory, path };

/// An option, or a switch where `argument` is empty.
struct option_doc {
  /// Without dashes.
  std::string_view name;
  /// One-letter form; 0: none.
  char letter = 0;
  /// Placeholder of its value, e.g. "FORMAT".
  std::string_view argument{};
  /// One line: what it does.
  std::string_view meaning;
  /// Legal values; empty: any.
  std::vector<std::string_view> choices{};
  /// The value if the option is not given; empty: none.
  std::string_view fallback{};
  argument_kind kind = argument_kind::text;
  /// A switch that may be repeated.
  bool counts = false;
  /// A switch that may be given a word: the placeholder of `--name=WORD`, one of `choices`.
  std::string_view word{};
  /// An option that may be given several times, each time with a value.
  bool repeats = false;
};

/// An argument identified by its position.
struct positional_doc {
  /// "FILE", or the group of choices: "check|explain|print".
  std::string_view name;
  std::vector<std::string_view> choices{};
  argument_kind kind = argument_kind::text;
  bool required = true;
  /// The last argument may be repeated.
  bool repeats = false;
};

/// A command line that works, and what it does.
struct example_doc {
  std::string_view line;
  std::string_view effect;
};

/// One sub-command.
struct command_doc {
  std::string_view name;
  /// One line.
  std::string_view summary;
  /// The first one is shown by the short help of all commands. [>= 1]
  std::vector<example_doc> examples;
  std::vector<positional_doc> positionals{};
  std::vector<option_doc> options{};
  /// Whether it takes `--section.key value`.
  bool overrides = false;
  /// Summary of it and its neighbours with the same `family`, shown where there is no room for
  /// each.
  std::string_view family{};
  /// A head may carry it out: it takes `--head` and what belongs to that.
  bool at_head = false;
};

/// The sub-commands in the order of listing.
[[nodiscard]] const std::vector<command_doc>& commands();
/// Options of all commands; they may also stand before the command.
[[nodiscard]] const std::vector<option_doc>& global_options();

/// Those of them that the command does not have itself, with another meaning: `-o` of `report`.
[[nodiscard]] std::vector<option_doc> global_options_for(const command_doc& x);

/// Null if there is no such command.
[[nodiscard]] const command_doc* find_command(std::string_view name);

/// "tune-node run FILE [--dry-run] [--section.key VALUE]…".
[[nodiscard]] std::string usage_line(const command_doc& x);

/// "-o, --output FORMAT", "-v, --verbose".
[[nodiscard]] std::string option_text(const option_doc& x);

} // namespace tune::cli

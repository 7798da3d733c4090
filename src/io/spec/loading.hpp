/// State of a configuration while it is loaded, shared by all steps. Private to io/spec.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/command_template.hpp"
#include "tune/io/spec/ini_text.hpp"
#include "tune/io/spec/load.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Everything known so far.
struct loading {
  const load_request& request;
  std::string file;
  /// Line where each section begins, for faults about missing keys.
  std::map<std::string, std::size_t, std::less<>> sections;
  /// The winning entry of each key, by full key.
  std::map<std::string, const ini_entry*, std::less<>> settings;
  spec what;
  std::shared_ptr<const search_space> space;
  config_faults faults;
  std::vector<std::string> warnings;
  /// True if every line of the file was understood. If not, a key that seems to be missing may be
  /// in such a line.
  bool whole = true;
  /// Trainables of `[trainable] plugin`; empty if there is no plugin or it was not inspected.
  std::optional<trainable_registry> plugged = {};

  /// The entry that sets `key`; null if there is none.
  [[nodiscard]] const ini_entry* find(std::string_view section, std::string_view key) const;
  /// The location for messages: of the key, else of its section.
  [[nodiscard]] config_origin origin(std::string_view section, std::string_view key) const;
  /// Adds a warning about a user's text at this location.
  void warn(const config_origin& at, const std::string& text);
  /// Adds a fault at the key. @param message starts with the key or names it.
  void refuse(std::string_view section, std::string_view key, const std::string& message);
  /// Adds a fault for a missing key.
  void refuse_missing(std::string_view section, std::string_view key, const std::string& message);
};

/// Fills in values that depend on other keys, and checks `[experiment]`, `[resources]`,
/// `[failure]`.
void check_sections(loading& x);
/// Checks `[search] repeat` and `[experiment] confirm` against other keys. @returns whether the
/// space can be checked.
[[nodiscard]] bool check_repeats(loading& x);
/// The fault of a command's program if that is named by its path; empty if there is none.
[[nodiscard]] std::string why_no_program(const std::vector<std::string>& words);
/// The fault of the script that an interpreter is to run, if it is beside the INI file; empty if
/// there is none. Text that depends on the configuration is marked by "\x01" in it.
[[nodiscard]] std::string why_no_script(const std::vector<std::string>& words,
                                        const std::string& ini_dir);
/// Warns of files beside the INI file that are named without `./`: they are not found, since
/// programs run in their own directories.
void warn_of_bare_files(loading& x, const std::string& section,
                        const std::vector<std::string>& words);
/// Checks repeats and confirmation against the chosen searcher.
void check_repeats_with(loading& x, const searcher_traits& source);
/// Parses `[space]` and `[stop]`, checks `[search] points`.
void check_space(loading& x);
/// Converts the points to the form of the space, and checks them. If the command line or the
/// environment fixes a parameter, values in points of lower sources are dropped with a warning.
void check_points(loading& x);
/// Completes the configurations with known results, and checks both.
void check_known(loading& x);
/// Infers the kind; checks command, files and names. Call it after `check_space`.
void check_trainable(loading& x);
/// Warns of words in a command that do not mean what they seem to: bare names of files, and shell
/// syntax.
void warn_of_command(loading& x, const command_template& command);
/// Warns of parameters that are not passed to a command's program although others are.
void warn_of_unnamed(loading& x);
/// Chooses catalogue entries, checks and completes their options, and tries to create them if there
/// are no other faults.
void check_plugins(loading& x);

/// Checks the sinks of `[sinks]` and their options.
void check_sinks(loading& x);

/// The quoted text at the beginning of a detail; empty if it does not begin with one.
[[nodiscard]] std::string leading_name(std::string_view detail);

} // namespace tune

/// A configuration while it is read: shared by the steps of loading. Private to io/spec.
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

/// What is known so far.
struct loading {
  const load_request& request;
  std::string file;
  /// Line where each section begins, for what is missing in it.
  std::map<std::string, std::size_t, std::less<>> sections;
  /// The winning entry of each key, by full key.
  std::map<std::string, const ini_entry*, std::less<>> settings;
  spec what;
  std::shared_ptr<const search_space> space;
  config_faults faults;
  std::vector<std::string> warnings;
  /// Every line of the file was understood. If not, what seems to be missing may stand there.
  bool whole = true;
  /// What `[trainable] plugin` has; nothing: there is none, or nobody looked.
  std::optional<trainable_registry> plugged = {};

  /// Where `key` was written; null where it was not.
  [[nodiscard]] const ini_entry* find(std::string_view section, std::string_view key) const;
  /// The place to complain about: of the key, else of its section.
  [[nodiscard]] config_origin origin(std::string_view section, std::string_view key) const;
  /// Adds a warning of what somebody wrote there.
  void warn(const config_origin& at, const std::string& text);
  /// Adds a fault at the key. @param message starts with the key, or names it.
  void refuse(std::string_view section, std::string_view key, const std::string& message);
  /// The same for a key that is nowhere.
  void refuse_missing(std::string_view section, std::string_view key, const std::string& message);
};

/// Fills what depends on other keys, and checks `[experiment]`, `[resources]`, `[failure]`.
void check_sections(loading& x);
/// Checks `[search] repeat` and `[experiment] confirm` against other keys. @returns whether the
/// space can be looked at.
[[nodiscard]] bool check_repeats(loading& x);
/// Of a command's words: what is wrong with a program that is named by its place; empty: nothing.
[[nodiscard]] std::string why_no_program(const std::vector<std::string>& words);
/// The same of the script that an interpreter is to run, where it is one beside the INI file. What
/// is known to no configuration is marked by "\x01" in it.
[[nodiscard]] std::string why_no_script(const std::vector<std::string>& words,
                                        const std::string& ini_dir);
/// A script beside the INI file is not found by its bare name: programs have directories of their
/// own.
void warn_of_bare_files(loading& x, const std::string& section,
                        const std::vector<std::string>& words);
/// The same against what was chosen.
void check_repeats_with(loading& x, const searcher_traits& source);
/// Parses `[space]` and `[stop]`, checks `[search] points`.
void check_space(loading& x);
/// Brings the points into the form of the space, and checks them. Where the command line or the
/// environment fixes a parameter, the points of lower sources give way, with a warning.
void check_points(loading& x);
/// Completes the configurations whose results are known, and checks both.
void check_known(loading& x);
/// Infers the kind, checks command, files and names. After `check_space`.
void check_trainable(loading& x);
/// Warns of words of a command that mean something else than they seem to: bare names of files, and
/// what only a shell understands.
void warn_of_command(loading& x, const command_template& command);
/// Warns of parameters that a command's program is not handed, where it is handed others.
void warn_of_unnamed(loading& x);
/// Chooses catalogue entries, checks and completes their options, and tries to make them where
/// all else is right.
void check_plugins(loading& x);

/// The text between the quotes that a detail begins with; empty where it does not.
[[nodiscard]] std::string leading_name(std::string_view detail);

} // namespace tune

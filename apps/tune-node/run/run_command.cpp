// SPDX-License-Identifier: BSD-3-Clause
#include "run/run_command.hpp"

#include "console/text.hpp"
#include "run/ending.hpp"
#include "run/load_configuration.hpp"
#include "run/numbered_name.hpp"
#include "run/overwrite.hpp"
#include "run/run_here.hpp"
#include "run/submit_command.hpp"

#include "tune/core/program_name.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/tuner/preparation.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

fs::path directory_of(const loaded_spec& loaded) {
  return fs::absolute(experiment_directory(loaded.what, fs::current_path()));
}

/// "space.lr, train.py and 3 more".
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 3;
  std::string result;
  for (std::size_t i = 0; i < std::min(names.size(), shown); ++i)
    result += (i == 0 ? "" : ", ") + names[i];
  return names.size() > shown ? result + " and " + std::to_string(names.size() - shown) + " more"
                              : result;
}

/// Whether a user at a terminal starts a different experiment under an existing name, so that it
/// gets a number. Shows the differences.
bool wants_number(const command_line& line, const run_request& what, const loaded_spec& loaded) {
  auto named = loaded.origins.find("experiment.name");
  auto is_named_here
      = named != loaded.origins.end() && named->second.from == config_origin::source::command_line;
  auto is_seen = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  if (what.resume || what.overwrite || is_named_here || !is_seen)
    return false;
  auto compared = loaded.what;
  compared.code = code_of(loaded);
  auto others = differences(directory_of(loaded), compared);
  if (!others.empty() && !line.quiet)
    std::cerr << program_name() << ": " << printable(directory_of(loaded).string())
              << " holds an experiment that differs in " << printable(some_of(others)) << '\n';
  return !others.empty();
}

/// Gives the run a number if that is wanted.
expected<claimed_directory> place_of(const command_line& line, const run_request& what,
                                     loaded_spec& loaded, bool numbered) {
  if (!numbered && !wants_number(line, what, loaded))
    return claimed_directory{};
  auto result = number_name(loaded, directory_of(loaded).parent_path(), what.resume.has_value());
  if (result && !line.quiet)
    std::cerr << program_name() << ": this run is " << printable(loaded.what.experiment.name)
              << ", in " << printable(directory_of(loaded).string()) << '\n';
  return result;
}

/// Reads the configuration; for a numbered name, the file's name is used until the number is known.
std::optional<loaded_spec> load(const command_line& line, const run_request& what,
                                const choices& all, bool& numbered) {
  auto overrides = what.overrides;
  overrides.insert(overrides.end(), what.own_overrides.begin(), what.own_overrides.end());
  numbered = take_automatic_name(overrides);
  auto result = load_or_complain(what.file, overrides, all, line.quiet);
  if (result && result->what.experiment.name == automatic_name) {
    numbered = true;
    result->what.experiment.name = fs::path{what.file}.stem().string();
  }
  return result;
}

/// Completes the configuration and sends it to a head, which sees neither this machine's files nor
/// its experiments.
exit_code submit(const command_line& line, const run_request& what, loaded_spec& loaded,
                 bool numbered) {
  loaded.what.code = code_of(loaded);
  std::vector<std::string> omitted;
  auto found = look_elsewhere(loaded, fs::current_path(), omitted);
  // An experiment that goes on has these points in its record.
  if (!found && !what.resume)
    return complain(found.error());
  warn(found ? omitted : std::vector{found.error().detail}, line.quiet);
  return run_at_head(line, what, loaded, numbered);
}

exit_code run_here(const command_line& line, const run_request& what, loaded_spec& loaded,
                   const choices& all, bool numbered) {
  auto claimed = place_of(line, what, loaded, numbered);
  if (!claimed)
    return complain(claimed.error());
  auto directory = directory_of(loaded);
  if (what.overwrite) {
    auto done = overwrite(directory,
                          [&](const std::string& about) { return ask_to_remove(about, what.yes); });
    if (!done)
      return complain(done.error());
  }
  return run_in_directory(line, what, loaded, all, directory);
}

} // namespace

exit_code run_experiment(const command_line& line, const run_request& what, const choices& all) {
  auto numbered = false;
  auto loaded = load(line, what, all, numbered);
  if (!loaded)
    return exit_code::configuration;
  if (what.dry_run) {
    warn_of_missing_program(*loaded, line.quiet || what.head);
    auto ready = prepare(*loaded, {}, std::nullopt, fs::current_path());
    if (!ready)
      return complain(ready.error());
    warn(*ready, line.quiet);
    return what.head || can_run(*loaded, discover()) ? show_dry_run(line, *loaded, all)
                                                     : exit_code::configuration;
  }
  return what.head ? submit(line, what, *loaded, numbered)
                   : run_here(line, what, *loaded, all, numbered);
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "client/fetched_place.hpp"

#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "run/snapshot.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/io/store/best_checkpoint.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

using part = fetch_request::part;

/// The trial that is meant: the best where none is named.
expected<trial_row> trial_of(const fetch_request& what, store_reader& from,
                             const recorded_experiment& recorded, const fs::path& directory) {
  auto which = what.trial;
  if (!which) {
    auto seen = recorded_snapshot(from, recorded.row, frame_of(recorded.what, directory));
    if (!seen)
      return reading_failed(seen.error());
    if (!seen->best)
      return nothing_there(directory, "no trial is the best yet: name one");
    which = seen->best->trial;
  }
  auto row = from.trial(*which);
  if (!row)
    return reading_failed(row.error());
  if (!*row)
    return error{ec::unknown_name,
                 printable(directory.string()) + ": there is no trial " + to_text(*which)};
  return std::move(**row);
}

/// A checkpoint's or an export's directory.
struct found_part {
  fs::path where;
  /// As in `fetched_place`.
  std::string note = {};
};

/// The checkpoint of a trial's best report.
expected<found_part> checkpoint_of(const trial_row& trial, store_reader& from, const spec& what,
                                   const fs::path& directory) {
  auto found = best_checkpoint(from, trial, what.experiment.objectives.front(),
                               what.experiment.constraints);
  if (!found)
    return reading_failed(found.error());
  const auto name = "trial " + to_text(trial.trial);
  if (!*found)
    return nothing_there(directory, name + " has no checkpoint");
  const auto& location = (*found)->checkpoint.location;
  if (location.starts_with(kept_outside))
    return nothing_there(directory,
                         "the checkpoint of " + name + " is kept by its executor: " + location);
  const auto& at = (*found)->checkpoint;
  if (at.trial == trial.trial)
    return found_part{directory / location};
  return found_part{directory / location, "the best checkpoint of " + name + " is that of trial "
                                              + to_text(at.trial) + " at iteration "
                                              + std::to_string(at.iteration)
                                              + ", from which it went on"};
}

/// The directory with the exports of a trial's last attempt that made any.
expected<found_part> exports_of(const trial_row& trial, store_reader& from,
                                const fs::path& directory) {
  auto rows = from.exports(trial.trial);
  if (!rows)
    return reading_failed(rows.error());
  auto found = std::find_if(rows->rbegin(), rows->rend(),
                            [](const export_row& x) { return !x.location.empty(); });
  if (found == rows->rend())
    return nothing_there(directory, "trial " + to_text(trial.trial) + " has exported nothing");
  return found_part{directory / found->location};
}

fetched_place whole_experiment(const fs::path& directory, const std::string& name) {
  return {directory, {}, name, std::nullopt};
}

/// Something below the directory of the trials, which may itself be a link.
fetched_place below_trials(const fs::path& directory, const fs::path& where, std::string name,
                           trial_id trial) {
  const auto trials = trials_directory(directory);
  auto way = where.lexically_relative(trials);
  if (way.empty() || *way.begin() == "..")
    return {directory, where.lexically_relative(directory), std::move(name), trial};
  return {trials, std::move(way), std::move(name), trial};
}

} // namespace

error nothing_there(const fs::path& directory, const std::string& why) {
  return {ec::unreadable, printable(directory.string()) + ": " + why};
}

expected<fetched_place> place_of(const fetch_request& what, const fs::path& directory) {
  auto opened = open_experiment(directory);
  if (!opened)
    return opened.error();
  auto& [reader, recorded] = *opened;
  const auto& name = recorded.what.experiment.name;
  if (what.what == part::experiment) {
    if (what.trial)
      return error{ec::bad_option, "--what experiment goes with no TRIAL"};
    if (is_led(directory))
      return error{ec::refused, printable(directory.string())
                                    + ": it runs, and its record changes: wait for its end ("
                                    + program_call("wait " + experiment_words(directory.string()))
                                    + "), or fetch a trial"};
    return whole_experiment(directory, name);
  }
  auto trial = trial_of(what, reader, recorded, directory);
  if (!trial)
    return trial.error();
  const auto called = name + "-" + to_text(trial->trial);
  if (what.what == part::trial)
    return below_trials(directory, trials_directory(directory) / to_text(trial->trial), called,
                        trial->trial);
  const auto exports = what.what == part::exports;
  auto found = exports ? exports_of(*trial, reader, directory)
                       : checkpoint_of(*trial, reader, recorded.what, directory);
  if (!found)
    return found.error();
  auto result = below_trials(
      directory, found->where,
      called + "-" + (exports ? "exports" : found->where.filename().string()), trial->trial);
  result.note = std::move(found->note);
  return result;
}

record_mark record_mark::of(const fs::path& directory) {
  const auto database = database_file(directory);
  auto log = database;
  log += "-wal";
  record_mark result;
  auto to = result.files_.begin();
  for (const auto& file : {directory / "lock", database, log}) {
    struct ::stat about {};
    // Readers may make an empty log.
    if (::lstat(file.c_str(), &about) == 0 && (file != log || about.st_size > 0))
      *to = {about.st_ino, about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
    ++to;
  }
  return result;
}

} // namespace tune::cli

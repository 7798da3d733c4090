/// The files without which no trial of an experiment can run, and whether they are where the record
/// says.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"
#include "tune/io/spec/spec.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tune {

/// Files that the command names in every configuration: those beside the INI file, relative to its
/// directory, and absolute paths outside of the system's directories. Empty if the trainable is no
/// command. They need not exist: the command may write them.
[[nodiscard]] std::vector<std::string> files_named(const spec& what, const search_space& space);

/// Which of the named files a run needs and does not find: those that were files when the
/// experiment began. A name that was no file then is left to the command, which may create it.
///
/// @param recorded `spec::code` of the experiment as it began.
/// @param named    Files that the command names now; no others count.
/// @param is_there Asked for each name at most once.
/// @returns in the order of `named`, each once.
[[nodiscard]] std::vector<std::string>
names_missing(const std::vector<named_text>& recorded, const std::vector<std::string>& named,
              const std::function<bool(const std::string&)>& is_there);

/// The head's work directory that holds the files of a job: `<work>/jobs/<job>/files` exists as
/// long as the experiment runs. Determined from the path alone, since both may be gone.
/// @returns an empty path if `ini_dir` is no such place.
[[nodiscard]] std::filesystem::path work_directory_around(const std::filesystem::path& ini_dir);

/// The machines that trials run on.
enum class trial_place : std::uint8_t {
  here,
  /// This machine and others, which may have absolute paths that do not exist here.
  anywhere,
};

/// Files that an experiment needs and that are missing.
struct missing_files {
  /// Directory that relative names are relative to.
  std::filesystem::path ini_dir;
  /// Names as in the configuration; `ini_dir` itself if it is gone, and with it more than the known
  /// files.
  std::vector<std::string> names;
  /// Whether the first of them exists but is a directory where a file is needed.
  bool is_directory = false;
  /// How many files that is: a name may stand for a directory, and recorded ones count as well.
  std::size_t files = 0;

  [[nodiscard]] bool empty() const { return names.empty(); }
};

/// Looks for the files of the command, those that `[trainable] files` names without a pattern, and
/// those of templates, of a table and of a plugin. A directory in place of the program, or of one
/// of the last three, does not count.
/// @param before The experiment as recorded.
/// @param now    The experiment as it is to go on: where its files are, and which files its command
///         names.
[[nodiscard]] missing_files find_missing(const spec& before, const spec& now, trial_place where);
/// Like `find_missing`, for the experiment in `directory`; none if no experiment can be read there.
[[nodiscard]] missing_files find_missing_in(const std::filesystem::path& directory, const spec& now,
                                            trial_place where);

/// "/home/me/mv/train.py and 2 more files of its command are not there any more".
/// @param x Must not be empty.
[[nodiscard]] std::string to_text(const missing_files& x);

} // namespace tune

/// The files without which no trial of an experiment can run, and whether they are where its record
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

/// Files that the command names, whatever the configuration: those beside the INI file, against its
/// directory, and absolute paths outside of the system's directories. Empty where the trainable is
/// no command. They need not be there: the command may write them.
[[nodiscard]] std::vector<std::string> files_named(const spec& what, const search_space& space);

/// Which of the names a run cannot do without and does not find: those that were files when the
/// experiment began. What was none then is left to the command, which may make it.
///
/// @param recorded `spec::code` of the experiment as it began.
/// @param named    Files that the command names now; none of the others counts.
/// @param is_there Asked for each name at most once.
/// @returns in the order of `named`, each once.
[[nodiscard]] std::vector<std::string>
names_missing(const std::vector<named_text>& recorded, const std::vector<std::string>& named,
              const std::function<bool(const std::string&)>& is_there);

/// The work directory of the head where the files of a job lie: it has `<work>/jobs/<job>/files`
/// for as long as the experiment runs. The path alone tells, for both may be gone.
/// @returns nothing where `ini_dir` is no such place.
[[nodiscard]] std::filesystem::path work_directory_around(const std::filesystem::path& ini_dir);

/// Whose machine the trials run on.
enum class trial_place : std::uint8_t {
  here,
  /// Also on others, which may have absolute paths that are not here.
  anywhere,
};

/// What an experiment needs and does not have.
struct missing_files {
  /// What relative names stand against.
  std::filesystem::path ini_dir;
  /// As the configuration names them; `ini_dir` itself where that is gone, and more than known
  /// files with it.
  std::vector<std::string> names;
  /// The first of them is there, and is a directory where a file is needed.
  bool is_directory = false;

  [[nodiscard]] bool empty() const { return names.empty(); }
};

/// Looks for the files of the command, those that `[trainable] files` names without a pattern, and
/// for those of templates, of a table and of a plugin. A directory in the place of the program, or
/// of one of the last three, does not count.
/// @param before The experiment as it is recorded.
/// @param now    The same as it shall go on: where its files are, and what its command names.
[[nodiscard]] missing_files find_missing(const spec& before, const spec& now, trial_place where);
/// The same for what goes on in `directory`; none where no experiment can be read there.
[[nodiscard]] missing_files find_missing_in(const std::filesystem::path& directory, const spec& now,
                                            trial_place where);

/// "/home/me/mv/train.py and 2 more files of its command are not there any more".
/// @param x Not empty.
[[nodiscard]] std::string to_text(const missing_files& x);

} // namespace tune

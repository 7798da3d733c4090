// SPDX-License-Identifier: BSD-3-Clause
#include "run/overwrite.hpp"

#include "console/human.hpp"
#include "console/text.hpp"
#include "head/resumption.hpp"
#include "head/submitter.hpp"
#include "inspect/experiment_directory.hpp"
#include "run/before_run.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/io/external/searcher_process.hpp"
#include "tune/io/files/remove_tree.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/store_reader.hpp"
#include "tune/tuner/head_mark.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <numeric>
#include <vector>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

error refused(const fs::path& directory, const std::string& why) {
  return {ec::refused, directory.string() + " is not overwritten: " + why};
}

/// The entries of an experiment's directory besides its log file. Of those removed the
/// database is the last, so that the rest of an interrupted removal is still an experiment.
constexpr std::array<std::string_view, 13> parts{"trials",
                                                 "sinks",
                                                 submitter_file,
                                                 resumption_file,
                                                 head_mark_file,
                                                 searcher_log_name,
                                                 ".probe",
                                                 ".control",
                                                 "experiment.db-shm",
                                                 "experiment.db-journal",
                                                 "experiment.db-wal",
                                                 "experiment.db",
                                                 "lock"};

bool is_part(const std::string& name, const std::string& log) {
  return (!log.empty() && (name == log || name.starts_with(log + ".")))
         || std::find(parts.begin(), parts.end(), name) != parts.end();
}

/// The first component of a path such as "run.log" or "logs/run.log"; empty: there is none.
std::string first_part(const fs::path& path) {
  return path.empty() ? std::string{} : path.begin()->string();
}

/// Removes the log and its rotated files. Other files beside them stay.
void remove_log(const fs::path& directory, const fs::path& log) {
  std::error_code failed;
  auto place = (directory / log).parent_path();
  if (log.empty() || fs::is_symlink(fs::symlink_status(place, failed)))
    return;
  std::vector<fs::path> found;
  for (fs::directory_iterator i{place, failed}, end; !failed && i != end; i.increment(failed))
    if (i->path().filename().string().starts_with(log.filename().string()))
      found.push_back(i->path());
  for (const auto& x : found)
    fs::remove(x, failed);
  // Fails if anything is left in the directory.
  if (log.has_parent_path())
    fs::remove(place, failed);
}

/// @errors `ec::refused`, naming an entry that no experiment has.
expected<void> only_parts(const fs::path& directory, const std::string& log) {
  std::error_code failed;
  for (fs::directory_iterator i{directory, failed}, end; !failed && i != end; i.increment(failed)) {
    auto name = i->path().filename().string();
    if (!is_part(name, log))
      return refused(directory, "it holds " + name
                                    + ", which is no part of an experiment: move it"
                                      " away first");
  }
  return failed ? error{ec::storage, directory.string() + ": " + failed.message()}
                : expected<void>{};
}

struct found_experiment {
  std::string about;
  /// Relative path of its log; empty: it has none.
  fs::path log;
};

/// @param is_led Whether somebody runs it.
expected<found_experiment> look(const fs::path& directory, bool is_led) {
  std::error_code failed;
  if (fs::is_symlink(fs::symlink_status(directory, failed)))
    return refused(directory, "it is a link");
  auto state = inspect_directory(directory);
  if (!state)
    return refused(directory, state.error().detail);
  if (*state != directory_state::experiment)
    return refused(directory, "it holds no experiment");
  auto reader = store_reader::open(directory);
  auto row = reader ? reader->experiment() : expected<experiment_row>{reader.error()};
  if (!row)
    return error{ec::storage, row.error().detail};
  auto what = spec_from_json(row->spec);
  auto count = std::accumulate(row->counts.begin(), row->counts.end(), std::uint64_t{0});
  found_experiment result;
  result.about = "the experiment " + (what ? what->experiment.name + " " : std::string{}) + "in "
                 + directory.string() + ": " + counted(count, "trial") + ", "
                 + (row->status == "running" && !is_led ? unled_state(what && is_asked(*what))
                                                        : row->status);
  if (what)
    result.log = fs::path{what->log.file}.lexically_normal();
  if (result.log.is_absolute())
    result.log.clear();
  if (auto known = only_parts(directory, first_part(result.log)); !known)
    return known.error();
  return result;
}

} // namespace

expected<std::string> removable(const fs::path& directory) {
  auto found = look(directory, is_led(directory));
  return found ? expected<std::string>{found->about} : found.error();
}

expected<void> overwrite(const fs::path& directory,
                         const std::function<expected<void>(const std::string&)>& may) {
  std::error_code failed;
  auto state = inspect_directory(directory);
  auto is_link = fs::is_symlink(fs::symlink_status(directory, failed));
  if (state && *state != directory_state::experiment && !is_link)
    return {};
  const auto led = is_led(directory);
  if (auto found = look(directory, led); !found)
    return found.error();
  if (led)
    return refused(directory, "somebody runs it; end it by "
                                  + program_call("stop " + shell_word(directory.string())));
  auto lock = directory_lock::take(directory);
  if (!lock)
    return refused(directory, lock.error().detail);
  // From here on nobody else changes it.
  auto found = look(directory, false);
  if (!found)
    return found.error();
  if (auto allowed = may(found->about); !allowed)
    return allowed;
  remove_log(directory, found->log);
  for (auto name : parts) {
    auto gone = name == "lock" ? expected<void>{} : remove_tree(directory / name, without_limit);
    if (!gone)
      return gone;
  }
  return {};
}

expected<void> ask_to_remove(const std::string& what, bool yes) {
  if (yes)
    return {};
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1)
    return error{ec::refused, "--overwrite would remove " + what
                                  + ": give --yes, too, where nobody"
                                    " can be asked"};
  std::cerr << program_name() << ": remove " << printable(what) << "? [y/N] " << std::flush;
  // Nothing has been removed yet.
  interrupts signals{leave_at_once, leave_at_once};
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "y" || answer == "Y" || answer == "yes")
    return {};
  return error{ec::refused, what + ": it stays"};
}

} // namespace tune::cli

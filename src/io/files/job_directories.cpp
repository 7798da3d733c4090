// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/job_directories.hpp"

#include "posix/posix.hpp"

#include "tune/io/files/remove_tree.hpp"
#include "tune/io/process/leftovers.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// Names in a work directory.
constexpr const char* lock_name = "lock";
constexpr const char* jobs_name = "jobs";
constexpr const char* content_name = "content";
constexpr const char* mark_name = ".tune-work";
constexpr std::string_view mark_text = "This directory was made for a tune-node worker or head.\n";
/// Prefix of directories that are being removed.
constexpr std::string_view doomed_prefix = ".over-";
/// Name of the mark file in each directory made for a job.
constexpr const char* job_mark = ".tune-job";
/// Exists beside a complete file tree; recognises directories of earlier versions, which made no
/// mark.
constexpr const char* tree_stamp = "files.complete";
/// A job's id ends in "-" and this many digits of a hash.
constexpr std::size_t hash_digits = 16;
/// Limit on directories being removed for the same job.
constexpr int most_doomed = 1000;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(path, ignored));
}

bool ends_in_hash(const std::string& name) {
  const auto from = name.size() > hash_digits ? name.size() - hash_digits : 0;
  return from > 1 && name[from - 1] == '-'
         && name.find_first_not_of("0123456789abcdef", from) == name.npos;
}

/// Whether the directory has only things made for a job; true if it is empty.
bool holds_only_parts(const fs::path& directory) {
  constexpr std::array<std::string_view, 2> parts{"files", "trials"};
  std::error_code why;
  for (fs::directory_iterator i{directory, why}; !why && i != fs::end(i); i.increment(why)) {
    if (std::find(parts.begin(), parts.end(), i->path().filename().string()) == parts.end())
      return false;
  }
  return !why;
}

/// Whether the directory was made for a job. The mark may be missing if a cleanup removed it and a
/// trial's directory was created again.
bool is_job_directory(const fs::path& path) {
  const auto name = path.filename().string();
  std::error_code ignored;
  if (!fs::is_directory(fs::symlink_status(path, ignored)))
    return false;
  return name.starts_with(doomed_prefix) || is_file(path / job_mark) || is_file(path / tree_stamp)
         || (ends_in_hash(name) && holds_only_parts(path));
}

/// The entries of "jobs".
expected<std::vector<fs::path>> list(const fs::path& work) {
  std::vector<fs::path> result;
  std::error_code why;
  for (fs::directory_iterator i{work / jobs_name, why}; !why && i != fs::end(i); i.increment(why))
    result.push_back(i->path());
  if (why && why != std::errc::no_such_file_or_directory)
    return error{ec::storage, "cannot read " + (work / jobs_name).string() + ": " + why.message()};
  return result;
}

error not_ours(const fs::path& work, const fs::path& odd, const std::string& what) {
  return {ec::storage, work.string() + " cannot be the work directory: " + odd.string() + ' ' + what
                           + "; what jobs leave in it is removed: give another --work, which is "
                             "empty or not there, or move that away"};
}

/// A symbolic link would lead the sweep elsewhere.
expected<void> check_directory(const fs::path& work, const char* name) {
  std::error_code why;
  const auto found = fs::symlink_status(work / name, why);
  if (!fs::exists(found) || fs::is_directory(found))
    return {};
  return not_ours(work, work / name, "is no directory");
}

/// @returns nothing if it is not a file or cannot be read.
std::optional<std::string> text_of(const fs::path& file) {
  if (!is_file(file))
    return std::nullopt;
  std::ifstream in{file, std::ios::binary};
  std::string result(mark_text.size() + 1, '\0');
  in.read(result.data(), static_cast<std::streamsize>(result.size()));
  if (in.bad() || !in.is_open())
    return std::nullopt;
  result.resize(static_cast<std::size_t>(in.gcount()));
  return result;
}

/// Whether the entry belongs to the root of a file system.
bool is_of_file_system(const fs::path& path) {
  return path.filename() == "lost+found";
}

/// Whether a worker or head creates such an entry in its directory. The mark is empty if the
/// process was killed while writing it.
bool is_part(const fs::path& path) {
  const auto name = path.filename();
  return name == jobs_name || name == content_name
         || ((name == lock_name || name == mark_name) && text_of(path) == "");
}

/// An entry that was not made by an earlier version, which left no mark; empty if there is none.
std::optional<fs::path> first_foreign(const fs::path& work) {
  std::optional<fs::path> some;
  std::error_code why;
  for (fs::directory_iterator i{work, why}; !why && i != fs::end(i); i.increment(why)) {
    if (is_of_file_system(i->path()))
      continue;
    if (!is_part(i->path()))
      return i->path();
    some = i->path();
  }
  auto found = some ? list(work) : std::vector<fs::path>{};
  for (const auto& directory : found ? *found : std::vector<fs::path>{}) {
    if (!is_job_directory(directory))
      return directory;
  }
  // Earlier versions created the lock first.
  return some && !is_file(work / lock_name) ? some : std::nullopt;
}

/// An unused name for a directory to be removed: the first name may belong to the rest of an
/// earlier removal.
expected<fs::path> doomed_name(const fs::path& directory) {
  const auto first = std::string{doomed_prefix} + directory.filename().string();
  for (int i = 1; i <= most_doomed; ++i) {
    auto result = directory.parent_path() / (i == 1 ? first : first + "." + std::to_string(i));
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(result, ignored)))
      return result;
  }
  return error{ec::storage, "cannot remove " + directory.string() + ": too many directories "
                                + first + ".* are left"};
}

/// @param directory A directory made for a job.
expected<void> remove_whole(const fs::path& directory) {
  auto doomed = doomed_name(directory);
  if (!doomed)
    return doomed.error();
  std::error_code why;
  fs::rename(directory, *doomed, why);
  // A mount point cannot be renamed.
  if (why && why != std::errc::device_or_resource_busy)
    return error{ec::storage, "cannot remove " + directory.string() + ": " + why.message()};
  return remove_tree(why ? directory : *doomed);
}

/// Removes the rest of earlier removals that ran out of time. Their other errors were reported
/// then.
void remove_rest(const fs::path& work, std::chrono::steady_clock::time_point until) {
  using std::chrono::duration_cast;
  auto found = list(work);
  for (const auto& directory : found ? *found : std::vector<fs::path>{}) {
    const auto left
        = duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    const auto is_doomed = directory.filename().string().starts_with(doomed_prefix);
    if (left.count() > 0 && is_doomed && is_job_directory(directory))
      static_cast<void>(remove_tree(directory, left));
  }
}

} // namespace

expected<void> mark_job_directory(const fs::path& directory) {
  const auto file = directory / job_mark;
  if (is_file(file))
    return {};
  auto opened = store::open_file(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, "write");
  return opened ? expected<void>{} : opened.error();
}

expected<void> check_work_directory(const fs::path& work) {
  std::error_code why;
  const auto there = fs::status(work, why);
  if (!fs::exists(there))
    return {};
  if (!fs::is_directory(there))
    return not_ours(work, work, "is no directory");
  for (const auto* name : {jobs_name, content_name}) {
    if (auto fine = check_directory(work, name); !fine)
      return fine;
  }
  for (const auto* name : {lock_name, mark_name}) {
    if (fs::exists(fs::symlink_status(work / name, why)) && !is_file(work / name))
      return not_ours(work, work / name, "is no file");
  }
  if (text_of(work / mark_name) == mark_text)
    return {};
  if (auto odd = first_foreign(work))
    return not_ours(work, *odd, "is there, which was not made for a job");
  return {};
}

expected<void> mark_work_directory(const fs::path& work) {
  const auto file = work / mark_name;
  if (text_of(file) == mark_text)
    return {};
  auto opened
      = store::open_file(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, "write");
  return opened ? store::write_all(*opened, file, mark_text) : opened.error();
}

expected<void> remove_job_directory(const fs::path& work, const std::string& job) {
  const auto directory = work / jobs_name / job;
  const auto until = std::chrono::steady_clock::now() + removal_patience;
  std::error_code why;
  // Finish a removal that a crash interrupted.
  auto before = remove_tree(work / jobs_name / (std::string{doomed_prefix} + job));
  if (!fs::exists(fs::symlink_status(directory, why)))
    return before;
  auto gone = remove_whole(directory);
  remove_rest(work, until);
  return gone ? before : gone;
}

expected<void> sweep_job_directories(const fs::path& work, std::chrono::milliseconds grace,
                                     const std::function<void(const std::string&)>& tell,
                                     const std::set<std::string>& keep) {
  auto found = list(work);
  if (!found)
    return found.error();
  expected<void> result;
  for (const auto& directory : *found) {
    if (!is_job_directory(directory)) {
      if (tell)
        tell("left alone: " + directory.string() + ", which was not made for a job");
      continue;
    }
    if (auto unclear = sweep_leftovers(directory, grace); !unclear.empty() && tell)
      tell(unclear);
    if (keep.contains(directory.filename().string()))
      continue;
    const auto is_doomed = directory.filename().string().starts_with(doomed_prefix);
    auto gone = is_doomed ? remove_tree(directory) : remove_whole(directory);
    if (!gone && gone.error().code == ec::refused && tell)
      tell(gone.error().detail);
    else if (!gone && result)
      result = gone;
  }
  return result;
}

} // namespace tune

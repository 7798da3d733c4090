// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/job_directories.hpp"

#include "../store/posix.hpp"

#include "tune/io/files/remove_tree.hpp"
#include "tune/io/process/leftovers.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// What such a name has is on its way out.
constexpr std::string_view doomed_prefix = ".over-";
/// A file in each directory that was made for a job.
constexpr const char* job_mark = ".tune-job";
/// Lies beside the tree of files where that is whole; earlier versions made no mark.
constexpr const char* tree_stamp = "files.complete";
/// The id of a job ends in "-" and so many digits of a hash.
constexpr std::size_t hash_digits = 16;
/// Directories that are being removed and have the same job.
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

/// Whether nothing is in it but what is made for a job; also where it is empty.
bool holds_only_parts(const fs::path& directory) {
  constexpr std::array<std::string_view, 2> parts{"files", "trials"};
  std::error_code why;
  for (fs::directory_iterator i{directory, why}; !why && i != fs::end(i); i.increment(why)) {
    if (std::find(parts.begin(), parts.end(), i->path().filename().string()) == parts.end())
      return false;
  }
  return !why;
}

/// Whether it was made for a job. A mark may have been lost where somebody cleaned up and a trial's
/// directory was made anew.
bool is_job_directory(const fs::path& path) {
  const auto name = path.filename().string();
  std::error_code ignored;
  if (!fs::is_directory(fs::symlink_status(path, ignored)))
    return false;
  return name.starts_with(doomed_prefix) || is_file(path / job_mark) || is_file(path / tree_stamp)
         || (ends_in_hash(name) && holds_only_parts(path));
}

/// What lies in "jobs".
expected<std::vector<fs::path>> list(const fs::path& work) {
  std::vector<fs::path> result;
  std::error_code why;
  for (fs::directory_iterator i{work / "jobs", why}; !why && i != fs::end(i); i.increment(why))
    result.push_back(i->path());
  if (why && why != std::errc::no_such_file_or_directory)
    return error{ec::storage, "cannot read " + (work / "jobs").string() + ": " + why.message()};
  return result;
}

/// Whether work was done for jobs in it before: see `content_store::open`.
bool is_work_directory(const fs::path& work) {
  std::error_code ignored;
  return is_file(work / "lock") && fs::is_directory(work / "content" / "incoming", ignored);
}

/// A name beside that nothing has: what an earlier removal had to leave may have the first.
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

/// @param directory One that was made for a job.
expected<void> remove_whole(const fs::path& directory) {
  auto doomed = doomed_name(directory);
  if (!doomed)
    return doomed.error();
  std::error_code why;
  fs::rename(directory, *doomed, why);
  // A mount point has to keep its name.
  if (why && why != std::errc::device_or_resource_busy)
    return error{ec::storage, "cannot remove " + directory.string() + ": " + why.message()};
  return remove_tree(why ? directory : *doomed);
}

} // namespace

expected<void> mark_job_directory(const fs::path& directory) {
  const auto file = directory / job_mark;
  if (is_file(file))
    return {};
  auto opened = store::open_file(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, "write");
  return opened ? expected<void>{} : opened.error();
}

expected<void> check_job_directories(const fs::path& work) {
  if (is_work_directory(work))
    return {};
  auto found = list(work);
  for (const auto& directory : found ? *found : std::vector<fs::path>{}) {
    if (!is_job_directory(directory))
      return error{ec::storage, work.string()
                                    + " cannot be the work directory: " + directory.string()
                                    + " is there, which was not made for a job; directories of "
                                      "jobs are removed with them: give another --work, or move "
                                      "it away"};
  }
  return {};
}

expected<void> remove_job_directory(const fs::path& work, const std::string& job) {
  const auto directory = work / "jobs" / job;
  std::error_code why;
  // Where a crash left off.
  auto before = remove_tree(work / "jobs" / (std::string{doomed_prefix} + job));
  if (!fs::exists(fs::symlink_status(directory, why)))
    return before;
  auto gone = remove_whole(directory);
  return gone ? before : gone;
}

expected<void> sweep_job_directories(const fs::path& work, std::chrono::milliseconds grace,
                                     const std::function<void(const std::string&)>& tell) {
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

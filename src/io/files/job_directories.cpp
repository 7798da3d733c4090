// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/job_directories.hpp"

#include "tune/io/process/leftovers.hpp"

#include <system_error>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// What such a name has is on its way out.
constexpr const char* doomed_prefix = ".over-";

/// Lets the owner remove what is in directories that somebody closed.
void open_directories(const fs::path& root) {
  std::error_code why;
  fs::permissions(root, fs::perms::owner_all, fs::perm_options::add, why);
  std::vector<fs::path> found;
  for (fs::directory_iterator i{root, why}; !why && i != fs::end(i); i.increment(why)) {
    std::error_code ignored;
    if (i->is_directory(ignored) && !i->is_symlink(ignored))
      found.push_back(i->path());
  }
  for (const auto& directory : found)
    open_directories(directory);
}

expected<void> remove_tree(const fs::path& root) {
  std::error_code why;
  fs::remove_all(root, why);
  std::error_code ignored;
  if (why && !fs::is_symlink(root, ignored)) {
    open_directories(root);
    fs::remove_all(root, why);
  }
  if (why)
    return error{ec::storage, "cannot remove " + root.string() + ": " + why.message()};
  return {};
}

} // namespace

expected<void> remove_job_directory(const fs::path& work, const std::string& job) {
  const auto directory = work / "jobs" / job;
  const auto doomed = work / "jobs" / (doomed_prefix + job);
  std::error_code why;
  if (!fs::exists(fs::symlink_status(directory, why)))
    return {};
  if (auto gone = remove_tree(doomed); !gone)
    return gone;
  fs::rename(directory, doomed, why);
  if (why)
    return error{ec::storage, "cannot remove " + directory.string() + ": " + why.message()};
  return remove_tree(doomed);
}

expected<void> sweep_job_directories(const fs::path& work, std::chrono::milliseconds grace,
                                     const std::function<void(const std::string&)>& tell) {
  std::vector<fs::path> found;
  std::error_code why;
  for (fs::directory_iterator i{work / "jobs", why}; !why && i != fs::end(i); i.increment(why))
    found.push_back(i->path());
  if (why && why != std::errc::no_such_file_or_directory)
    return error{ec::storage, "cannot read " + (work / "jobs").string() + ": " + why.message()};
  expected<void> result;
  for (const auto& directory : found) {
    if (auto unclear = sweep_leftovers(directory, grace); !unclear.empty() && tell)
      tell(unclear);
    if (auto gone = remove_tree(directory); !gone && result)
      result = gone;
  }
  return result;
}

} // namespace tune

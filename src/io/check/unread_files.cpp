// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/check/unread_files.hpp"

#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_unread = 100;
constexpr std::array own_files{"params.json", "result.jsonl", "progress.csv", "error.txt"};

class unread_search {
public:
  explicit unread_search(const fs::path& directory) : directory_{directory} {}

  std::vector<unread_file> found;

  void look_at_trials() {
    const auto trials = trials_directory(directory_);
    if (!may_enter(trials))
      return;
    std::error_code failed;
    for (fs::directory_iterator i{trials, failed}, end; !failed && i != end; i.increment(failed)) {
      if (!is_directory(i->path()) || !may_enter(i->path()))
        continue;
      for (const auto* name : own_files)
        may_read(i->path() / name);
    }
  }

  void look_at_checkpoint(const std::string& location) {
    auto way = directory_;
    for (const auto& part : fs::path{location}) {
      way /= part;
      if (!is_directory(way) || !may_enter(way))
        return;
    }
    look_below(way);
  }

private:
  const fs::path& directory_;
  std::set<fs::path> shut_;

  /// Mount points do not count as directories: a file system mounted by a trial may never answer.
  static bool is_directory(const fs::path& path) {
    auto above = guarded_directory::open(path.parent_path());
    return above && above->has_directory(path.filename());
  }
  static bool is_mounted(const fs::path& path) {
    auto above = guarded_directory::open(path.parent_path());
    return above && above->has_mount_point(path.filename());
  }

  void look_below(const fs::path& directory) {
    std::error_code failed;
    for (fs::directory_iterator i{directory, failed}, end; !failed && i != end;
         i.increment(failed)) {
      if (!is_directory(i->path()))
        static_cast<void>(may_read(i->path()));
      else if (may_enter(i->path()))
        look_below(i->path());
    }
  }

  bool may_enter(const fs::path& directory) { return may(directory, R_OK | X_OK); }
  bool may_read(const fs::path& file) { return !is_mounted(file) && may(file, R_OK); }

  /// Checks access with the effective user's rights, which count when files are opened.
  bool may(const fs::path& path, int what) {
    if (::faccessat(AT_FDCWD, path.c_str(), what, AT_EACCESS | AT_SYMLINK_NOFOLLOW) == 0)
      return true;
    const int why = errno;
    const bool is_shut = why == EACCES || why == EPERM;
    if (is_shut && found.size() < most_unread && shut_.insert(path).second)
      found.push_back({path.lexically_relative(directory_).string(), std::strerror(why)});
    return false;
  }
};

} // namespace

std::string to_text(const unread_file& x) {
  return x.path + ": cannot be read: " + x.why;
}

std::vector<unread_file> unread_files(const fs::path& directory,
                                      const std::set<std::string>& checkpoints) {
  unread_search all{directory};
  all.look_at_trials();
  for (const auto& location : checkpoints)
    all.look_at_checkpoint(location);
  return std::move(all.found);
}

} // namespace tune

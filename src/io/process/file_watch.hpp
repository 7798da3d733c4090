/// Reports changes of files that processes write. Private to io/process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "posix/unique_fd.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// One inotify instance for all processes of a service, since a user may have only few. A file
/// counts as changed when its writer closes it or another file is moved into its place. If there is
/// no instance or no watch left, no changes are reported, and files are read only at the end.
///
/// This class never accesses a disk: directories are searched elsewhere, by a `search`.
class file_watch {
public:
  /// Result of a search.
  struct found {
    /// A watch descriptor and the relevant name in its directory.
    std::vector<std::pair<int, std::string>> watches;
    /// True if one of the files exists.
    bool has_file = false;
  };

  /// Finds the directories on the way to the files and adds watches for them.
  class search {
  public:
    /// May block on the disk. May be called from any thread.
    [[nodiscard]] found run() const;

  private:
    friend class file_watch;
    std::shared_ptr<const unique_fd> notes_;
    std::filesystem::path directory_;
    std::vector<std::string> files_;

    [[nodiscard]] bool watch(const std::string& file, found& into) const;
  };

  /// Adds files of a process, which are watched from the end of the next search on. Directories on
  /// the way to them may be created later.
  /// @returns the descriptor to poll if this call created it; else -1.
  int add(std::uint64_t process, const std::filesystem::path& directory,
          std::vector<std::string> files);
  /// A search for the files of a process that was added. Pass its result to `know`.
  [[nodiscard]] search search_for(std::uint64_t process) const;
  /// @returns whether there are new watches: another search may find more, and changes made before
  ///          the watches existed were not reported.
  [[nodiscard]] bool know(std::uint64_t process, const found& what);
  void remove(std::uint64_t process);

  struct news {
    /// Processes whose files may have changed.
    std::set<std::uint64_t> changed;
    /// Processes with new directories on the way to their files.
    std::set<std::uint64_t> grown;
  };
  /// Reads all pending events.
  [[nodiscard]] news take();

private:
  struct watched {
    std::filesystem::path directory;
    std::vector<std::string> files;
    std::set<int> watches;
  };

  std::shared_ptr<unique_fd> notes_ = std::make_shared<unique_fd>();
  std::map<std::uint64_t, watched> processes_;
  /// Process by watch: no two processes share a directory.
  std::map<int, std::uint64_t> owners_;
  /// Relevant names in the directory, by watch.
  std::map<int, std::set<std::string>> names_;

  void take(int watch, const char* name, std::uint32_t what, news& into) const;
};

} // namespace tune

/// Tells when files that processes write have changed. Private to io/process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "unique_fd.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// One inotify instance for all processes of a service: a user may have few of them. A file counts
/// as changed when who wrote it closes it, or another is put in its place. Where there is no
/// instance or no watch left for it nothing is told: then files are read at the end alone.
///
/// It never asks a disk: directories are looked for elsewhere, by a `search`.
class file_watch {
public:
  /// What a search came to.
  struct found {
    /// A watch, and what matters in its directory.
    std::vector<std::pair<int, std::string>> watches;
    /// A file is there by now.
    bool has_file = false;
  };

  /// Looks for the directories on the way to files, and has them watched.
  class search {
  public:
    /// Blocks on the disk; for any thread.
    [[nodiscard]] found run() const;

  private:
    friend class file_watch;
    std::shared_ptr<const unique_fd> notes_;
    std::filesystem::path directory_;
    std::vector<std::string> files_;

    [[nodiscard]] bool watch(const std::string& file, found& into) const;
  };

  /// Files of a process are to be watched, from the end of a search on. Directories on the way to
  /// them may come later.
  /// @returns the descriptor to wait for, where this call made it; else -1.
  int add(std::uint64_t process, const std::filesystem::path& directory,
          std::vector<std::string> files);
  /// For the files of a process that was added. What comes of it goes to `know`.
  [[nodiscard]] search search_for(std::uint64_t process) const;
  /// @returns whether there are new watches: another search may find more, and what changed before
  ///          they were known was not told.
  [[nodiscard]] bool know(std::uint64_t process, const found& what);
  void remove(std::uint64_t process);

  struct news {
    /// Processes whose files may have changed.
    std::set<std::uint64_t> changed;
    /// Those that have directories on the way to them which they had not before.
    std::set<std::uint64_t> grown;
  };
  /// Takes what happened.
  [[nodiscard]] news take();

private:
  struct watched {
    std::filesystem::path directory;
    std::vector<std::string> files;
    std::set<int> watches;
  };

  std::shared_ptr<unique_fd> notes_ = std::make_shared<unique_fd>();
  std::map<std::uint64_t, watched> processes_;
  /// By watch: the directories of several processes are never the same.
  std::map<int, std::uint64_t> owners_;
  /// By watch: what in that directory matters.
  std::map<int, std::set<std::string>> names_;

  void take(int watch, const char* name, std::uint32_t what, news& into) const;
};

} // namespace tune

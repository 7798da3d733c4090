/// Tells when files that processes write have changed. Private to io/process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "unique_fd.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tune {

/// One inotify instance for all processes of a service: a user may have few of them. A file counts
/// as changed when who wrote it closes it, or another is put in its place. Where there is no
/// instance or no watch left for it nothing is told: then files are read at the end alone.
class file_watch {
public:
  /// Watches files of a process. Directories on the way to them may come later.
  /// @returns the descriptor to wait for, where this call made it; else -1.
  int add(std::uint64_t process, const std::filesystem::path& directory,
          std::vector<std::string> files);
  void remove(std::uint64_t process);

  /// Takes what happened. @returns the processes whose files may have changed.
  [[nodiscard]] std::set<std::uint64_t> changed();

private:
  struct watched {
    std::filesystem::path directory;
    std::vector<std::string> files;
    std::set<int> watches;
  };

  unique_fd notes_;
  std::map<std::uint64_t, watched> processes_;
  /// By watch: the directories of several processes are never the same.
  std::map<int, std::uint64_t> owners_;
  /// By watch: what in that directory matters.
  std::map<int, std::set<std::string>> names_;

  void look(std::uint64_t process, watched& what);
  void take(int watch, const char* name, std::uint32_t what, std::set<std::uint64_t>& changed);
};

} // namespace tune

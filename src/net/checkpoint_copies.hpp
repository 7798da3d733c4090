/// Decides which copies of checkpoints stay on a worker. A pure value: it removes nothing itself.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <string>
#include <vector>

namespace tune {

/// A checkpoint that both a worker and its head have.
struct checkpoint_copy {
  std::string job;
  std::uint64_t trial = 0;
  std::filesystem::path where;
  std::uint64_t bytes = 0;
};

/// Keeps the newest copy of each trial, in case that the trial goes on here, as long as all of them
/// fit into a limit; the oldest go first. Copies in use always stay.
class checkpoint_copies {
public:
  /// @param room Limit of copies that are not in use. [bytes]
  explicit checkpoint_copies(std::uint64_t room) : room_{room} {}

  /// Adds a copy as the newest of its trial, even if it was known before.
  void add(checkpoint_copy what);
  /// Begin and end of a use, counted. Unknown copies are ignored.
  void use(const std::filesystem::path& where);
  void release(const std::filesystem::path& where);
  /// Forgets a job whose directory is gone.
  void forget(const std::string& job);

  /// Takes out the copies that are to be removed now.
  [[nodiscard]] std::vector<checkpoint_copy> surplus();

private:
  struct entry {
    checkpoint_copy what;
    std::size_t users = 0;
  };
  std::uint64_t room_;
  /// Oldest first.
  std::list<entry> all_;

  std::list<entry>::iterator find(const std::filesystem::path& where);
  [[nodiscard]] bool has_newer(std::list<entry>::const_iterator of) const;
};

} // namespace tune

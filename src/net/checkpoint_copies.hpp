/// Which copies of checkpoints stay on a worker. A pure value: it removes nothing itself.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <string>
#include <vector>

namespace tune {

/// A checkpoint that a worker has and its head, too.
struct checkpoint_copy {
  std::string job;
  std::uint64_t trial = 0;
  std::filesystem::path where;
  std::uint64_t bytes = 0;
};

/// Of each trial the newest copy stays, in case that the trial goes on here, as long as all of them
/// fit into a room; the ones that came longest ago go first. What is in use always stays.
class checkpoint_copies {
public:
  /// @param room For the copies that nobody uses. [bytes]
  explicit checkpoint_copies(std::uint64_t room) : room_{room} {}

  /// A copy is there: the newest of its trial. One that was known is now the newest.
  void add(checkpoint_copy what);
  /// Somebody reads it, and later no more. Counted; a copy that is not known is left alone.
  void use(const std::filesystem::path& where);
  void release(const std::filesystem::path& where);
  /// The job's directory is gone.
  void forget(const std::string& job);

  /// What is to be removed now; it is not known any more.
  [[nodiscard]] std::vector<checkpoint_copy> surplus();

private:
  struct entry {
    checkpoint_copy what;
    std::size_t users = 0;
  };
  std::uint64_t room_;
  /// Those that came first stand first.
  std::list<entry> all_;

  std::list<entry>::iterator find(const std::filesystem::path& where);
  [[nodiscard]] bool has_newer(std::list<entry>::const_iterator of) const;
};

} // namespace tune

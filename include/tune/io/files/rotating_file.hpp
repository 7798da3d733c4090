/// A file that grows line by line and is begun anew before it becomes too long.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tune {

/// Earlier files are kept beside it: `run.log`, `run.1.log`, `run.2.log`, the newest first.
///
/// It may lie where others write, too: it writes into regular files only that have no other name,
/// never through a link.
class rotating_file {
public:
  struct limits {
    /// Of one file. [bytes]
    std::uint64_t bytes = 0;
    /// In all. [>= 1]
    std::size_t files = 1;
  };

  /// Goes on with a file that is there, on a line of its own; makes the directories on the way.
  /// @errors `ec::refused` where something else than a file has its name; `ec::storage`.
  [[nodiscard]] static expected<rotating_file> open(const std::filesystem::path& file, limits most);

  /// Appends; what comes at once stays together in one file. Kept in memory up to 64 KiB.
  [[nodiscard]] expected<void> write(std::string_view text);
  /// Writes what is kept in memory.
  [[nodiscard]] expected<void> flush();

private:
  guarded_directory where_;
  std::filesystem::path name_;
  limits most_;
  store::descriptor file_{-1};
  std::uint64_t size_ = 0;
  std::string waiting_;

  rotating_file(guarded_directory where, std::filesystem::path name, limits most)
      : where_{std::move(where)}, name_{std::move(name)}, most_{most} {}

  /// `run.2.log`; the file's own name for 0.
  [[nodiscard]] std::string name_of(std::size_t number) const;
  [[nodiscard]] expected<void> begin();
  [[nodiscard]] expected<void> end_last_line();
  [[nodiscard]] expected<void> rotate();
};

} // namespace tune

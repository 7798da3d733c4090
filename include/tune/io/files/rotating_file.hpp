/// A file that grows line by line and is rotated before it becomes too long.
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

/// Keeps earlier files beside it: `run.log`, `run.1.log`, `run.2.log`, the newest first.
///
/// May be in a directory that others write to: writes only into regular files without other names,
/// and never through a symbolic link.
class rotating_file {
public:
  struct limits {
    /// Size limit of one file. [bytes]
    std::uint64_t bytes = 0;
    /// Number of files in all. [>= 1]
    std::size_t files = 1;
  };

  /// Continues an existing file, on a new line; creates missing directories.
  /// @errors `ec::refused` if something other than a file has its name; `ec::storage`.
  [[nodiscard]] static expected<rotating_file> open(const std::filesystem::path& file, limits most);

  /// Appends; the text of one call stays together in one file. Buffers up to 64 KiB in memory.
  [[nodiscard]] expected<void> write(std::string_view text);
  /// Writes the buffered text.
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

/// Files and directories of POSIX, failing by value with path and reason.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/descriptor.hpp"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace tune::store {

/// What a system call failed with, and which limit says so.
/// @param number An errno.
[[nodiscard]] std::string text_of_errno(int number);

/// `ec::storage`: "<path>: cannot <doing>: <text of errno>".
[[nodiscard]] error system_error(const std::filesystem::path& path, std::string_view doing,
                                 int number);

/// The file that a path led to.
class file_mark {
public:
  [[nodiscard]] static expected<file_mark> of(const std::filesystem::path& path);

  /// @errors `ec::storage` where the path leads to another file now, or to none.
  [[nodiscard]] expected<void> check() const;

private:
  file_mark(std::filesystem::path path, ::dev_t device, ::ino_t number)
      : path_{std::move(path)}, device_{device}, number_{number} {}

  std::filesystem::path path_;
  ::dev_t device_;
  ::ino_t number_;
};

/// @param flags as for `open`; close-on-exec is added. @param doing for the error: "read", "write".
/// @errors `ec::storage`, `ec::shortage` where there is no descriptor for it now.
[[nodiscard]] expected<descriptor> open_file(const std::filesystem::path& path, int flags,
                                             std::string_view doing);
/// The same trouble of a file that is only read: `ec::unreadable`, unless it passes.
[[nodiscard]] error when_read(error why);
/// The same for a file of ours where others may write, too: never through a link, and never one
/// that is no regular file or has other names. @errors `ec::refused`, too.
[[nodiscard]] expected<descriptor> open_own_file(const std::filesystem::path& path, int flags,
                                                 std::string_view doing);
/// Writes all of it.
[[nodiscard]] expected<void> write_all(const descriptor& to, const std::filesystem::path& path,
                                       std::string_view text);
/// Makes the content of a file durable.
[[nodiscard]] expected<void> sync_file(const std::filesystem::path& path);
/// Makes the entries of a directory durable.
[[nodiscard]] expected<void> sync_directory(const std::filesystem::path& path);
/// Puts `text` in the place of the file, whole or not at all as far as other processes see.
[[nodiscard]] expected<void> replace_file(const std::filesystem::path& path, std::string_view text);

} // namespace tune::store

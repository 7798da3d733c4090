/// POSIX files and directories, with errors as values that have the path and the reason.
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

/// The text of an error number, with the limit that caused it if known.
/// @param number An errno.
[[nodiscard]] std::string text_of_errno(int number);

/// `ec::storage`: "<path>: cannot <doing>: <text of errno>".
[[nodiscard]] error system_error(const std::filesystem::path& path, std::string_view doing,
                                 int number);

/// Remembers the file that a path led to.
class file_mark {
public:
  [[nodiscard]] static expected<file_mark> of(const std::filesystem::path& path);

  /// @errors `ec::storage` if the path now leads to another file or to none.
  [[nodiscard]] expected<void> check() const;

private:
  file_mark(std::filesystem::path path, ::dev_t device, ::ino_t number)
      : path_{std::move(path)}, device_{device}, number_{number} {}

  std::filesystem::path path_;
  ::dev_t device_;
  ::ino_t number_;
};

/// @param flags as for `open`; close-on-exec is added. @param doing verb for the error text:
///              "read", "write".
/// @errors `ec::storage`; `ec::shortage` if no descriptor is available now.
[[nodiscard]] expected<descriptor> open_file(const std::filesystem::path& path, int flags,
                                             std::string_view doing);
/// Converts an error for a file that is only read: to `ec::unreadable`, except for a passing
/// shortage.
[[nodiscard]] error when_read(error why);
/// Like `open_file`, for a file of this program in a directory that others may write to: refuses
/// symbolic links, and files that are not regular or have other names. @errors `ec::refused`, too.
[[nodiscard]] expected<descriptor> open_own_file(const std::filesystem::path& path, int flags,
                                                 std::string_view doing);
/// Writes the whole text.
[[nodiscard]] expected<void> write_all(const descriptor& to, const std::filesystem::path& path,
                                       std::string_view text);
/// Makes the content of a file durable.
[[nodiscard]] expected<void> sync_file(const std::filesystem::path& path);
/// Makes the entries of a directory durable.
[[nodiscard]] expected<void> sync_directory(const std::filesystem::path& path);
/// Replaces the file's content by `text`, atomically as seen by other processes.
[[nodiscard]] expected<void> replace_file(const std::filesystem::path& path, std::string_view text);

} // namespace tune::store

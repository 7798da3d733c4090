/// Safe access to a directory that other programs change while files in it are read and written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/descriptor.hpp"

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tune {

/// A file opened for writing.
struct writable_file {
  store::descriptor file;
  /// The kind of thing that was removed from its place, such as "a named pipe"; empty if none.
  std::string replaced;
};

/// An open directory. Files opened through it are below it and regular: no symbolic link is
/// followed, no mount point entered, and no named pipe or device waited for. So a program that
/// replaces a file by something else harms only itself. A file system that it mounts there is not
/// accessed at all, so that one that never answers blocks nobody.
///
/// All functions fail with `ec::refused`, naming the thing and its kind, if something other than a
/// file or directory is in the way or permissions are missing; with `ec::storage` if the system
/// fails.
class guarded_directory {
public:
  /// @param trusted Symbolic links in this path are followed; it may itself be a link or a mount
  ///                point.
  /// @param way     The path from there on; relative, without "..". No part of it may be a link or
  ///                a mount point.
  [[nodiscard]] static expected<guarded_directory> open(const std::filesystem::path& trusted,
                                                        const std::filesystem::path& way = {});
  /// Like `open`, but creates missing directories of `way`.
  [[nodiscard]] static expected<guarded_directory> make(const std::filesystem::path& trusted,
                                                        const std::filesystem::path& way);

  /// Opens the directory that contains `file`. The directory's own name may not be a link; its
  /// parent's may.
  [[nodiscard]] static expected<guarded_directory> holding(const std::filesystem::path& file);

  /// Opens a directory below this one. @param way as in `open`.
  [[nodiscard]] expected<guarded_directory> enter(const std::filesystem::path& way) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] int number() const { return directory_.number(); }

  /// The kind of thing under this name that cannot be written to, such as "a named pipe"; empty for
  /// a regular file without other names, or if nothing exists.
  [[nodiscard]] std::string oddity(const std::string& name) const;
  /// Whether the name exists.
  [[nodiscard]] bool has_any(const std::string& name) const;
  /// Whether the name is a mount point.
  [[nodiscard]] bool has_mount_point(const std::string& name) const;
  /// Whether the name is a non-empty file, a non-empty directory, or a link to one of them. Mounted
  /// things do not count.
  [[nodiscard]] bool has_content(const std::string& name) const;
  /// Whether the name is a directory and not a mount point.
  [[nodiscard]] bool has_directory(const std::string& name) const;
  /// Whether the name is a regular file.
  [[nodiscard]] bool has_file(const std::string& name) const;

  /// Opens a file for reading. @param way relative, without "..".
  [[nodiscard]] expected<store::descriptor> read(const std::filesystem::path& way) const;
  /// Reads a whole file. @returns nothing if it does not exist.
  /// @param most Size limit; a longer file is refused. [bytes]
  [[nodiscard]] expected<std::optional<std::string>> text(const std::string& name,
                                                          std::size_t most) const;

  /// Opens a file for appending; creates it if missing. Anything but a regular file with this
  /// single name is replaced by a new file, since written data would end up elsewhere. A directory
  /// is not replaced.
  [[nodiscard]] expected<writable_file> append(const std::string& name, ::mode_t mode = 0666) const;
  /// Like `append`, but fails with `ec::refused` instead of replacing anything.
  [[nodiscard]] expected<store::descriptor> extend(const std::string& name,
                                                   ::mode_t mode = 0666) const;
  /// Like `append`, but for writing at any position.
  [[nodiscard]] expected<writable_file> update(const std::string& name, ::mode_t mode = 0666) const;
  /// Creates a new file; removes an existing thing of this name, except a directory.
  [[nodiscard]] expected<store::descriptor> create(const std::string& name,
                                                   ::mode_t mode = 0666) const;
  /// Replaces the file of this name by `text`, atomically as seen by others.
  /// @param beside The temporary name; every writer that replaces the file must use a different
  ///               one.
  /// @returns the kind of a replaced thing that was not a regular file, as in
  ///          `writable_file::replaced`.
  [[nodiscard]] expected<std::string> replace(const std::string& name, std::string_view text,
                                              const std::string& beside) const;
  /// Renames a file; replaces an existing one.
  [[nodiscard]] expected<void> rename(const std::string& from, const std::string& to) const;
  /// Removes a file; a missing one is no error.
  [[nodiscard]] expected<void> remove(const std::string& name) const;
  /// Removes anything with this name, a directory with its whole content: see `tune::remove_tree`.
  [[nodiscard]] expected<void> remove_tree(const std::string& name) const;

private:
  std::filesystem::path path_;
  store::descriptor directory_;

  guarded_directory(std::filesystem::path path, store::descriptor directory)
      : path_{std::move(path)}, directory_{std::move(directory)} {}

  [[nodiscard]] expected<writable_file> open_to_write(const std::string& name, int how,
                                                      ::mode_t mode, bool replaces) const;
};

/// "<path> was <what> and is replaced by a new file".
[[nodiscard]] std::string replaced_text(const std::filesystem::path& path, std::string_view what);

/// Opens names below a directory: in one call by openat2(2), or name by name, as kernels before 5.6
/// require.
namespace beneath {

/// @param way    Relative, without "..".
/// @param flags  As for open(2); links are never followed, close-on-exec is added. A mount point on
/// the way, or at its end, is neither opened nor accessed: that fails with EXDEV.
/// @returns a descriptor; -1 with errno on failure.
[[nodiscard]] int open(int directory, const std::filesystem::path& way, int flags,
                       ::mode_t mode = 0);
[[nodiscard]] int open_name_by_name(int directory, const std::filesystem::path& way, int flags,
                                    ::mode_t mode = 0);

} // namespace beneath

} // namespace tune

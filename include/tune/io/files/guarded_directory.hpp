/// A directory that other programs change while files in it are read and written.
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

/// A file that may be written.
struct writable_file {
  store::descriptor file;
  /// What lay there instead and was removed, as in "a named pipe"; empty: nothing.
  std::string replaced;
};

/// An open directory. What is opened below it stays below it and is a regular file: no link is
/// followed, no mount point entered, and neither a named pipe nor a device is waited for. So a
/// program that puts something else in the place of a file harms nobody but itself. What it mounts
/// there is not even asked for anything: a file system that never answers stops nobody.
///
/// All functions fail with `ec::refused` where something else than a file or directory is in the
/// way, with its name and kind, or where rights were taken from what is there; with `ec::storage`
/// where the system fails.
class guarded_directory {
public:
  /// @param trusted Links on the way to it are followed, and it may be one; or a mount point.
  /// @param way     From there on; relative, without "..". Nothing on it may be a link, nor a mount
  ///                point.
  [[nodiscard]] static expected<guarded_directory> open(const std::filesystem::path& trusted,
                                                        const std::filesystem::path& way = {});
  /// The same; makes the directories of `way` that are missing.
  [[nodiscard]] static expected<guarded_directory> make(const std::filesystem::path& trusted,
                                                        const std::filesystem::path& way);

  /// The directory that the file lies in; its own name may be no link, that of its parent may.
  [[nodiscard]] static expected<guarded_directory> holding(const std::filesystem::path& file);

  /// A directory below this one. @param way as above.
  [[nodiscard]] expected<guarded_directory> enter(const std::filesystem::path& way) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] int number() const { return directory_.number(); }

  /// What lies under the name and cannot be written on, as in "a named pipe"; empty: a regular
  /// file without other names, or nothing.
  [[nodiscard]] std::string oddity(const std::string& name) const;
  /// Whether anything has the name.
  [[nodiscard]] bool has_any(const std::string& name) const;
  /// Whether something is mounted under the name.
  [[nodiscard]] bool has_mount_point(const std::string& name) const;
  /// Whether a file that is not empty has the name, or a directory that is not, or a link that
  /// leads to one of them. Nothing that is mounted counts.
  [[nodiscard]] bool has_content(const std::string& name) const;
  /// Whether a directory lies under the name, and no mount point.
  [[nodiscard]] bool has_directory(const std::string& name) const;
  /// Whether a regular file lies under the name.
  [[nodiscard]] bool has_file(const std::string& name) const;

  /// Opens a file to be read. @param way relative, without "..".
  [[nodiscard]] expected<store::descriptor> read(const std::filesystem::path& way) const;
  /// All of a file. @returns nothing where there is none.
  /// @param most of bytes; a longer one is refused.
  [[nodiscard]] expected<std::optional<std::string>> text(const std::string& name,
                                                          std::size_t most) const;

  /// Opens a file to be written on at its end; makes it where it is missing. What is not a regular
  /// file with this one name is replaced by a new file: what is written would come out elsewhere.
  /// A directory is not replaced.
  [[nodiscard]] expected<writable_file> append(const std::string& name, ::mode_t mode = 0666) const;
  /// The same, but replaces nothing: fails with `ec::refused` where it would.
  [[nodiscard]] expected<store::descriptor> extend(const std::string& name,
                                                   ::mode_t mode = 0666) const;
  /// As `append`, to be written anywhere.
  [[nodiscard]] expected<writable_file> update(const std::string& name, ::mode_t mode = 0666) const;
  /// Makes a new file; what has its name is removed. A directory is not.
  [[nodiscard]] expected<store::descriptor> create(const std::string& name,
                                                   ::mode_t mode = 0666) const;
  /// Puts `text` in the place of what has the name, whole or not at all as far as others see.
  /// @param beside The name that it has meanwhile; whoever else replaces the file takes another.
  /// @returns what was replaced and was no regular file, as in `writable_file::replaced`.
  [[nodiscard]] expected<std::string> replace(const std::string& name, std::string_view text,
                                              const std::string& beside) const;
  /// Gives a file another name; what had that is replaced.
  [[nodiscard]] expected<void> rename(const std::string& from, const std::string& to) const;
  /// Removes a file; that it is missing is no error.
  [[nodiscard]] expected<void> remove(const std::string& name) const;
  /// Removes whatever has the name, a directory with all that is in it: see `tune::remove_tree`.
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

/// How names below a directory are looked up: at once by openat2(2), or, as kernels before 5.6
/// need it, name by name.
namespace beneath {

/// @param way    Relative, without "..".
/// @param flags  As for open(2); links are never followed, close-on-exec is added.
/// What is mounted on the way, or there, is neither opened nor asked: that fails with EXDEV.
/// @returns a descriptor; -1, and errno, where that fails.
[[nodiscard]] int open(int directory, const std::filesystem::path& way, int flags,
                       ::mode_t mode = 0);
[[nodiscard]] int open_name_by_name(int directory, const std::filesystem::path& way, int flags,
                                    ::mode_t mode = 0);

} // namespace beneath

} // namespace tune

/// Lists what is below an open directory. Mount points are neither entered nor accessed. Private to
/// io.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/descriptor.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tune::files {

/// The error for something below an open directory that cannot be reached.
/// @param number An errno; EXDEV and EBUSY mean a mount point: `ec::refused`.
/// @param mine   The code for all other errors except shortages.
[[nodiscard]] error not_reached(const std::filesystem::path& path, std::string_view doing,
                                int number, ec mine);

/// The status of a path below an open directory; a symbolic link is not followed.
/// @param shown The path in error texts. @errors as `not_reached`.
[[nodiscard]] expected<struct ::stat> look_beneath(int held, const std::filesystem::path& way,
                                                   const std::filesystem::path& shown, ec mine);

struct listed_name {
  std::string name;
  /// DT_REG and so on; DT_UNKNOWN if the file system does not tell.
  unsigned char type = DT_UNKNOWN;
};

/// Iterates over the names in a directory.
class directory_list {
public:
  /// @param held An open directory; `O_PATH` suffices. @param way Path below it; empty for itself.
  /// @param shown The path in error texts. @errors as `not_reached`.
  [[nodiscard]] static expected<directory_list> open(int held, const std::filesystem::path& way,
                                                     std::filesystem::path shown, ec mine);

  /// @returns nothing at the end. @errors as `not_reached`.
  [[nodiscard]] expected<std::optional<listed_name>> next();
  /// The descriptor of the directory, which can be synced.
  [[nodiscard]] int number() const { return ::dirfd(open_.get()); }

private:
  struct closing {
    void operator()(::DIR* which) const { ::closedir(which); }
  };
  std::unique_ptr<::DIR, closing> open_;
  std::filesystem::path shown_;
  ec mine_;

  directory_list(::DIR* which, std::filesystem::path shown, ec mine)
      : open_{which}, shown_{std::move(shown)}, mine_{mine} {}
};

} // namespace tune::files

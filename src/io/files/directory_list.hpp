/// What lies below a directory that is held open. What is mounted there is neither entered nor
/// asked. Private to io.
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

/// Why something below a held directory cannot be reached.
/// @param number An errno; EXDEV and EBUSY stand for a mount point: `ec::refused`.
/// @param mine   The kind of all else but shortages.
[[nodiscard]] error not_reached(const std::filesystem::path& path, std::string_view doing,
                                int number, ec mine);

/// What a way below a held directory names; a link is not followed.
/// @param shown What errors call it. @errors as `not_reached`.
[[nodiscard]] expected<struct ::stat> look_beneath(int held, const std::filesystem::path& way,
                                                   const std::filesystem::path& shown, ec mine);

struct listed_name {
  std::string name;
  /// DT_REG, …; DT_UNKNOWN where the file system does not tell.
  unsigned char type = DT_UNKNOWN;
};

/// The names in a directory, one after the other.
class directory_list {
public:
  /// @param held An open directory, `O_PATH` will do. @param way Below that; empty: itself.
  /// @param shown What errors call it. @errors as `not_reached`.
  [[nodiscard]] static expected<directory_list> open(int held, const std::filesystem::path& way,
                                                     std::filesystem::path shown, ec mine);

  /// @returns nothing at its end. @errors as `not_reached`.
  [[nodiscard]] expected<std::optional<listed_name>> next();
  /// The open directory; it can be synced.
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

/// Files that are written under a temporary name before they get their final one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "posix/posix.hpp"

#include "tune/core/error.hpp"

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

namespace tune::files {

/// A new file, locked while it is open; the destructor removes it unless it was renamed.
class incoming_file {
public:
  /// @errors `ec::storage`.
  [[nodiscard]] static expected<incoming_file> make(const std::filesystem::path& directory);
  incoming_file(incoming_file&& other) noexcept
      : file_{std::move(other.file_)}, path_{std::exchange(other.path_, {})} {}
  incoming_file& operator=(incoming_file&&) = delete;
  ~incoming_file();

  [[nodiscard]] const store::descriptor& file() const { return file_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Renames the file to `to`, replacing an existing one.
  [[nodiscard]] expected<void> rename_to(const std::filesystem::path& to, std::uint32_t mode) &&;

private:
  incoming_file(store::descriptor file, std::filesystem::path path)
      : file_{std::move(file)}, path_{std::move(path)} {}
  store::descriptor file_;
  std::filesystem::path path_;
};

/// Removes files that no living process is writing.
void sweep(const std::filesystem::path& directory);

} // namespace tune::files

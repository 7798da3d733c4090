/// A copy on its way: it lies beside its place, as NAME.part, until it is whole.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/descriptor.hpp"

#include <filesystem>
#include <mutex>

namespace tune::cli {

/// Removes its directory, unless the copy came to its end. While it is written its process holds a
/// lock (flock) on it, and it has mode 01700, which no other directory has a use for: by these a
/// draft that a killed process left is known, and removed when the next one begins.
class copy_draft {
public:
  copy_draft() = default;
  copy_draft(const copy_draft&) = delete;
  copy_draft& operator=(const copy_draft&) = delete;
  ~copy_draft() { discard(); }

  /// Makes the empty directory; discards an earlier one of this object.
  /// @param target Place of the whole copy; must not be there.
  /// @errors `ec::refused` if it is there, or is being fetched by another process; `ec::storage`.
  [[nodiscard]] expected<void> begin(std::filesystem::path target);
  /// Removes it, and all that is in it.
  void discard();
  /// Puts the copy into its place, with the rights that the umask leaves.
  /// @errors `ec::refused` if something is there by now; `ec::storage`.
  [[nodiscard]] expected<void> end();
  /// For good, from any thread: removes the directory, and keeps `steps` locked, so that nothing
  /// more is written. @returns false if the copy has come to its end: it stays.
  [[nodiscard]] bool abandon();

  [[nodiscard]] const std::filesystem::path& target() const { return target_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const store::descriptor& directory() const { return directory_; }
  /// To be locked for each change below the directory.
  [[nodiscard]] std::mutex& steps() { return steps_; }

private:
  std::mutex steps_;
  bool has_ended_ = false;
  std::filesystem::path target_;
  /// Absolute; empty: there is none.
  std::filesystem::path path_;
  store::descriptor directory_{-1};

  [[nodiscard]] expected<void> take(bool made);
  void remove();
};

} // namespace tune::cli

/// The experiments that are shown: where they lie, and whether what lies there may be opened.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// A storage with experiments directly below it, or one experiment's directory.
class shown_place {
public:
  explicit shown_place(std::filesystem::path place) : place_{std::move(place)} {}

  [[nodiscard]] const std::filesystem::path& path() const { return place_; }
  /// The names of the experiments, sorted: of their directories. At most `most_names`, those that
  /// cannot be opened among them.
  [[nodiscard]] std::vector<std::string> names() const;
  /// The directory of an experiment.
  ///
  /// @errors `ec::unknown_name`: there is none of this name; `ec::refused`: its directory or its
  ///         database is no directory and file of this place itself: a link out of it, a FIFO, …
  [[nodiscard]] expected<std::filesystem::path> directory_of(const std::string& name) const;

  static constexpr std::size_t most_names = 10'000;

  /// Whether it is one experiment's directory.
  [[nodiscard]] bool is_one() const;
  /// By which that experiment goes: of its directory.
  [[nodiscard]] std::string own_name() const;
  /// Whether what lies there can be listed and opened.
  [[nodiscard]] bool may_be_listed() const;

private:
  std::filesystem::path place_;
};

/// Tells a database from another that has taken its place.
struct file_identity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const file_identity&, const file_identity&) = default;
};
/// Empty if there is no such file.
[[nodiscard]] std::optional<file_identity> identity_of(const std::filesystem::path& file);

} // namespace tune::cli

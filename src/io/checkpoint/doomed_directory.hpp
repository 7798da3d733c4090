/// A directory that is removed unless it is kept explicitly. Private to checkpoints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/files/remove_tree.hpp"

#include <filesystem>
#include <utility>

namespace tune {

/// The path below which programs change the content of an experiment: its "trials", which may
/// itself be a symbolic link or a mount made by the user.
/// @returns `experiment` if `what` is not in "trials".
inline std::filesystem::path trusted_above(const std::filesystem::path& experiment,
                                           const std::filesystem::path& what) {
  const auto way = what.lexically_relative(experiment);
  return way.begin() != way.end() && *way.begin() == "trials" ? experiment / "trials" : experiment;
}

/// Removes a directory in its destructor, also if work is given up. Anything that cannot be removed
/// is a stray that the next start tries to remove, and reports.
struct doomed_directory {
  std::filesystem::path trusted;
  /// A directory below `trusted`; empty for none.
  std::filesystem::path what;

  doomed_directory() = default;
  doomed_directory(const std::filesystem::path& experiment, std::filesystem::path which)
      : trusted{trusted_above(experiment, which)}, what{std::move(which)} {}
  doomed_directory(doomed_directory&& other) noexcept
      : trusted{std::move(other.trusted)}, what{std::exchange(other.what, {})} {}
  doomed_directory& operator=(doomed_directory&&) = delete;
  ~doomed_directory() {
    if (!what.empty())
      static_cast<void>(remove_tree_below(trusted, what.lexically_relative(trusted)));
  }
};

} // namespace tune

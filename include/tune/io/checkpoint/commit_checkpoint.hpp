/// From a directory that somebody wrote to a checkpoint: copied where needed, listed, synced,
/// renamed. All of it blocks on the disk.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/checkpoint/checkpoint_limits.hpp"
#include "tune/io/files/sliced.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace tune {

/// A checkpoint that is written and not yet safe.
struct checkpoint_draft {
  /// The experiment's directory, in which the draft lies.
  std::filesystem::path experiment;
  /// The final name, with `draft_suffix`.
  std::filesystem::path directory;
  std::uint64_t iteration = 0;
  /// It shall outlive a loss of power.
  bool durable = true;
  checkpoint_limits limits = {};
};

/// What a complete checkpoint is registered with.
struct safe_checkpoint {
  /// Relative to the experiment's directory.
  std::string location;
  /// Of its files, without the manifest.
  std::uint64_t bytes = 0;
};

/// What becomes of symbolic links in what is copied: what they lead to is copied, or they are, as
/// they stand.
enum class link_rule : std::uint8_t { followed, kept };

/// Copies the content of `from` into the directory `to`, in slices. Holes of sparse files stay
/// holes.
///
/// All of it is listed first: nothing of what is too much is copied, and nothing that would leave
/// less than `room_kept_free`.
/// @param from A directory, or a link to one.
/// @errors `ec::storage`, also where something in it is neither a file nor a directory, a link
///         leads to a directory that holds it, or `to` lies in it; `ec::refused` for more than
///         `limits`. `to` may hold a part then, as where it is given up.
sliced<expected<void>> copying_checkpoint(std::filesystem::path from, std::filesystem::path to,
                                          checkpoint_limits limits,
                                          link_rule links = link_rule::followed);
/// All of it at once.
[[nodiscard]] expected<void> copy_checkpoint(const std::filesystem::path& from,
                                             const std::filesystem::path& to,
                                             const checkpoint_limits& limits = {});

/// Writes the manifest, and makes the draft safe and visible: all files and directories are synced,
/// then it is renamed. The draft is removed where that cannot be, or is given up.
/// @errors `ec::storage`; `ec::refused` for more than its limits.
sliced<expected<safe_checkpoint>> committing_checkpoint(checkpoint_draft what);
/// All of it at once.
[[nodiscard]] expected<safe_checkpoint> commit_checkpoint(const checkpoint_draft& what);
/// The same, but a draft that cannot be made safe stays.
sliced<expected<safe_checkpoint>> trying_to_commit(checkpoint_draft what);

/// The same for one whose manifest is there already, and was compared with the rest.
sliced<expected<void>> placing_checkpoint(checkpoint_draft what);
[[nodiscard]] expected<void> place_checkpoint(const checkpoint_draft& what);

} // namespace tune

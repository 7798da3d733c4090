/// Checkpoints on disk: a directory written beside, made safe, then renamed into place.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

namespace tune {

/// The checkpoints of one attempt: `trials/<trial>/attempt_<epoch>_<counter>/checkpoint_<n>`.
/// Numbers count per attempt and are never used twice. For one thread.
class checkpoint_directory {
public:
  /// @param experiment The experiment's directory. Nothing is made before `begin`.
  checkpoint_directory(std::filesystem::path experiment, trial_id trial, attempt_id attempt);

  /// Keeps none from now on: `begin` and `adopt` fail, for this reason.
  void close(std::string why) { closed_ = std::move(why); }

  /// Makes an empty directory to write the next checkpoint into. One at a time.
  /// @errors `ec::storage`.
  [[nodiscard]] expected<std::filesystem::path> begin();

  /// What a complete checkpoint is registered with.
  struct entry {
    /// Relative to the experiment's directory.
    std::string location;
    std::uint64_t bytes = 0;
  };
  /// Makes what `begin` gave out safe and visible: all files and directories are synced, then it
  /// is renamed. @errors `ec::storage`; the directory is removed.
  [[nodiscard]] expected<entry> commit();
  /// Removes what `begin` gave out.
  void abandon();

  /// Copies the content of `from` into a new checkpoint and commits it.
  /// @param from A directory, or a link to one. Of links in it what they lead to is copied.
  /// @errors `ec::storage`, also where something in it is neither a file nor a directory, or a
  ///         link leads to a directory that holds it.
  [[nodiscard]] expected<entry> adopt(const std::filesystem::path& from);

private:
  std::filesystem::path experiment_;
  std::filesystem::path parent_;
  std::uint64_t count_ = 0;
  std::filesystem::path open_;
  std::string closed_;
};

/// Removes a checkpoint. What is not there is removed already.
/// @param location as it was registered; an empty one has no directory.
/// @errors `ec::storage`; `ec::internal` where the location is none of a checkpoint.
[[nodiscard]] expected<void> remove_checkpoint(const std::filesystem::path& experiment,
                                               const std::string& location);

/// Whether the location of a checkpoint, relative to the experiment's directory, is registered.
/// Asked with the trial whose folder it lies in.
using is_registered_function
    = std::function<expected<bool>(trial_id trial, const std::string& location)>;

/// Removes checkpoints below `experiment` that nobody registered, whole or half-written: what a
/// head that was killed left behind. For use while no attempt lives.
///
/// @returns how many there were. @errors of `is_registered`, before which nothing of that trial was
///          removed; what cannot be removed stays and is no error.
[[nodiscard]] expected<std::size_t> sweep_checkpoints(const std::filesystem::path& experiment,
                                                      const is_registered_function& is_registered);

} // namespace tune

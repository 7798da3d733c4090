/// Where checkpoints lie: a directory is written beside its final name, made safe, then renamed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"
#include "tune/io/checkpoint/attempt_directory.hpp"
#include "tune/io/files/remove_tree.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// `trials/<trial>/attempt_<epoch>_<counter>`, where an attempt's checkpoints lie, against the
/// experiment's directory.
[[nodiscard]] std::filesystem::path checkpoint_folder(trial_id trial, attempt_id attempt);
/// The name of a checkpoint in it: "checkpoint_000001".
[[nodiscard]] std::string checkpoint_name(std::uint64_t number);
/// Whether it is `trials/<trial>/<attempt>/checkpoint_<n>` and leads nowhere else.
[[nodiscard]] bool is_checkpoint_location(const std::string& location);
/// What the name of a checkpoint ends with until it is complete.
inline constexpr const char* draft_suffix = ".tmp";

/// Names the checkpoints of one attempt: numbers count per attempt and are never used twice.
class checkpoint_names {
public:
  checkpoint_names(trial_id trial, attempt_id attempt)
      : folder_{checkpoint_folder(trial, attempt)} {}

  /// The directory to write the next one into, against the experiment's directory.
  [[nodiscard]] std::filesystem::path next_draft();

private:
  std::filesystem::path folder_;
  std::uint64_t count_ = 0;
};

/// Makes the drafts of one attempt. For one thread, which may wait for the disk.
class checkpoint_directory {
public:
  /// @param experiment The experiment's directory. Nothing is made before `begin`.
  checkpoint_directory(std::filesystem::path experiment, trial_id trial, attempt_id attempt);

  /// Makes an empty directory to write the next checkpoint into. What was begun before and not
  /// handed over is removed.
  /// @errors `ec::storage`.
  [[nodiscard]] expected<std::filesystem::path> begin();
  /// The same in memory, or on disk where that cannot be. See `attempt_directory`.
  [[nodiscard]] expected<made_directory> begin_in(const std::filesystem::path& memory);
  /// What `begin` gave out belongs to the caller now: see `commit_checkpoint`.
  [[nodiscard]] std::filesystem::path hand_over() { return std::exchange(open_, {}); }
  /// Something is begun and neither handed over nor abandoned.
  [[nodiscard]] bool is_open() const { return !open_.empty(); }
  /// Removes what `begin` gave out.
  void abandon();
  /// Those of its further checkpoints.
  [[nodiscard]] const checkpoint_names& names() const { return names_; }

private:
  std::filesystem::path experiment_;
  checkpoint_names names_;
  std::filesystem::path open_;
};

/// Fails where something is mounted on the way from "trials" to a checkpoint, at it or below it:
/// what is may never answer whoever asks for its files. Asks for none of them.
/// @param directory ".../trials/<trial>/<attempt>/<name>"; it need not be there.
/// @errors `ec::refused`, with the name of the mount point.
[[nodiscard]] expected<void> check_unmounted(const std::filesystem::path& directory);

/// Removes a checkpoint. What is not there is removed already.
/// @param location as it was registered; an empty one has no directory.
/// @errors as `remove_tree`; `ec::internal` where the location is none of a checkpoint.
[[nodiscard]] expected<void> remove_checkpoint(const std::filesystem::path& experiment,
                                               const std::string& location);

/// Removes a directory in the folder of an attempt, as checkpoints and drafts are. Nothing where a
/// link or a mount point leads to the folder: it may be another's.
/// @param what ".../trials/<trial>/<attempt>/<name>".
/// @param most See `remove_tree`. @errors as there.
[[nodiscard]] expected<void> remove_from_attempt(const std::filesystem::path& what,
                                                 std::chrono::milliseconds most = removal_patience);

/// Removes what an attempt that is over began to write and did not complete.
void remove_drafts(const std::filesystem::path& experiment, trial_id trial, attempt_id attempt);

/// All directories of checkpoints below `experiment`, whole or half-written, in no order.
[[nodiscard]] std::vector<std::filesystem::path>
list_checkpoints(const std::filesystem::path& experiment);

/// Whether the location of a checkpoint, relative to the experiment's directory, is registered.
/// Asked with the trial whose folder it lies in.
using is_registered_function
    = std::function<expected<bool>(trial_id trial, const std::string& location)>;

/// Removes checkpoints below `experiment` that nobody registered, whole or half-written: what a
/// head that was killed left behind. For use while no attempt lives.
///
/// @returns how many there were. @errors of `is_registered`, before which nothing of that trial was
///          removed; what cannot be removed stays and is no error.
/// @param tell Hears of that, once for each checkpoint; may be empty.
[[nodiscard]] expected<std::size_t> sweep_checkpoints(const std::filesystem::path& experiment,
                                                      const is_registered_function& is_registered,
                                                      const std::function<void(const error&)>& tell
                                                      = {});

/// The same of one attempt that is over. What cannot be removed stays and is no error.
/// @param registered Locations relative to the experiment's directory, the attempt's among them.
void sweep_checkpoints(const std::filesystem::path& experiment, trial_id trial, attempt_id attempt,
                       const std::set<std::string>& registered);

} // namespace tune

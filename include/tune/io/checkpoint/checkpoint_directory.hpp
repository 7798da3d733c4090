/// Directories of checkpoints: each is written beside its final name, made safe, then renamed.
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

/// The folder of an attempt's checkpoints, `trials/<trial>/attempt_<epoch>_<counter>`, relative to
/// the experiment's directory.
[[nodiscard]] std::filesystem::path checkpoint_folder(trial_id trial, attempt_id attempt);
/// The name of a checkpoint in that folder: "checkpoint_000001".
[[nodiscard]] std::string checkpoint_name(std::uint64_t number);
/// Whether the location has the form `trials/<trial>/<attempt>/checkpoint_<n>` and does not lead
/// elsewhere.
[[nodiscard]] bool is_checkpoint_location(const std::string& location);
/// Suffix of a checkpoint's name until it is complete.
inline constexpr const char* draft_suffix = ".tmp";
/// Name of the draft in which artifacts arrive; of further ranks with the mark and the rank's
/// number.
inline constexpr const char* artifacts_name = "checkpoint_artifacts";
inline constexpr const char* rank_mark = ".rank";

/// Names the checkpoints of one attempt, with numbers that count per attempt and are never reused.
class checkpoint_names {
public:
  checkpoint_names(trial_id trial, attempt_id attempt)
      : folder_{checkpoint_folder(trial, attempt)} {}

  /// The directory to write the next checkpoint into, relative to the experiment's directory.
  [[nodiscard]] std::filesystem::path next_draft();

private:
  std::filesystem::path folder_;
  std::uint64_t count_ = 0;
};

/// Creates the drafts of one attempt. For use by one thread; blocks on the disk.
class checkpoint_directory {
public:
  /// @param experiment The experiment's directory. Nothing is created before `begin`.
  checkpoint_directory(std::filesystem::path experiment, trial_id trial, attempt_id attempt);

  /// Creates an empty directory to write the next checkpoint into. A draft that was begun before
  /// and not handed over is removed.
  /// @errors `ec::storage`.
  [[nodiscard]] expected<std::filesystem::path> begin();
  /// Like `begin`, in memory, or on disk if that fails. See `attempt_directory`.
  [[nodiscard]] expected<made_directory> begin_in(const std::filesystem::path& memory);
  /// Passes the directory that `begin` returned to the caller: see `commit_checkpoint`.
  [[nodiscard]] std::filesystem::path hand_over() { return std::exchange(open_, {}); }
  /// Whether a draft was begun and neither handed over nor abandoned.
  [[nodiscard]] bool is_open() const { return !open_.empty(); }
  /// Removes the directory that `begin` returned.
  void abandon();
  /// The names of further checkpoints.
  [[nodiscard]] const checkpoint_names& names() const { return names_; }

private:
  std::filesystem::path experiment_;
  checkpoint_names names_;
  std::filesystem::path open_;
};

/// Fails if something is mounted on the way from "trials" to a checkpoint, at it or below it: such
/// a file system may never answer. Accesses none of its files.
/// @param directory ".../trials/<trial>/<attempt>/<name>"; need not exist.
/// @errors `ec::refused`, with the name of the mount point.
[[nodiscard]] expected<void> check_unmounted(const std::filesystem::path& directory);

/// Removes a checkpoint. A missing one counts as removed.
/// @param location as registered; an empty one has no directory.
/// @errors as `remove_tree`; `ec::internal` if it is not the location of a checkpoint.
[[nodiscard]] expected<void> remove_checkpoint(const std::filesystem::path& experiment,
                                               const std::string& location);

/// Removes a directory, such as a checkpoint or draft, in the folder of an attempt. Removes nothing
/// if a symbolic link or a mount point leads to the folder, which may then belong to somebody else.
/// @param what ".../trials/<trial>/<attempt>/<name>".
/// @param most See `remove_tree`. @errors as there.
[[nodiscard]] expected<void> remove_from_attempt(const std::filesystem::path& what,
                                                 std::chrono::milliseconds most = removal_patience);

/// Removes the incomplete checkpoints of an attempt whose first rank is over. Artifacts that
/// further ranks are bringing stay: each of them removes its own.
void remove_drafts(const std::filesystem::path& experiment, trial_id trial, attempt_id attempt);

/// All checkpoint directories below `experiment`, complete or not, in no particular order.
[[nodiscard]] std::vector<std::filesystem::path>
list_checkpoints(const std::filesystem::path& experiment);

/// Returns whether the location of a checkpoint, relative to the experiment's directory, is
/// registered. Called with the trial whose folder contains it.
using is_registered_function
    = std::function<expected<bool>(trial_id trial, const std::string& location)>;

/// Removes unregistered checkpoints below `experiment`, complete or not, which a killed head left
/// behind. Call it only while no attempt is alive.
///
/// @returns how many there were. @errors those of `is_registered`; nothing of the trial is removed
///          then. Failures to remove are not errors.
/// @param tell Called once for each checkpoint that could not be removed; may be empty.
[[nodiscard]] expected<std::size_t> sweep_checkpoints(const std::filesystem::path& experiment,
                                                      const is_registered_function& is_registered,
                                                      const std::function<void(const error&)>& tell
                                                      = {});

/// Like the above, for one attempt that is over. Failures to remove are not errors.
/// @param registered Locations relative to the experiment's directory, including the attempt's.
void sweep_checkpoints(const std::filesystem::path& experiment, trial_id trial, attempt_id attempt,
                       const std::set<std::string>& registered);

} // namespace tune

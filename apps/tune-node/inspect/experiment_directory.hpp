/// Finds the experiment that a user means by a directory, for commands that only read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/spec/spec.hpp"
#include "tune/io/store/store_reader.hpp"

#include <filesystem>
#include <string>

namespace tune::cli {

/// The directory meant: users may also name the database itself.
/// @errors `ec::unreadable`: no such directory, or no experiment in it (naming those below it, if
///         any); `ec::storage`: it may not be entered.
[[nodiscard]] expected<std::filesystem::path> directory_of(const std::string& given);

/// Converts an error of the reader for display. To a reader a database that is not ours is damaged,
/// not a matter of safety.
[[nodiscard]] error reading_failed(const error& why);

/// The place of a checkpoint for users: below the experiment's directory, or the name by which an
/// executor that keeps it outside knows it; empty: there is none.
[[nodiscard]] std::string checkpoint_place(const std::filesystem::path& directory,
                                           const std::string& location);

/// An experiment as recorded in its database.
struct recorded_experiment {
  experiment_row row;
  /// Has at least one objective.
  spec what;
};

/// Whether the user's own program runs its trials (`ask-tell`) instead of a head: such a program
/// may come and go, and nothing is lost by that.
[[nodiscard]] inline bool is_asked(const spec& what) {
  return !what.trainable.kind;
}

/// The state of an unfinished experiment that nobody leads now: "at_rest", "lost".
[[nodiscard]] inline std::string unled_state(bool asked) {
  return asked ? "at_rest" : "lost";
}

/// An experiment whose record is open for further questions.
struct opened_experiment {
  store_reader reader;
  recorded_experiment recorded;
};

/// Whether all that is read of a running experiment is of the same moment, which takes a reader
/// that soon goes: see `store_reader::hold`.
enum class seen_at { its_time, one_moment };

/// @errors `reading_failed` of those of the reader; `ec::unreadable`: the experiment has not begun
///         yet; `ec::storage`: its configuration cannot be read, or names no metric.
[[nodiscard]] expected<opened_experiment> open_experiment(const std::filesystem::path& directory,
                                                          seen_at when = seen_at::its_time);

} // namespace tune::cli

/// Finds the experiment that a user means by a directory, for commands that only read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/spec/spec.hpp"
#include "tune/io/store/rows.hpp"

#include <filesystem>
#include <string>

namespace tune {
class store_reader;
}

namespace tune::cli {

/// The directory meant: users also name the database itself.
/// @errors `ec::unreadable`: no such directory, or no experiment in it (naming those below it, if
///         any); `ec::storage`: it may not be entered.
[[nodiscard]] expected<std::filesystem::path> directory_of(const std::string& given);

/// An error of the reader, harmless to show. To a reader a database that is not ours is damage,
/// not a matter of safety.
[[nodiscard]] error reading_failed(const error& why);

/// Where a checkpoint is, for whoever wants to use it: below the experiment's directory, or what an
/// executor that keeps it outside calls it; empty: there is none.
[[nodiscard]] std::string checkpoint_place(const std::filesystem::path& directory,
                                           const std::string& location);

/// An experiment as its database has it.
struct recorded_experiment {
  experiment_row row;
  /// With at least one objective.
  spec what;
};

/// Whether a program of the user's own runs its trials (`ask-tell`), and no head: such a program
/// may come and go, and nothing is lost by that.
[[nodiscard]] inline bool is_asked(const spec& what) {
  return !what.trainable.kind;
}

/// The state of an experiment that has not ended and that nobody leads now: "at_rest", "lost".
[[nodiscard]] inline std::string unled_state(bool asked) {
  return asked ? "at_rest" : "lost";
}

/// @param directory For errors.
/// @errors those of the reader; `ec::storage`: its configuration cannot be read, or names no
/// metric.
[[nodiscard]] expected<recorded_experiment> read_experiment(store_reader& from,
                                                            const std::filesystem::path& directory);

} // namespace tune::cli

/// `tune-node status DIR`: how an experiment stands, running or not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "console/run_snapshot.hpp"
#include "console/style.hpp"
#include "exit_code.hpp"
#include "tune/io/control/control_words.hpp"
#include "tune/io/store/rows.hpp"

#include <optional>
#include <string>

namespace tune::cli {

/// Some of the trials in one status: the first and the last by number.
struct trial_share {
  trial_status status = trial_status::running;
  std::uint64_t count = 0;
  std::vector<listed_trial> first;
  std::vector<listed_trial> last;
};

/// How many trials of each status are shown where there is room for `rows` in all: one for each in
/// turn, until all have what they have or no row is left. Indexed by `trial_status`.
[[nodiscard]] status_counts deal_rows(const status_counts& counts, std::uint64_t rows);

/// State of an experiment as another process sees it.
struct known_state {
  /// From the database; its trials are those that run, at most `most_running_shown`.
  run_snapshot seen;
  experiment_row row;
  /// One share for each status that any trial has, running first; at most `most_shown` trials in
  /// all.
  std::vector<trial_share> shares;
  /// All that it has known, by name.
  std::vector<node_row> nodes;
  /// From its head; nothing where none answered.
  std::optional<control_status> head;
  /// Somebody works on it.
  bool led = false;
  /// An executor of its own runs its trials (`ask-tell`): it may come and go.
  bool is_asked = false;
};

inline constexpr std::size_t most_running_shown = 20;
inline constexpr std::size_t most_shown = 20;
/// Nodes with labels or taints that are shown.
inline constexpr std::size_t most_nodes_shown = 8;

/// "running", "paused", "lost" where its head is gone ("at_rest" where that is an executor's
/// conversation, which loses nothing), or the name of an `experiment_status`.
[[nodiscard]] std::string state_of(const known_state& x);

/// For people, with line ends.
[[nodiscard]] std::string status_text(const known_state& x, const style& look);
/// One object in one line, with its line end.
[[nodiscard]] std::string status_json(const known_state& x);

/// Reads the database, and asks the head for what only it knows. Changes nothing.
[[nodiscard]] exit_code show_status(const command_line& line, const status_request& what,
                                    const table_look& look);

} // namespace tune::cli

/// Compares the rows of an experiment's database with those that its log leads to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/check/finding.hpp"
#include "tune/io/store/store_reader.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace tune {

/// Collects the rows that a replay gives, event by event, and compares them with those in the
/// database. Memory grows with trials, attempts, decisions and checkpoints, not with reports.
class row_check {
public:
  /// Takes the next event of the log, and all commands that `experiment::apply` returned for it.
  void see(const event& what, std::span<const command> gave);

  /// Compares the views `trials`, `attempts`, `decisions`, `checkpoints`, `nodes` and `experiment`.
  /// The checkpoints' directories below `directory` are compared, too, unless `directory` is empty.
  /// @errors those of the reader.
  [[nodiscard]] expected<findings> compare(store_reader& with,
                                           const std::filesystem::path& directory) const;

  /// Locations of all checkpoints and exports in the log that were not given up.
  [[nodiscard]] std::set<std::string> kept_checkpoints() const;
  /// Locations of the checkpoints whose removal is in the log.
  [[nodiscard]] std::set<std::string> removed_checkpoints() const;

private:
  struct trial_state {
    cmd::trial_changed row;
    instant created{0};
    std::optional<instant> ended;
    std::map<attempt_id, cmd::attempt_changed> attempts{};
    std::vector<decision_row> decisions{};
    std::vector<checkpoint_row> checkpoints{};
  };

  std::map<trial_id, trial_state> trials_;
  std::map<checkpoint_id, std::pair<trial_id, std::size_t>> checkpoint_at_;
  std::map<std::string, bool> nodes_;
  std::set<std::string> exports_;
  /// See `on::opened::draws`.
  std::uint32_t draws_ = 0;
  /// Checkpoints that a head before `on::dooms_all_named` announced for removal but kept; their
  /// rows say "doomed" nevertheless.
  std::set<checkpoint_id> said_to_go_;
  std::optional<experiment_status> finished_;
  sequence last_ = 0;

  template <class F>
  void for_checkpoints(F see) const;
  void note(const event& what);
  /// Whether the row's state is the one that the log gives, or the one that an earlier version
  /// wrote for it.
  [[nodiscard]] bool is_state_of(const std::string& state, const checkpoint_row& should) const;
  void mark(checkpoint_id which, std::string_view state);
  expected<void> compare_trial(store_reader& with, const std::filesystem::path& directory,
                               trial_id id, const trial_state& is, findings& found) const;
};

} // namespace tune

/// Checks a log and the commands that it led to, event by event, with its own books.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/check/finding.hpp"
#include "tune/core/experiment/experiment.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace tune {

/// Reads events and the commands that the state machine answered them with, and compares both with
/// the promises. Shares no code with the machine: it keeps the fewest facts that the promises speak
/// of, so that a fault in the machine shows.
///
/// Memory grows with the number of trials and of checkpoints, not with the number of reports.
class log_check {
public:
  /// @param settings The settings of the machine.
  explicit log_check(const experiment_settings& settings);

  /// See `experiment::go_by`.
  void go_by(const experiment_settings& settings) {
    restarts_from_scratch_ = settings.failures.restart_from_scratch;
  }

  /// Takes the next event of the log, and everything that `experiment::apply` returned for it.
  void see(const event& what, std::span<const command> gave);

  /// The log ends here, with `machine` in this state.
  void end(const experiment& machine);

  [[nodiscard]] const findings& found() const { return found_; }

private:
  /// An attempt that has begun and not ended.
  struct open_attempt {
    attempt_id id;
    checkpoint_id from;
    std::uint64_t number = 0;
    std::uint64_t iteration = 0;
    std::set<std::string> nodes;
    /// True while the attempt may still need the checkpoint it starts from: it was launched with
    /// one, and has neither started, reported, nor been told to end.
    bool restores = false;
    /// The node of its trainable.
    std::string home = {};
  };
  struct trial_book {
    trial_status status = trial_status::pending;
    sequence born = 0;
    bool placed = false;
    lineage_id lineage = 1;
    std::optional<open_attempt> attempt;
    /// The trial's own checkpoints and those it took over, oldest first, without the abandoned
    /// ones.
    std::vector<checkpoint_id> checkpoints;
    /// The donor's checkpoint of an exploit that was accepted and has not happened yet.
    checkpoint_id due_exploit;
    /// The checkpoint the trial paused with, if it lies in the memory of a node.
    checkpoint_id aside = {};
  };
  enum class keeping : std::uint8_t { good, bad, doomed, gone };
  struct checkpoint_book {
    trial_id owner;
    keeping state = keeping::good;
    std::uint64_t iteration = 0;
    /// Trials that took it over.
    std::vector<trial_id> borrowers{};
    /// The node whose memory holds the checkpoint; empty: it is on disk.
    std::string node = {};
  };

  bool restarts_from_scratch_;
  findings found_;
  sequence seq_ = 0;
  instant at_{0};
  std::uint32_t epoch_ = 0;
  /// See `on::opened::draws`.
  std::uint32_t draws_ = 0;
  attempt_id newest_;
  bool finished_ = false;
  std::uint64_t asked_ = 0;
  std::uint32_t asked_for_ = 0;
  bool ask_open_ = false;
  /// Reports and stalls about which the scheduler was asked and has not answered.
  std::set<sequence> questions_;
  std::vector<trial_book> trials_;
  std::set<trial_id> open_;
  std::map<checkpoint_id, checkpoint_book> checkpoints_;
  std::map<std::string, resources> nodes_;
  /// Exploits of the current event that are still to be matched, by target.
  std::vector<std::pair<trial_id, checkpoint_id>> exploits_;
  /// The trial whose lineage rose last in this event, until its decision appears.
  std::optional<trial_id> risen_;
  /// Set if the current event wants this trial to run again; `afresh_`: from the beginning.
  std::optional<trial_id> revived_;
  bool afresh_ = false;

  void fault(promise broken, std::optional<trial_id> trial, std::string what);
  trial_book* known(trial_id id);
  /// Returns the trial's open attempt `attempt`; adds a finding if there is none.
  open_attempt* of(trial_id trial, attempt_id attempt, std::string_view said);
  [[nodiscard]] checkpoint_id newest_good(const trial_book& trial) const;
  [[nodiscard]] bool needs(trial_id who, checkpoint_id id);

  void begin(const event& what);
  void end(const on::checkpoints_doomed& what);
  void finish(sequence seq);

  // Recorded events. Other kinds carry nothing to compare.
  template <class Event>
  void take(const Event&) {}
  void take(const on::opened& x);
  void take(const on::suggest_asked& x);
  void take(const on::suggested& x);
  void take(const on::decided& x);
  void take(const on::placed& x);
  void take(const on::started& x);
  void take(const on::reported& x);
  void take(const on::saved& x);
  void take(const on::checkpoint_bad& x);
  void take(const on::checkpoints_doomed& x);
  void take(const on::checkpoint_gone& x);
  void take(const on::ended& x);
  void take(const on::retry_asked& x);
  void take(const on::node_up& x);
  void take(const on::node_down& x);
  void take(const on::node_leaving& x);

  // Commands that follow from them.
  template <class Command>
  void weigh(const Command&, const command&) {}
  void weigh(const cmd::trial_changed& x, const command& all);
  void weigh(const cmd::attempt_changed& x, const command& all);
  void weigh(const cmd::decision_taken& x, const command& all);
  void weigh(const cmd::judge& x, const command& all);
  void weigh(const cmd::resolve_stall& x, const command& all);
  void weigh(const cmd::place& x, const command& all);
  void weigh(const cmd::launch& x, const command& all);
  void weigh(const cmd::save& x, const command& all);
  void weigh(const cmd::halt& x, const command& all);
  void weigh(const cmd::discard& x, const command& all);
  void weigh(const cmd::finish& x, const command& all);
  checkpoint_id next_exploit(trial_id target);
  void begin_lineage(trial_id id, trial_book& trial);
  void check_start(trial_id id, trial_book& trial, const cmd::launch& x);
  void check_node(trial_id id, const lease& what);
  void need_gate(const command& all, std::optional<trial_id> trial);
};

} // namespace tune

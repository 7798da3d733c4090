/// Reads an experiment's database, even while it is being written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/experiment/event.hpp"
#include "tune/core/trial/costs.hpp"
#include "tune/io/store/rows.hpp"
#include "tune/io/store/scan_rows.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tune {

/// Selects and orders the trials to list.
struct trial_query {
  enum class order : std::uint8_t {
    number,
    created,
    /// Trials that have not ended come last.
    ended,
    iterations,
    /// By `metric` of the best report; trials without that number come last in either direction.
    metric,
  };

  std::optional<trial_status> status{};
  order by = order::number;
  /// Name at the top level of the metrics.
  std::string metric{};
  bool descending = false;
  std::size_t limit = 100;
  std::size_t offset = 0;
};

/// A read-only connection. Every call is one short transaction, so that the write-ahead log can be
/// truncated. For use by one thread; any number of readers may be open.
///
/// @errors of all members: `ec::storage` with the file, or with table and row if a checksum does
/// not match or an event is missing; `ec::timeout` instead of the former if another process's lock
/// was in the way for longer than `heed_locks_for` allows.
class store_reader {
public:
  /// @errors `ec::unreadable` if `directory` has no experiment; `ec::refused` if it was made by a
  ///         newer version.
  [[nodiscard]] static expected<store_reader> open(const std::filesystem::path& directory);

  store_reader(store_reader&&) noexcept;
  store_reader& operator=(store_reader&&) noexcept;
  ~store_reader();

  /// Fixes the present state as a snapshot for all later calls, however much is written meanwhile:
  /// for a consistent view of a whole running experiment. The write-ahead log is not truncated
  /// before this reader is gone.
  [[nodiscard]] expected<void> hold();

  /// Limits the wait for other processes' locks, which then is an error of its own.
  void heed_locks_for(std::chrono::milliseconds time);

  /// Faults of the files themselves, beyond those in rows: the first results of SQLite's integrity
  /// check, views that cannot be read, and a write-ahead log whose end would be lost. Reads the
  /// whole database; meant for an experiment that no head is running.
  [[nodiscard]] expected<std::vector<std::string>> faults();
  /// Position of the last committed event.
  [[nodiscard]] expected<sequence> last_seq();
  /// Epoch of the newest head.
  [[nodiscard]] expected<std::uint32_t> epoch();
  [[nodiscard]] expected<experiment_row> experiment();
  /// The experiment as a whole, without anything that has to be counted.
  [[nodiscard]] expected<head_facts> head();
  /// The `opened` event of the newest head; empty if the experiment has not begun yet.
  [[nodiscard]] expected<std::optional<on::opened>> opening();
  /// The `opened` events of all heads, oldest first. Scans all events if there was more than one
  /// head.
  [[nodiscard]] expected<std::vector<on::opened>> openings();
  /// Whether a client paused the whole experiment and nobody has resumed it; this outlives heads.
  /// Scans all events.
  [[nodiscard]] expected<bool> stands_paused();
  /// The trials that have not ended and that clients paused one by one and nobody has resumed; this
  /// outlives heads. Scans all events.
  [[nodiscard]] expected<std::vector<trial_id>> held_trials();

  [[nodiscard]] expected<std::vector<trial_row>> trials(const trial_query& which = {});
  /// These trials, in this order; unknown ones are left out.
  [[nodiscard]] expected<std::vector<trial_row>> trials(std::span<const trial_id> which);
  /// The same, without the configurations of last reports and with the nodes.
  [[nodiscard]] expected<std::vector<listed_row>> listed_trials(std::span<const trial_id> which);
  [[nodiscard]] expected<std::optional<trial_row>> trial(trial_id which);
  /// Results after `after`, in the order of the log. @param limit Maximum number of results.
  [[nodiscard]] expected<std::vector<result_row>> results(trial_id of, sequence after,
                                                          std::size_t limit);
  /// The reports of a trial that belong to a restorable checkpoint, in the order of the log. @param
  /// iteration Only reports of this iteration.
  [[nodiscard]] expected<std::vector<std::shared_ptr<const report>>>
  saved_reports(trial_id of, std::optional<std::uint64_t> iteration = std::nullopt);
  /// The checksum of an event's row; empty if there is no such row.
  [[nodiscard]] expected<std::optional<std::int64_t>> event_sum(sequence seq);
  /// How many results of the trial are committed up to and including event `until`.
  [[nodiscard]] expected<std::uint64_t> count_results(trial_id of, sequence until);
  /// The oldest comes first.
  [[nodiscard]] expected<std::vector<attempt_row>> attempts(trial_id of);
  [[nodiscard]] expected<std::optional<attempt_row>> attempt(attempt_id which);
  /// Where an attempt began, without reading the rest of its row; empty if there is no such
  /// attempt.
  [[nodiscard]] expected<std::optional<attempt_origin>> origin_of(attempt_id which);
  /// What all attempts of a trial that are over have cost.
  [[nodiscard]] expected<cost_sheet> costs(trial_id of);
  /// The attempts that failed.
  [[nodiscard]] expected<std::vector<attempt_row>> failures(trial_id of);
  [[nodiscard]] expected<std::vector<decision_row>> decisions(trial_id of);
  [[nodiscard]] expected<std::vector<checkpoint_row>> checkpoints(trial_id of);
  /// Checkpoints of all trials that can be restored, as far as known.
  [[nodiscard]] expected<std::vector<checkpoint_row>> good_checkpoints();
  /// The oldest comes first.
  [[nodiscard]] expected<std::vector<export_row>> exports(trial_id of);
  [[nodiscard]] expected<export_counts> count_exports();
  /// Noteworthy counts over all trials that have ended.
  [[nodiscard]] expected<trial_tally> tally();
  [[nodiscard]] expected<std::vector<node_row>> nodes();

  /// Scans: many rows as they lie in the database, for summaries, each passed to `hear`. Checksums
  /// are not verified.
  ///
  /// Trials from number `from` on, in order. @returns the number of rows passed on.
  [[nodiscard]] expected<std::size_t>
  scan_trials(trial_id from, std::size_t limit, const std::function<void(const raw_trial&)>& hear);
  /// These trials; unknown ones are left out.
  [[nodiscard]] expected<void> scan_trials(std::span<const trial_id> which,
                                           const std::function<void(const raw_trial&)>& hear);
  /// Results after `after`, in the order of the log. @returns the number of rows passed on.
  [[nodiscard]] expected<std::size_t>
  scan_results(sequence after, std::size_t limit,
               const std::function<void(const raw_result&)>& hear);
  /// All results of a trial, in the order of the log.
  [[nodiscard]] expected<void> scan_results_of(trial_id of,
                                               const std::function<void(const raw_result&)>& hear);
  /// The rows of trials that may have changed in events after `after` up to `until`; those that are
  /// new, or have only reported, need not be among them.
  [[nodiscard]] expected<touched_trials> touched_between(sequence after, sequence until);
  /// Attempts of all trials after `after`, in the order of their names. @returns the number passed
  /// on.
  [[nodiscard]] expected<std::size_t>
  scan_attempts(attempt_id after, std::size_t limit,
                const std::function<void(const raw_attempt&)>& hear);
  /// All decisions, in the order of the log.
  [[nodiscard]] expected<void> scan_decisions(const std::function<void(const raw_decision&)>& hear);
  /// Events other than reports after `after`. @returns the number passed on.
  [[nodiscard]] expected<std::size_t>
  scan_events(sequence after, std::size_t limit, const std::function<void(const raw_event&)>& hear);
  /// Decisions after event `after`, in the order of the log.
  [[nodiscard]] expected<std::vector<decision_row>> decisions_after(const decision_query& which);
  /// Checkpoints of all trials, registered after event `after`.
  [[nodiscard]] expected<std::vector<checkpoint_row>> checkpoints_after(sequence after,
                                                                        std::size_t limit);
  /// The node of the trial's newest attempt; empty if it had none.
  [[nodiscard]] expected<std::string> last_node(trial_id of);

  /// The events after `after`, without gaps, exactly as they were written.
  /// @param limit Maximum number of events. @param bytes Stops after the event that reaches this
  ///              size.
  [[nodiscard]] expected<std::vector<event>> events_after(sequence after, std::size_t limit,
                                                          std::size_t bytes = 8 * 1024 * 1024);

private:
  class impl;
  std::unique_ptr<impl> impl_;
  explicit store_reader(std::unique_ptr<impl> parts);
};

} // namespace tune

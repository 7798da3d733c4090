/// The state machine of one tuning run, as a value.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/command.hpp"
#include "tune/core/experiment/event.hpp"
#include "tune/core/experiment/rule_change.hpp"
#include "tune/core/experiment/settings.hpp"
#include "tune/core/stop/stopper.hpp"
#include "tune/core/trial/status.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

class machine;

/// Number of trials by status; indexed by `trial_status`.
using status_counts = std::array<std::uint64_t, trial_status_count>;

/// The best trial so far. If configurations run several times: the best run of the best one.
struct best_trial {
  trial_id trial;
  config_ptr config;
  /// The report with the best first objective.
  std::shared_ptr<const report> at;
  /// The checkpoint of that report, or else of the trial's best report that has one; it may belong
  /// to the trial that this one was cloned from. Relative to the experiment's directory; empty:
  /// none.
  std::string checkpoint;
  /// The iteration of that checkpoint, and the objectives reported at it; no metrics if the report
  /// had none of them.
  std::uint64_t checkpoint_iteration = 0;
  metrics_ptr checkpoint_metrics;
  /// Present status of the trial: one that failed later may still be the best.
  trial_status status = trial_status::pending;
  /// Statistics over all runs of the configuration; empty if each configuration runs once.
  std::optional<run_statistics> runs = {};
};

/// The part of a running experiment that observers may see.
struct experiment_view {
  status_counts counts{};
  /// Trials that ended without error and whose first objective was a number at least once.
  std::uint64_t succeeded = 0;
  /// Trials whose first objective was a number at least once, whether they have ended or are to go
  /// on, except those that failed.
  std::uint64_t promising = 0;
  std::optional<best_trial> best;
  bool searcher_done = false;
  bool draining = false;
  /// True if clients want no further trial to begin.
  bool suspended = false;
  /// Number of trials that clients paused, or keep from starting.
  std::uint64_t held = 0;
  /// The trials that must end before the searcher is asked again, as text for people; empty if the
  /// searcher is not waiting for trials. See `experiment_settings::max_pending`.
  std::string waits_for = {};
  /// Number of terminated trials that were withdrawn before they began.
  std::uint64_t withdrawn = 0;
  /// Number of trials there will be, without those withdrawn: see `planned_trials`.
  std::optional<std::uint64_t> planned = {};
};

/// The answer to a client's request.
struct order_verdict {
  enum class kind : std::uint8_t {
    /// The request is done, or will be.
    taken,
    /// Nothing has to be done: the requested state holds already.
    needless,
    /// There is no such trial.
    unknown,
    /// The request cannot be granted at present.
    refused,
  };
  kind what = kind::taken;
  /// Text for people, without the trial's number: "it pauses as soon as it has saved".
  std::string text;
  /// The trial concerned, or the one that was made; none if the request is about all.
  std::optional<trial_id> trial;
  friend bool operator==(const order_verdict&, const order_verdict&) = default;
};

/// "taken", "needless", "unknown", "refused".
[[nodiscard]] std::string_view to_text(order_verdict::kind x);

/// Events in, commands out. Knows no actor, clock, file or thread; replaying the same events gives
/// the same state and the same commands. Work per event does not grow with the number of trials.
class experiment {
public:
  /// @param scheduler Traits of the scheduler.
  /// @param searcher  Traits of the searcher.
  experiment(experiment_settings settings, scheduler_traits scheduler, searcher_traits searcher,
             std::vector<std::unique_ptr<stopper>> stoppers);
  ~experiment();
  experiment(experiment&&) noexcept;
  experiment& operator=(experiment&&) noexcept;

  /// Applies the next event of the log. @param what `seq` is one more than the last applied.
  /// @returns what has to happen next, in order.
  [[nodiscard]] std::vector<command> apply(const event& what);

  /// Applies these rules from now on. Call before the `opened` of a head whose rules differ from
  /// those of the last: waiting trials then ask for the resources that the new rules give them.
  void go_by(rule_change what);

  /// The answer to a report that is late or duplicate and therefore must not enter the log: the
  /// recorded decision again, or a halt "superseded". Empty: the report is news.
  [[nodiscard]] std::optional<std::vector<command>> answer_known(const report& what) const;
  /// Whether `what` would change nothing (attempt over, unknown, answered already).
  [[nodiscard]] bool is_stale(const event_body& what) const;
  /// The part that is left of an event which `apply` wanted in the log (`cmd::log`), now that
  /// others have come before it: a checkpoint that is needed again must not be removed. Empty:
  /// nothing is left.
  [[nodiscard]] std::optional<event_body> still_wanted(event_body what) const;

  /// The answer for a client to `what`, one of the events that clients cause (`stop_asked`,
  /// `pause_asked`, `unpause_asked`, `add_asked`, `retry_asked`); for any other event: refused. It
  /// may be given once the log is on disk, including `what` if that is taken.
  [[nodiscard]] order_verdict weigh(const event_body& what) const;

  /// The time at which the next thing is due by time alone; empty if no deadline is set.
  [[nodiscard]] std::optional<instant> next_deadline() const;
  /// The events that are due at `now`, in order. Post each.
  [[nodiscard]] std::vector<on::ticked> due(instant now) const;

  /// Id for the next attempt. Unique as long as each id is used in `on::placed` before the next
  /// call.
  [[nodiscard]] attempt_id next_attempt() const;
  /// The event for a granted request of the trial: `on::placed`, or `on::granted` if its
  /// configuration is thought over first.
  [[nodiscard]] event_body granted(trial_id trial, lease what) const;
  /// Number for a checkpoint that a trainable hands over unasked. Unique on the same condition.
  [[nodiscard]] checkpoint_id next_checkpoint() const;

  /// The command that launched the trial's open attempt; empty if none is open.
  [[nodiscard]] std::optional<cmd::launch> launch_of(trial_id trial) const;

  /// Commands whose effect is still awaited, derived from state alone: a new head must carry them
  /// out again after replay. Attempts of an earlier head are not among them: they are over.
  [[nodiscard]] std::vector<command> outstanding() const;
  /// Attempts that are open in the log. After a crash of the head each is to be ended as
  /// `interrupted`, unless its programs can live without a head.
  [[nodiscard]] std::vector<std::pair<trial_id, attempt_id>> open_attempts() const;

  /// What is known of the trial's open attempt beyond its launch; empty if none is open.
  struct attempt_notes {
    resource_request request;
    /// It was heard of since it was launched.
    bool has_begun = false;
    /// It pauses as soon as it has saved, and is to do nothing else: neither to stop, nor to go on
    /// from another trial's checkpoint.
    bool is_to_pause = false;
  };
  [[nodiscard]] std::optional<attempt_notes> notes_on(trial_id trial) const;

  [[nodiscard]] sequence last_seq() const;
  [[nodiscard]] bool is_finished() const;
  [[nodiscard]] experiment_view view() const;
  /// Status of a trial; empty if there is no trial with that number.
  [[nodiscard]] std::optional<trial_status> status_of(trial_id trial) const;

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;

private:
  std::unique_ptr<machine> impl_;
};

} // namespace tune

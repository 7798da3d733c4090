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

/// The best trial so far. Where configurations run several times: the best run of the best one.
struct best_trial {
  trial_id trial;
  config_ptr config;
  /// The report with the best first objective.
  std::shared_ptr<const report> at;
  /// The checkpoint of that report, or of the trial's best report that has one, which may be of the
  /// trial that it was cloned from. Relative to the experiment's directory; empty: none.
  std::string checkpoint;
  /// The iteration of that checkpoint, and the objectives that were reported there; no metrics
  /// where the report had none of them.
  std::uint64_t checkpoint_iteration = 0;
  metrics_ptr checkpoint_metrics;
  /// What has become of the trial: one that failed later may still be the best.
  trial_status status = trial_status::pending;
  /// What all runs of the configuration come to; nothing where each runs once.
  std::optional<run_statistics> runs = {};
};

/// What an observer may see of a running experiment.
struct experiment_view {
  status_counts counts{};
  /// Trials that ended without error and whose first objective was a number at least once.
  std::uint64_t succeeded = 0;
  std::optional<best_trial> best;
  bool searcher_done = false;
  bool draining = false;
  /// Clients want nothing more to be started.
  bool suspended = false;
  /// Trials that clients paused, or keep from being started.
  std::uint64_t held = 0;
  /// Which trials must end before the searcher is asked again, in words for people; empty: that is
  /// not what keeps anything from beginning. See `experiment_settings::max_pending`.
  std::string waits_for = {};
  /// Of the trials that terminated, those that were withdrawn before they began.
  std::uint64_t withdrawn = 0;
};

/// What a client is told about its wish.
struct order_verdict {
  enum class kind : std::uint8_t {
    /// It is, or will be, done.
    taken,
    /// Nothing has to be done: it is so already.
    needless,
    /// There is no such trial.
    unknown,
    /// It cannot be done as things stand.
    refused,
  };
  kind what = kind::taken;
  /// In words for people, without the trial's number: "it pauses as soon as it has saved".
  std::string text;
  /// The trial that is meant, or was made; none where it is about all.
  std::optional<trial_id> trial;
  friend bool operator==(const order_verdict&, const order_verdict&) = default;
};

/// "taken", "needless", "unknown", "refused".
[[nodiscard]] std::string_view to_text(order_verdict::kind x);

/// Events in, commands out. It knows no actor, clock, file or thread; replaying the same events
/// gives the same state and the same commands. Work per event does not grow with the number of
/// trials.
class experiment {
public:
  /// @param scheduler What the scheduler needs.
  /// @param searcher  What the searcher needs.
  experiment(experiment_settings settings, scheduler_traits scheduler, searcher_traits searcher,
             std::vector<std::unique_ptr<stopper>> stoppers);
  ~experiment();
  experiment(experiment&&) noexcept;
  experiment& operator=(experiment&&) noexcept;

  /// Applies the next event of the log. @param what `seq` is one more than the last applied.
  /// @returns what has to happen next, in order.
  [[nodiscard]] std::vector<command> apply(const event& what);

  /// From now on these rules hold. Before the `opened` of a head that goes by others than the last
  /// did: trials that wait ask for what they ask for now.
  void go_by(rule_change what);

  /// The answer to a message that is late or doubled and therefore must not enter the log:
  /// the recorded decision again, or a halt "superseded". Nothing: the report is news.
  [[nodiscard]] std::optional<std::vector<command>> answer_known(const report& what) const;
  /// Whether `what` would change nothing (attempt over, unknown, answered already).
  [[nodiscard]] bool is_stale(const event_body& what) const;
  /// What is left of an event that `apply` wanted in the log (`cmd::log`), now that others have
  /// come before it: a checkpoint that is needed again is not to go. Nothing: no part of it is.
  [[nodiscard]] std::optional<event_body> still_wanted(event_body what) const;

  /// What a client is to be told of `what`, which is one of the events that clients cause
  /// (`stop_asked`, `pause_asked`, `unpause_asked`, `add_asked`, `retry_asked`); of any other:
  /// refused. It may be told once the log is on disk, `what` included where it is taken.
  [[nodiscard]] order_verdict weigh(const event_body& what) const;

  /// When the next thing is due by time alone; nothing if no deadline stands.
  [[nodiscard]] std::optional<instant> next_deadline() const;
  /// The events that are due at `now`, in order. Post each.
  [[nodiscard]] std::vector<on::ticked> due(instant now) const;

  /// Id for the next attempt. Unique as long as each id is used in `on::placed` before the next
  /// call.
  [[nodiscard]] attempt_id next_attempt() const;
  /// The event that says that the cluster granted the trial's request: `on::placed`, or
  /// `on::granted` where its configuration is thought over first.
  [[nodiscard]] event_body granted(trial_id trial, lease what) const;
  /// Number for a checkpoint that a trainable hands over unasked, likewise.
  [[nodiscard]] checkpoint_id next_checkpoint() const;

  /// What the trial's open attempt was launched with; nothing where none is open.
  [[nodiscard]] std::optional<cmd::launch> launch_of(trial_id trial) const;

  /// Commands whose effect is still awaited, derived from state alone: what a new head must do
  /// again after replay. Attempts of an earlier head are not among them: they are over.
  [[nodiscard]] std::vector<command> outstanding() const;
  /// Attempts that are open in the log; after a crash of the head each is to be ended
  /// `interrupted`, unless what runs there can live without a head.
  [[nodiscard]] std::vector<std::pair<trial_id, attempt_id>> open_attempts() const;

  [[nodiscard]] sequence last_seq() const;
  [[nodiscard]] bool is_finished() const;
  [[nodiscard]] experiment_view view() const;
  /// Status of a trial; nothing if there is none of that number.
  [[nodiscard]] std::optional<trial_status> status_of(trial_id trial) const;

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;

private:
  std::unique_ptr<machine> impl_;
};

} // namespace tune

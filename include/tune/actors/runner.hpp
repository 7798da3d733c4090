/// The RUNNER: messages to events, commands to messages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/core/experiment/experiment.hpp"
#include "tune/core/stop/stopper.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace tune {

/// Watches an experiment. Called by the runner between messages: be quick, hand the news on.
class run_observer {
public:
  virtual ~run_observer() = default;

  /// A trial's status or counts changed.
  virtual void trial_changed(const cmd::trial_changed& what, instant now) {
    static_cast<void>(what);
    static_cast<void>(now);
  }
  /// A trainable reported.
  virtual void reported(const std::shared_ptr<const report>& what, instant now) {
    static_cast<void>(what);
    static_cast<void>(now);
  }
  /// A checkpoint was registered. @param what with its number.
  virtual void saved(const on::saved& what, instant now) {
    static_cast<void>(what);
    static_cast<void>(now);
  }
  /// An attempt was given its resources.
  virtual void attempt_began(const cmd::attempt_changed& what, instant now) {
    static_cast<void>(what);
    static_cast<void>(now);
  }
  /// A decision other than to go on took effect.
  virtual void decided(const cmd::decision_taken& what, instant now) {
    static_cast<void>(what);
    static_cast<void>(now);
  }
  /// An attempt failed. @param again the trial will be tried again.
  virtual void attempt_failed(const cmd::attempt_changed& what, bool again, instant now) {
    static_cast<void>(what);
    static_cast<void>(again);
    static_cast<void>(now);
  }
  /// Something is probably not as it was meant.
  virtual void warned(const std::string& text) { static_cast<void>(text); }
  /// The experiment is over, and that is on disk, or the storage failed. Called once, last.
  virtual void finished(const run_summary& how) { static_cast<void>(how); }
};

/// Reads the log of earlier heads: the events after `after`, in order, some at a time; none: that
/// was all.
using history_function = std::function<expected<std::vector<event>>(sequence after)>;

/// What changes with a head; nothing: all stays as it was.
using head_rules_function
    = std::function<expected<std::optional<rule_change>>(const on::opened& head)>;

/// What a runner needs to begin.
struct runner_parts {
  experiment machine;
  /// The first event of this head.
  on::opened opening;
  scheduler_actor scheduler;
  searcher_actor searcher;
  cluster_actor cluster;
  recorder_actor recorder;
  /// Wait where a request cannot be granted by the nodes known now.
  bool queue_trials = false;
  /// May be null.
  std::shared_ptr<run_observer> observer;
  /// Set where the experiment goes on: its log is replayed before anything else happens.
  history_function history = {};
  /// Then, too: what changes with each head; asked of all in order, this one last.
  head_rules_function rules_of_head = {};
  /// What was found out of its checkpoints, where it goes on.
  std::vector<on::checkpoint_bad> bad = {};
  /// Trials that are to run again, where it goes on; and whether nothing else is to run.
  std::vector<on::retry_asked> again = {};
  bool only_again = false;
  /// Configurations that are to be tried besides, then.
  std::vector<on::add_asked> additions = {};
  /// Events that may wait for the disk before trials are held back. A stop waits behind them: more
  /// would only make it late where reports come faster than they can be written. [>= 1]
  sequence most_undurable = 2'048;
  /// What nodes call the experiment; see `job`.
  std::string job = {};
  /// What the nodes of its trainables must be able to do.
  node_labels labels = {};
  /// What the rules say of themselves: see `scheduler_traits::prompt`.
  bool prompt_scheduler = false;
  bool prompt_searcher = false;
  /// And what the searcher says besides.
  searcher_traits source = {};
  /// Each bundle of an attempt runs a rank of its own.
  bool runs_ranks = false;
  /// None: checkpoints that nobody needs are doomed, but stay.
  janitor_actor janitor = {};
  /// With which launches are sealed: see `launch_token_of`. Empty: they are not.
  std::string secret = {};
};

/// Spawns the runner; it begins with `run_atom`.
[[nodiscard]] runner_actor spawn_runner(caf::actor_system& system, runner_parts parts);

} // namespace tune

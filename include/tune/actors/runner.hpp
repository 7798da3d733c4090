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

/// A message of an attempt proxy was handed to the runner, which confirms it once everything so far
/// is on disk.
struct word_taken {
  attempt_proxy_actor whom;
  words_heard what;
};

/// Requests of higher priority need the room that this lease takes up: the trial pauses, and waits
/// for its turn again.
struct room_wanted {
  trial_id trial;
  lease_id lease;
  /// As in `made_room_text`.
  std::string for_whom = {};
};

/// The RUNNER as trials and the cluster see it.
using runner_local_actor
    = extend<runner_actor, caf::result<void>(word_taken), caf::result<void>(room_wanted)>;

/// Watches an experiment. Called by the runner between messages, so it must be quick and hand the
/// news on.
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
  /// An attempt failed. @param again Whether the trial will be tried again.
  virtual void attempt_failed(const cmd::attempt_changed& what, bool again, instant now) {
    static_cast<void>(what);
    static_cast<void>(again);
    static_cast<void>(now);
  }
  /// Something is probably not as the user meant it.
  virtual void warned(const std::string& text) { static_cast<void>(text); }
  /// The experiment is over and on disk, or the storage failed. Called once, last.
  virtual void finished(const run_summary& how) { static_cast<void>(how); }
};

/// Reads the log of earlier heads in batches: the next events after `after`, in order; none at the
/// end.
using history_function = std::function<expected<std::vector<event>>(sequence after)>;

/// Gives the rules that change with a head; nothing: all stay.
using head_rules_function
    = std::function<expected<std::optional<rule_change>>(const on::opened& head)>;

/// What is to be run besides where an experiment goes on.
struct run_wishes {
  /// Trials to run again, and whether nothing else is to run.
  std::vector<on::retry_asked> again = {};
  bool only_again = false;
  /// Configurations to be tried as well.
  std::vector<on::add_asked> additions = {};

  [[nodiscard]] bool are_any() const { return !again.empty() || only_again || !additions.empty(); }
};

/// Everything a runner needs to begin.
struct runner_parts {
  experiment machine;
  /// The first event of this head.
  on::opened opening;
  scheduler_actor scheduler;
  searcher_actor searcher;
  cluster_actor cluster;
  recorder_actor recorder;
  /// Whether requests wait that the nodes known now cannot grant.
  bool queue_trials = false;
  /// May be null.
  std::shared_ptr<run_observer> observer;
  /// Set where the experiment goes on: its log is replayed before anything else happens.
  history_function history = {};
  /// Set in that case, too: gives the rule changes of each head; called for all heads in order,
  /// this one last.
  head_rules_function rules_of_head = {};
  /// Bad checkpoints of the experiment, found before it goes on.
  std::vector<on::checkpoint_bad> bad = {};
  run_wishes wishes = {};
  /// Events that may wait for the disk before answers to reports are held back. A stop waits behind
  /// them: a higher limit would only delay it where reports come faster than they can be written.
  /// [>= 1]
  sequence most_undurable = 2'048;
  /// Time for which reports are gathered for the disk where nobody waits for them; see
  /// `record_pace`.
  instant gathering{0};
  /// Id of the experiment's `job`.
  std::string job = {};
  /// Labels that the nodes of its trainables must bear.
  node_labels labels = {};
  /// Traits of the scheduler and the searcher: see `scheduler_traits::prompt`.
  bool prompt_scheduler = false;
  bool prompt_searcher = false;
  /// The other traits of the searcher.
  searcher_traits source = {};
  /// Whether each bundle of an attempt runs a rank of its own.
  bool runs_ranks = false;
  /// Attempts on workers outlive this head: what they say is confirmed once it is on disk.
  bool outlives_heads = false;
  /// Those of the head before this one are awaited. Needs `outlives_heads`.
  bool awaits_attempts = false;
  /// Tells whether the experiment has been in its head's queue all the time; called by the runner.
  /// Empty: there is no queue.
  std::function<bool()> is_queued = {};
  /// Null: checkpoints that nobody needs are doomed, but stay.
  janitor_actor janitor = {};
  /// Key of the launch tokens: see `launch_token_of`. Empty: launches carry none.
  std::string secret = {};
};

/// Spawns the runner; it begins with `run_atom`.
[[nodiscard]] runner_actor spawn_runner(caf::actor_system& system, runner_parts parts);

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_runner)
TUNE_LOCAL_TYPE(tune_runner, tune::word_taken)
TUNE_LOCAL_TYPE(tune_runner, tune::room_wanted)
TUNE_END_LOCAL_TYPES(tune_runner)

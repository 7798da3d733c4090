/// The scheduler's interface: judges running trials and chooses which one runs next.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/plugin/catalogue.hpp"
#include "tune/core/schedule/action.hpp"
#include "tune/core/trial/end_class.hpp"
#include "tune/core/trial/report.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tune {

class search_space;

/// Facts that a scheduler is told, in log order. It keeps its own mirror of them.
///
/// Whoever writes another runner of schedulers owes them this order:
/// - A report without the first objective is not told at all, and no question is put about it: its
///   trial goes on. One whose objective is NaN is told, and judged.
/// - A report that meets a stop condition is not told as `result` either: it comes with `ended`,
///   whose `judged` is false then.
/// - What an answer does at once is told before `decided`, which names what had no effect: the
///   `ended` of trials that were stopped while they did not run, `unpaused` of those that were
///   allowed on, `added` of paused or pending ones that exploit. Whatever has to wait for a
///   training process comes after it: `saved`, `paused`, `ended`.
/// - After an exploit the target lets go without saving: no `paused`, but `added` with `again` and
///   the new configuration, then `started`. Its next results have a greater `lineage`, and begin
///   after the iteration of the donor's checkpoint. What it still reports before it lets go is not
///   told; a checkpoint that was on its way then may still come as `saved`.
/// - A trial that is to run again is told as `added` with `again`, whatever made it stop: after
///   `failed` where that was its own fault, else at once.
namespace fact {

/// A trial was suggested, or came back to the queue (retry, node lost, interrupted, revived).
struct added {
  trial_id trial;
  config_ptr config;
  /// Known before, it stands at the end of the queue again. A known one else: where it stood.
  bool again = false;
  /// Besides, it begins from scratch, after its end: no earlier result is its own any more.
  bool from_scratch = false;
};
/// Resources were granted: the trial runs.
struct started {
  trial_id trial;
  /// What it runs with, where the searcher changed its mind since `added`; null: what that told.
  config_ptr config = {};
};
/// A report that is judged: first of its (lineage, iteration), with a first objective (which may be
/// NaN), no stop condition met.
struct result {
  trial_id trial;
  lineage_id lineage = 1;
  std::uint64_t iteration = 0;
  /// The objectives, larger is better; of all but the first NaN where missing.
  std::vector<double> scores;
  /// The value of the scheduler's time attribute; NaN where missing.
  double time = 0;
  std::shared_ptr<const report> full;
};
/// The trial is paused: its checkpoint is registered, its process gone. Where checkpoints come with
/// reports, this may be some results after it was told to pause, or never.
struct paused {
  trial_id trial;
  checkpoint_id checkpoint;
};
/// A paused trial may run again; it stands in the queue. Either it was just chosen, which is told
/// next, or the scheduler's own `allow`, or a client, lets it go on.
struct unpaused {
  trial_id trial;
};
/// A checkpoint of the trial was registered.
struct saved {
  trial_id trial;
  checkpoint_id checkpoint;
  std::uint64_t iteration = 0;
};
/// A user error that will be retried; `added{again}` follows.
struct failed {
  trial_id trial;
};
/// Why a trial ended for good.
enum class end_kind : std::uint8_t {
  /// The trainable's own end, a stop condition, or a `stop` that completes it: `last` holds its
  /// final result.
  completed,
  /// Given up by this scheduler's own `stop`.
  stopped,
  /// Failed beyond the budget.
  errored,
  /// Ended from outside while it was not running.
  removed,
};
/// The trial ended; told exactly once.
struct ended {
  trial_id trial;
  end_kind how = end_kind::completed;
  /// The final result, where one exists; `judged` tells whether it came as `result` before.
  std::shared_ptr<const report> last;
  std::vector<double> scores;
  double time = 0;
  bool judged = false;
};
/// An own answer was recorded.
struct decided {
  decision what;
  /// Indices into `what.actions` that had no effect: they came too late, or cannot be. A `save` of
  /// a trial that runs is refused where it cannot be asked to: its checkpoints come with its
  /// reports.
  std::vector<std::uint32_t> refused;
};
struct chosen {
  choice what;
  /// Trials that could not be started any more.
  std::vector<trial_id> refused;
};
/// A node offers resources, or offers others than before.
struct node_up {
  std::string node;
  resources capacity;
};
/// A node is gone, or leaves: it grants nothing more. Those of a head that is gone are told of when
/// the next one opens.
struct node_down {
  std::string node;
};

} // namespace fact

/// One fact with its place in the log.
struct scheduler_fact {
  sequence seq = 0;
  instant at{0};
  std::variant<fact::added, fact::started, fact::result, fact::paused, fact::unpaused, fact::saved,
               fact::failed, fact::ended, fact::decided, fact::chosen, fact::node_up,
               fact::node_down>
      what;
};

/// What the runtime must know about a scheduler before it starts.
struct scheduler_traits {
  /// Metric that the scheduler's clock reads: `training_iteration` or `time_total_s` or a user's.
  std::string time_attr = "training_iteration";
  /// How many trials may be chosen before resources for them are free. 1 where the order matters.
  std::uint32_t choose_ahead = 1;
  /// It may pause, promote or clone: trials must be able to save, on request or with their reports.
  bool needs_checkpoints = false;
  /// Reports matter to it. Without, it is told of none and asked about none: all go on.
  bool judges = true;
  /// It answers within microseconds: nothing else enters the log between a question whom to start
  /// and its answer. See `searcher_traits::prompt`.
  bool prompt = false;
};

/// Works a decision out from copies of all that it needs: on any thread, while facts are applied to
/// the scheduler that it came from. To be called once at most.
using deferred_decision = std::function<decision()>;

/// Judges and chooses.
///
/// Two halves: `apply` is the only change of state; the others compute an answer from it, which
/// comes back as `fact::decided` or `fact::chosen` once it is recorded. Replay only applies.
/// Deterministic given the facts: no clock, no stored generator, ties by trial number.
class scheduler {
public:
  virtual ~scheduler() = default;

  [[nodiscard]] virtual scheduler_traits traits() const = 0;

  /// Takes one fact into account.
  virtual void apply(const scheduler_fact& what) = 0;

  /// Judges the report `cause`, which was applied before, of `trial`. Later facts may have been
  /// applied in between.
  [[nodiscard]] virtual decision judge(sequence cause, trial_id trial) const = 0;

  /// For reports on which `judge` would take longer than other trials should wait for their
  /// verdicts, such as one that a model is fitted for: what says the same as `judge` would now.
  /// Empty for others. It must be quick itself.
  ///
  /// One is worked out at a time, beside the actor; the next is asked for once the answer was
  /// applied.
  [[nodiscard]] virtual deferred_decision judge_later(sequence, trial_id) const { return {}; }

  /// Names up to `count` trials to start, most urgent first. [count >= 1]
  [[nodiscard]] virtual choice choose(sequence at, std::uint32_t count) const = 0;

  /// Nothing runs and nothing is asked for, yet trials are left: what must happen?
  /// An empty answer ends the experiment with an error.
  [[nodiscard]] virtual decision on_stall(sequence at) const = 0;

  /// Where things stand, in one line for people: rungs with their counts, brackets, a population.
  /// Empty: there is nothing to say. It may cost O(log n) of n trials, and O(rungs).
  [[nodiscard]] virtual std::string outline() const { return {}; }

  /// Adds all state to `into`.
  virtual void describe(fingerprint& into) const = 0;
};

/// What every scheduler's factory is given beside its options.
struct scheduler_context {
  std::uint64_t seed = 0;
  /// Number of objectives. [>= 1]
  std::uint32_t objectives = 1;
  /// Whether the first of them is maximised. Scores are larger-is-better either way; it is for what
  /// people read, where scores are turned back.
  bool maximise = true;
  /// What configurations are drawn from; null where nothing is known of it.
  std::shared_ptr<const search_space> space;
  /// What each trial needs at first.
  resource_request request;
  /// Whether answers are drawn as heads of earlier versions drew them, by the event that is judged:
  /// to verify their records.
  bool draws_by_event = false;
  /// The same of heads that judged before `on::judged_afresh`.
  bool judges_as_before = false;
  /// The same of heads before `on::heeds_clients`.
  bool heeds_no_clients = false;
};

using scheduler_catalogue = catalogue<scheduler, scheduler_context>;

/// The schedulers shipped.
[[nodiscard]] scheduler_catalogue builtin_schedulers();

} // namespace tune

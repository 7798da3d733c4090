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
/// Any other runner of schedulers must keep this order:
/// - A report without the first objective is not told at all, and no question is asked about it:
///   its trial goes on. A report whose first objective is NaN is told, and judged.
/// - A report that meets a stop condition is not told as `result` either: it comes with `ended`,
///   whose `judged` is false then.
/// - The immediate effects of an answer are told before `decided`, which names the actions that had
///   no effect: the `ended` of trials that were stopped while they did not run, the `unpaused` of
///   those that were allowed on, and the `added` of paused or pending ones that exploit. Effects
///   that have to wait for a training process come after it: `saved`, `paused`, `ended`.
/// - After an exploit the target ends its attempt without saving: no `paused`, but `added` with
///   `again` and the new configuration, then `started`. Its next results have a greater `lineage`,
///   and begin after the iteration of the donor's checkpoint. Reports between the exploit and the
///   end of that attempt are not told; a checkpoint that was on its way then may still come as
///   `saved`.
/// - A trial that is to run again is told as `added` with `again`, whatever made it stop: after
///   `failed` if the stop was its own fault, else at once.
namespace fact {

/// A trial was suggested, or came back to the queue (retry, node lost, interrupted, revived).
struct added {
  trial_id trial;
  config_ptr config;
  /// True if the trial was known before and now goes to the end of the queue. A known trial without
  /// `again` keeps its place.
  bool again = false;
  /// Besides, it begins from scratch, after its end: no earlier result is its own any more.
  bool from_scratch = false;
};
/// Resources were granted: the trial runs.
struct started {
  trial_id trial;
  /// Configuration of the attempt if the searcher changed it since `added`; null: the one in
  /// `added`.
  config_ptr config = {};
};
/// A report that is judged: first of its (lineage, iteration), with a first objective (which may be
/// NaN), no stop condition met.
struct result {
  trial_id trial;
  lineage_id lineage = 1;
  std::uint64_t iteration = 0;
  /// The objectives, larger is better; all but the first may be NaN, if missing.
  std::vector<double> scores;
  /// The value of the scheduler's time attribute; NaN if missing.
  double time = 0;
  std::shared_ptr<const report> full;
};
/// The trial is paused: its checkpoint is registered, its process gone. If checkpoints come with
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
/// Reasons why a trial ended for good.
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
  /// The final result, if there is one; `judged` tells whether it came as `result` before.
  std::shared_ptr<const report> last;
  std::vector<double> scores;
  double time = 0;
  bool judged = false;
};
/// An answer of the scheduler itself was recorded.
struct decided {
  decision what;
  /// Indices into `what.actions` that had no effect: they came too late, or are impossible. A
  /// `save` of a running trial is refused if the trial cannot be asked to save because its
  /// checkpoints come with its reports.
  std::vector<std::uint32_t> refused;
};
struct chosen {
  choice what;
  /// Trials that could not be started any more.
  std::vector<trial_id> refused;
};
/// A node offers resources, or changed its offer.
struct node_up {
  std::string node;
  resources capacity;
};
/// A node is gone, or leaves: it grants nothing more. Nodes of a lost head are reported when the
/// next head opens.
struct node_down {
  std::string node;
};

} // namespace fact

/// One fact with its place and time in the log.
struct scheduler_fact {
  sequence seq = 0;
  instant at{0};
  std::variant<fact::added, fact::started, fact::result, fact::paused, fact::unpaused, fact::saved,
               fact::failed, fact::ended, fact::decided, fact::chosen, fact::node_up,
               fact::node_down>
      what;
};

/// Properties of a scheduler that the runtime must know before it starts.
struct scheduler_traits {
  /// Metric that the scheduler's clock reads: `training_iteration` or `time_total_s` or a user's.
  std::string time_attr = "training_iteration";
  /// Number of trials that may be chosen before resources for them are free. 1 if the order
  /// matters.
  std::uint32_t choose_ahead = 1;
  /// True if it may pause, promote or clone: trials must be able to save, on request or with their
  /// reports.
  bool needs_checkpoints = false;
  /// False if it ignores reports: it is then told of none and asked about none, and all trials go
  /// on.
  bool judges = true;
  /// True if it answers within microseconds: nothing else enters the log between a question which
  /// trials to start and its answer. See `searcher_traits::prompt`.
  bool prompt = false;
};

/// Computes a decision from copies of all the data it needs: on any thread, while facts are applied
/// to the scheduler that it came from. May be called only once.
using deferred_decision = std::function<decision()>;

/// Judges reports and chooses trials to run.
///
/// Two halves: `apply` is the only change of state; the other functions compute answers from the
/// state, which come back as `fact::decided` or `fact::chosen` once recorded. Replay only applies.
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

  /// For a report on which `judge` would take so long that other trials should not wait for it,
  /// such as one that a model is fitted for: returns a function that computes what `judge` would
  /// say now. Empty for other reports. `judge_later` must be quick itself.
  ///
  /// Only one such function runs at a time, beside the actor; the next is asked for once the answer
  /// was applied.
  [[nodiscard]] virtual deferred_decision judge_later(sequence, trial_id) const { return {}; }

  /// Names up to `count` trials to start, most urgent first. [count >= 1]
  [[nodiscard]] virtual choice choose(sequence at, std::uint32_t count) const = 0;

  /// Decides what must happen if nothing runs and nothing is asked for, yet trials are left. An
  /// empty answer ends the experiment with an error.
  [[nodiscard]] virtual decision on_stall(sequence at) const = 0;

  /// The present state in one line for people: rungs with their counts, brackets, a population.
  /// Empty: there is nothing to say. May cost O(log n) of n trials, and O(rungs).
  [[nodiscard]] virtual std::string outline() const { return {}; }

  /// Adds all state to `into`.
  virtual void describe(fingerprint& into) const = 0;
};

/// Given to every scheduler's factory in addition to its options.
struct scheduler_context {
  std::uint64_t seed = 0;
  /// Number of objectives. [>= 1]
  std::uint32_t objectives = 1;
  /// Whether the first objective is maximised. Scores are larger-is-better either way; the flag
  /// only serves to restore the sign in texts and facts for people.
  bool maximise = true;
  /// The space that configurations are drawn from; null if it is unknown.
  std::shared_ptr<const search_space> space;
  /// Initial request of each trial.
  resource_request request;
  /// Whether answers are drawn as heads of earlier versions drew them, by the judged event: used to
  /// verify their records.
  bool draws_by_event = false;
  /// Whether to judge like heads before `on::judged_afresh`: used to verify their records.
  bool judges_as_before = false;
  /// The same of heads before `on::heeds_clients`.
  bool heeds_no_clients = false;
  /// The same of heads before `on::forces_once`.
  bool repeats_forced = false;
};

using scheduler_catalogue = catalogue<scheduler, scheduler_context>;

/// The built-in schedulers.
[[nodiscard]] scheduler_catalogue builtin_schedulers();

} // namespace tune

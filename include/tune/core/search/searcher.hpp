/// The searcher's interface: proposes configurations, and learns from their results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/plugin/catalogue.hpp"
#include "tune/core/search/earlier.hpp"
#include "tune/core/search/explanation.hpp"
#include "tune/core/search/known.hpp"
#include "tune/core/search/run_spread.hpp"
#include "tune/core/space/space.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tune {

/// A configuration to try, and its origin ("point 1", "grid", "random", "sobol").
struct suggestion {
  config_ptr config;
  std::string origin;
  /// True if it may be thought over once its trial is granted resources: see `ask::trial`.
  bool draft = false;
};

/// Whether suggestions may be drafts, which are thought over before they run.
enum class drafting : std::uint8_t {
  /// No drafts: suggestions run unchanged.
  none,
  /// Cheap drafts are allowed: none of them runs unchanged, unless a free place has waited too long
  /// for a model already.
  quick,
  /// Drafts are allowed, and some run unchanged: if thinking them over would take too long.
  thorough,
};

/// The searcher has nothing now, but may have suggestions later.
struct nothing_yet {};
/// The searcher will never have further suggestions.
struct exhausted {
  std::string why;
};

using proposal = std::variant<std::vector<suggestion>, nothing_yet, exhausted>;

/// Present state or end of a configuration.
enum class outcome : std::uint8_t { running, completed, stopped, failed, lost, removed };

/// One observation of one configuration.
struct observation {
  trial_id trial;
  config_ptr config;
  lineage_id lineage = 1;
  /// `training_iteration` of the values.
  std::uint64_t fidelity = 0;
  /// The objectives, larger is better; NaN for missing ones; empty if there was no report.
  std::vector<double> values;
  /// The amount by which each of `[experiment] constraints` is missed, in their order and in the
  /// metric's unit: at most 0 if it is kept, infinite if its metric is missing; empty if there was
  /// no report. See `violations_of`.
  std::vector<double> constraints;
  outcome how = outcome::running;
  /// Spread of the first objective if the values are those of several runs together. Empty: one
  /// run, whose noise is unknown.
  std::optional<run_spread> spread = {};
  /// It counts as bad as the worst: its newest report has a NaN or an infinity for an objective, or
  /// it came to its own end without a number for one. Heads before `on::learns_divergence` did not
  /// say so.
  bool diverged = false;
};

/// The recorded answer to an ask, with the numbers that its trials were given.
struct suggested_fact {
  std::uint64_t ask = 0;
  proposal what;
  /// Number of the first trial made of it, or of the trial whose draft it replaces. An answer that
  /// came too late to replace a draft is told as `nothing_yet`.
  trial_id first;
  /// The `seq` at which the question was asked, as in `ask::at`. 0: unknown.
  sequence asked = 0;
};

struct searcher_fact {
  sequence seq = 0;
  std::variant<suggested_fact, observation> what;
};

/// One question for configurations.
struct ask {
  /// Counts from 1 without gaps.
  std::uint64_t number = 0;
  /// Most suggestions wanted. [>= 1]
  std::uint32_t count = 1;
  /// The `seq` at which it is asked.
  sequence at = 0;
  drafting drafts = drafting::none;
  /// The trial of a draft: the single suggestion wanted replaces it. Without an answer the draft
  /// stands.
  std::optional<trial_id> trial = {};
};

/// Properties of a searcher that the runtime must know before it starts.
struct searcher_traits {
  /// Most suggestions that may wait: many if nothing is learnt, else 1. 0: see `is_idle`.
  std::uint32_t ahead = 1;
  /// Number of objectives it can take. 0 = any.
  std::uint32_t objectives = 0;
  bool conditional = true;
  /// True if it ends by itself; it handles `num_samples` itself.
  bool exhaustible = false;
  /// True if its proposals depend on observations. Otherwise it is told only of its own
  /// suggestions.
  bool learns = true;
  /// True if it answers within microseconds: nothing else enters the log between question and
  /// answer, so that runs of one trial at a time repeat exactly. Nothing ever waits for a searcher
  /// that is not prompt.
  bool prompt = false;
  /// True if `propose` gives the same answer whenever it is asked over the same facts: answers of
  /// earlier heads can be verified. False if an external process answers.
  bool recomputes = true;
  /// True if it learns from `searcher_context::earlier`.
  bool learns_earlier = false;
  /// True if it proposes a `drafting::quick` draft at once even while a function of `propose_later`
  /// runs on another thread: the two share only constant data.
  bool sketches = false;
};

/// Computes a proposal from copies of all the data it needs: on any thread, while facts are applied
/// to the searcher that it came from. May be called only once.
using deferred_proposal = std::function<proposal()>;

/// Proposes and learns. Two halves like `scheduler`: `apply` changes, `propose` computes.
class searcher {
public:
  virtual ~searcher() = default;

  [[nodiscard]] virtual searcher_traits traits() const = 0;
  virtual void apply(const searcher_fact& what) = 0;
  /// @returns at most `question.count` suggestions, or the reason why there are none.
  [[nodiscard]] virtual proposal propose(const ask& question) const = 0;
  virtual void describe(fingerprint& into) const = 0;

  /// For a question on which `propose` would take so long that reports should not wait for it, such
  /// as one for which a model is fitted: returns a function that computes what `propose` would say
  /// now. Empty for other questions, and always for prompt searchers. `propose_later` must be quick
  /// itself.
  ///
  /// Only one such function runs at a time, beside the actor; meanwhile nothing else is asked,
  /// except for `drafting::quick` drafts of new trials if `searcher_traits::sketches`.
  [[nodiscard]] virtual deferred_proposal propose_later(const ask&) const { return {}; }

  /// Explains why it proposed number `which` of `answer`, which it gave to `question` over the
  /// facts so far. Called on demand when someone looks at an experiment, on a searcher made for
  /// that: it may take as long as the proposal did. Empty: the origin says everything.
  [[nodiscard]] virtual std::optional<explanation>
  explain(const ask&, const std::vector<suggestion>&, std::size_t) const {
    return {};
  }
};

/// Name and direction of an objective, for searchers that need them.
struct searched_metric {
  std::string name;
  bool maximise = true;
};

namespace external {
struct partner_terms;
class partner;
/// Makes the process of an external searcher: nothing runs before it is first asked.
using partner_source = std::function<expected<std::unique_ptr<partner>>(const partner_terms&)>;
} // namespace external

/// Given to every searcher's factory in addition to its options.
struct searcher_context {
  std::shared_ptr<const search_space> space;
  std::uint64_t seed = 0;
  /// `num_samples`; 0 = unlimited.
  std::uint64_t samples = 1;
  std::uint32_t objectives = 1;
  /// `points_to_evaluate`: configurations (whole or in part) to try first.
  std::vector<object> points;
  /// Number of constraints of each observation.
  std::uint32_t constraints = 0;
  /// The objectives, in their order.
  std::vector<searched_metric> metrics = {};
  /// The constraints as they were written, in their order.
  std::vector<std::string> constraint_texts = {};
  /// Empty: processes are not supported here; searchers that need one propose nothing.
  external::partner_source partners = {};
  /// Results that the searcher is told before it is first asked (`tell`): it needs that many fewer
  /// configurations before there is something to learn from.
  std::vector<known_result> known = {};
  /// Earlier experiments, of this task or of others like it.
  std::vector<earlier_experiment> earlier = {};
};

using searcher_catalogue = catalogue<searcher, searcher_context>;

/// The built-in searchers.
[[nodiscard]] searcher_catalogue builtin_searchers();

} // namespace tune

/// The searcher's interface: proposes configurations, learns from what became of them.
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

/// A configuration to try, and where it comes from ("point 1", "grid", "random", "sobol").
struct suggestion {
  config_ptr config;
  std::string origin;
  /// It may be thought over once its trial is granted resources: see `ask::trial`.
  bool draft = false;
};

/// Whether suggestions may be drafts, which are thought over before they run.
enum class drafting : std::uint8_t {
  /// No: what is suggested runs.
  none,
  /// They may, and cost little: nobody runs them as they are.
  quick,
  /// They may, and some run as they are: where thinking them over would take too long.
  thorough,
};

/// The searcher has nothing now, but may have later.
struct nothing_yet {};
/// The searcher will never have more.
struct exhausted {
  std::string why;
};

using proposal = std::variant<std::vector<suggestion>, nothing_yet, exhausted>;

/// How a configuration is doing, or ended.
enum class outcome : std::uint8_t { running, completed, stopped, failed, lost, removed };

/// One observation of one configuration.
struct observation {
  trial_id trial;
  config_ptr config;
  lineage_id lineage = 1;
  /// `training_iteration` of the values.
  std::uint64_t fidelity = 0;
  /// The objectives, larger is better; NaN where missing; empty where there was no report.
  std::vector<double> values;
  /// By how much each of `[experiment] constraints` is missed, in their order and in the metric's
  /// unit: at most 0 where it is kept, infinite where its metric is missing; empty where there was
  /// no report. See `violations_of`.
  std::vector<double> constraints;
  outcome how = outcome::running;
  /// Where the values are those of several runs together: of the first objective. Nothing: one
  /// run, of whose noise nothing is known.
  std::optional<run_spread> spread = {};
};

/// The recorded answer to an ask, with the numbers its trials were given.
struct suggested_fact {
  std::uint64_t ask = 0;
  proposal what;
  /// Number of the first trial made of it, or of the trial whose draft it replaces. An answer that
  /// came too late to replace one is told as `nothing_yet`.
  trial_id first;
  /// The `seq` at which it was asked, as in `ask::at`. 0: not known.
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
  /// How many are wanted at most. [>= 1]
  std::uint32_t count = 1;
  /// The `seq` at which it is asked.
  sequence at = 0;
  drafting drafts = drafting::none;
  /// The trial of a draft: the one suggestion wanted takes its place. Answered with nothing, the
  /// draft stands.
  std::optional<trial_id> trial = {};
};

/// What the runtime must know about a searcher before it starts.
struct searcher_traits {
  /// How many suggestions may wait: many where nothing is learnt, 1 where it is. 0: see `is_idle`.
  std::uint32_t ahead = 1;
  /// Number of objectives it can take. 0 = any.
  std::uint32_t objectives = 0;
  bool conditional = true;
  /// It ends by itself; `num_samples` is its own business.
  bool exhaustible = false;
  /// What it proposes depends on observations. Without, it is told of its own suggestions only.
  bool learns = true;
  /// It answers within microseconds: nothing else enters the log between question and answer, so
  /// that runs of one trial at a time repeat exactly. Nothing ever waits for one that is not.
  bool prompt = false;
  /// `propose` says the same again wherever it is asked over the same facts: answers of earlier
  /// heads can be verified. Not so where a process outside answers.
  bool recomputes = true;
  /// It learns from `searcher_context::earlier`.
  bool learns_earlier = false;
};

/// Works a proposal out from copies of all that it needs: on any thread, while facts are applied to
/// the searcher that it came from. To be called once at most.
using deferred_proposal = std::function<proposal()>;

/// Proposes and learns. Two halves like `scheduler`: `apply` changes, `propose` computes.
class searcher {
public:
  virtual ~searcher() = default;

  [[nodiscard]] virtual searcher_traits traits() const = 0;
  virtual void apply(const searcher_fact& what) = 0;
  /// @returns at most `question.count` suggestions, or why there are none.
  [[nodiscard]] virtual proposal propose(const ask& question) const = 0;
  virtual void describe(fingerprint& into) const = 0;

  /// For questions on which `propose` would take longer than reports should wait, such as those for
  /// which a model is fitted: what says the same as `propose` would now. Empty for others, and
  /// always for prompt searchers. It must be quick itself.
  ///
  /// One is worked out at a time, beside the actor; nothing else is asked meanwhile.
  [[nodiscard]] virtual deferred_proposal propose_later(const ask&) const { return {}; }

  /// Why it proposed number `which` of `answer`, which it gave to `question` over the facts so far.
  /// Asked on demand by who looks at an experiment, of a searcher made for that: it may take as
  /// long as the proposal did. Nothing: the origin says all that there is.
  [[nodiscard]] virtual std::optional<explanation>
  explain(const ask&, const std::vector<suggestion>&, std::size_t) const {
    return {};
  }
};

/// An objective for those who ask for its name.
struct searched_metric {
  std::string name;
  bool maximise = true;
};

namespace external {
struct partner_terms;
class partner;
/// Where the process of an external searcher comes from: nothing runs before it is first asked.
using partner_source = std::function<expected<std::unique_ptr<partner>>(const partner_terms&)>;
} // namespace external

/// What every searcher's factory is given beside its options.
struct searcher_context {
  std::shared_ptr<const search_space> space;
  std::uint64_t seed = 0;
  /// `num_samples`; 0 = unlimited.
  std::uint64_t samples = 1;
  std::uint32_t objectives = 1;
  /// `points_to_evaluate`: configurations (whole or in part) to try first.
  std::vector<object> points;
  /// How many constraints each observation has.
  std::uint32_t constraints = 0;
  /// The objectives, in their order.
  std::vector<searched_metric> metrics = {};
  /// The constraints as they were written, in their order.
  std::vector<std::string> constraint_texts = {};
  /// Empty: no processes here; what would need one proposes nothing.
  external::partner_source partners = {};
  /// What it is told before it is first asked (`tell`): so many configurations less are needed
  /// before there is something to learn from.
  std::vector<known_result> known = {};
  /// Earlier experiments, of this task or of others like it.
  std::vector<earlier_experiment> earlier = {};
};

using searcher_catalogue = catalogue<searcher, searcher_context>;

/// The searchers shipped.
[[nodiscard]] searcher_catalogue builtin_searchers();

} // namespace tune

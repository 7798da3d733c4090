// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/repeat/repeater.hpp"

#include "tune/core/search/missing_samples.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace tune {

namespace {

merit merit_of(const observation& x) {
  merit result;
  for (auto miss : x.constraints)
    result.violation += std::max(miss, 0.0);
  if (!x.values.empty())
    result.score = x.values.front();
  return result;
}

/// Spread of the values of the runs, as a measure of noise. @param values [n >= 1]
run_spread spread_of(run_judge by, const std::vector<double>& values) {
  run_spread result;
  result.runs = static_cast<std::uint32_t>(values.size());
  result.worth = worth_of(by, values.size());
  auto mean = mean_and_error(values).first;
  for (auto x : values)
    result.squares += (x - mean) * (x - mean);
  return result;
}

/// Outcome of several runs: one that trained to its end counts most.
outcome joined_outcome(const std::vector<outcome>& all) {
  for (auto x : {outcome::completed, outcome::stopped}) {
    if (std::find(all.begin(), all.end(), x) != all.end())
      return x;
  }
  return all.front();
}

} // namespace

/// A proposal in the making.
struct repeater::batch {
  std::size_t most = 1;
  std::vector<suggestion> list = {};
  /// Numbers of the runs in `list`.
  run_numbers numbers;

  [[nodiscard]] std::size_t still() const { return most - list.size(); }
};

repeater::repeater(std::unique_ptr<searcher> inner, repeat_rule rule, std::uint64_t samples)
    : inner_{std::move(inner)}
    , rule_{std::move(rule)}
    , samples_{samples}
    , begun_{rule_.runs}
    , numbers_{rule_.parameter}
    , book_{rule_} {
  assert(inner_ != nullptr);
  auto traits = inner_->traits();
  inner_learns_ = traits.learns;
  // A searcher that ends by itself counts its own samples; an idle one never ends.
  if (traits.exhaustible || traits.ahead == 0)
    samples_ = 0;
}

searcher_traits repeater::traits() const {
  auto result = inner_->traits();
  // The repeater counts configurations, which nothing else does.
  result.exhaustible = result.exhaustible || samples_ > 0;
  result.learns = result.learns || rule_.confirm > 0;
  // Runs of one configuration are never drafts.
  result.sketches = false;
  return result;
}

object repeater::without_number(const object& config) const {
  auto result = config;
  result.erase(rule_.parameter);
  return result;
}

/// Adds one more run of `config`. @param taken Numbers of runs outside the batch.
void repeater::add_run(batch& to, const run_numbers& taken, object config, std::string origin) {
  config.set(taken.parameter(), std::max(taken.next(config), to.numbers.next(config)));
  to.numbers.take(config);
  to.list.push_back({std::make_shared<const object>(std::move(config)), std::move(origin)});
}

/// Adds runs of `what` while there is room. @param begun Runs that were suggested before.
void repeater::repeat(batch& to, const run_numbers& taken, const suggestion& what,
                      std::uint32_t begun, std::uint32_t runs) {
  for (; begun < runs && to.still() > 0; ++begun)
    add_run(to, taken, *what.config, what.origin);
}

/// Adds runs of everything that the inner searcher proposed.
void repeater::add_all(batch& to, const run_numbers& taken, const proposal& from,
                       std::uint32_t runs) {
  if (const auto* list = std::get_if<std::vector<suggestion>>(&from)) {
    for (const auto& x : *list)
      repeat(to, taken, x, 0, runs);
  }
}

/// Number of configurations that the inner searcher is asked for.
std::size_t repeater::inner_count(std::size_t still, std::uint64_t samples) const {
  auto count = (still + rule_.runs - 1) / rule_.runs;
  return samples > 0 ? std::min<std::size_t>(count, samples - std::min(samples, drawn_)) : count;
}

/// @param still   Suggestions that are still wanted.
/// @param samples Total number of configurations to take; 0: all that come.
proposal repeater::ask_inner(const ask& question, std::size_t still, std::uint64_t samples) const {
  auto count = inner_count(still, samples);
  if (count == 0)
    return all_suggested();
  return inner_->propose({inner_asks_ + 1, static_cast<std::uint32_t>(count), question.at});
}

exhausted repeater::all_suggested() const {
  return {"all " + std::to_string(drawn_) + " configurations" + std::string{all_made}};
}

/// Proposes further runs of the best configurations until each has run often enough.
void repeater::confirm(batch& to) const {
  for (const auto& group : book_.ranked(rule_.confirm, false)) {
    const auto& config = *configs_.at(group.best);
    auto done = book_.count(config, true);
    for (; done < rule_.confirm_runs && to.still() > 0; ++done)
      add_run(to, numbers_, config, std::string{confirms_prefix} + to_text(group.best));
  }
}

/// Proposal before the end: runs of the configuration under way, and of the inner searcher's next.
proposal repeater::next_runs(batch& to, const ask& question, std::uint64_t samples) const {
  if (under_way_.config != nullptr)
    repeat(to, numbers_, under_way_, begun_, rule_.runs);
  if (to.still() == 0)
    return to.list;
  auto answer = ask_inner(question, to.still(), samples);
  add_all(to, numbers_, answer, rule_.runs);
  if (!to.list.empty())
    return to.list;
  return answer;
}

/// Proposal once the inner searcher has no more.
proposal repeater::at_end(batch& to) const {
  // The best are known only once all have ended; a client may add more while some are confirmed.
  if (!searching_.empty())
    return nothing_yet{};
  confirm(to);
  if (to.list.empty())
    return all_suggested();
  return std::move(to.list);
}

repeater::batch repeater::batch_for(const ask& question) const {
  return {question.count, {}, run_numbers{rule_.parameter}};
}

proposal repeater::propose(const ask& question) const {
  auto result = batch_for(question);
  auto answer = next_runs(result, question, samples_);
  if (rule_.confirm == 0 || !std::holds_alternative<exhausted>(answer))
    return answer;
  auto last = at_end(result);
  return std::holds_alternative<exhausted>(last) ? answer : last;
}

deferred_proposal repeater::propose_later(const ask& question) const {
  auto begun = batch_for(question);
  if (under_way_.config != nullptr)
    repeat(begun, numbers_, under_way_, begun_, rule_.runs);
  auto count = begun.still() > 0 ? inner_count(begun.still(), samples_) : 0;
  if (count == 0)
    return {};
  auto later
      = inner_->propose_later({inner_asks_ + 1, static_cast<std::uint32_t>(count), question.at});
  if (!later)
    return {};
  // The answer for the case that the inner searcher has no more can be computed now.
  std::optional<proposal> last;
  if (rule_.confirm > 0 && begun.list.empty()) {
    auto end = batch_for(question);
    last = at_end(end);
  }
  return [later = std::move(later), begun = std::move(begun), taken = numbers_, runs = rule_.runs,
          last = std::move(last)]() mutable -> proposal {
    auto answer = later();
    add_all(begun, taken, answer, runs);
    if (!begun.list.empty())
      return std::move(begun.list);
    auto ends = last && std::holds_alternative<exhausted>(answer)
                && !std::holds_alternative<exhausted>(*last);
    return ends ? *last : answer;
  };
}

std::vector<proposal> repeater::earlier_proposals(const ask& question) const {
  const auto* inner_before = dynamic_cast<const has_earlier_versions*>(inner_.get());
  auto begun = batch_for(question);
  if (under_way_.config != nullptr)
    repeat(begun, numbers_, under_way_, begun_, rule_.runs);
  auto count = begun.still() > 0 ? inner_count(begun.still(), samples_) : 0;
  std::vector<proposal> result;
  if (inner_before == nullptr || count == 0)
    return result;
  const ask inner{inner_asks_ + 1, static_cast<std::uint32_t>(count), question.at};
  for (const auto& answer : inner_before->earlier_proposals(inner)) {
    auto all = begun;
    add_all(all, numbers_, answer, rule_.runs);
    result.push_back(all.list.empty() ? answer : proposal{std::move(all.list)});
  }
  return result;
}

std::vector<proposal> repeater::with_other_samples(const ask& question) const {
  auto more = batch_for(question);
  std::vector<proposal> result{next_runs(more, question, 0)};
  auto fewer = batch_for(question);
  if (rule_.confirm > 0 && begun_ >= rule_.runs)
    result.push_back(at_end(fewer));
  return result;
}

/// Books one suggestion that was made; adds those that began a configuration to `fresh`.
void repeater::take(const suggestion& what, trial_id trial, std::vector<suggestion>& fresh) {
  numbers_.take(*what.config);
  if (inner_learns_ || rule_.confirm > 0) {
    book_.add(trial, *what.config, what.origin);
    configs_.emplace(trial, what.config);
  }
  if (is_confirming(what.origin)) {
    confirms_.insert(trial);
    return;
  }
  if (rule_.confirm > 0)
    searching_.insert(trial);
  if (begun_ >= rule_.runs) {
    begun_ = 0;
    ++drawn_;
    under_way_ = {std::make_shared<const object>(without_number(*what.config)), what.origin};
    fresh.push_back(under_way_);
    trial_id name{names_++};
    if (inner_learns_)
      draws_.push_back({name, under_way_.config, rule_.runs});
  }
  ++begun_;
  if (inner_learns_) {
    runs_.emplace(trial, run{draws_.size() - 1, {}});
    draws_.back().trials.push_back(trial);
  }
}

void repeater::take(const searcher_fact& at, const suggested_fact& what) {
  trial_id first{names_};
  const auto* list = std::get_if<std::vector<suggestion>>(&what.what);
  if (list == nullptr) {
    inner_->apply({at.seq, suggested_fact{++inner_asks_, what.what, first, what.asked}});
    return;
  }
  std::vector<suggestion> fresh;
  for (std::size_t i = 0; i < list->size(); ++i)
    take((*list)[i], {what.first.number + i}, fresh);
  if (!fresh.empty())
    inner_->apply({at.seq, suggested_fact{++inner_asks_, std::move(fresh), first, what.asked}});
}

/// Books a trial that was not proposed here: a client added it.
void repeater::enter(const observation& what) {
  numbers_.take(*what.config);
  book_.add(what.trial, *what.config, client_origin);
  configs_.emplace(what.trial, what.config);
  if (!inner_learns_)
    return;
  runs_.emplace(what.trial, run{draws_.size(), {}});
  auto config = std::make_shared<const object>(without_number(*what.config));
  draws_.push_back({{names_++}, std::move(config), 1, {what.trial}});
}

void repeater::take(const searcher_fact& at, const observation& what) {
  if (!book_.knows(what.trial))
    enter(what);
  auto how = merit_of(what);
  auto ends = what.how != outcome::running;
  if (ends)
    book_.end(what.trial);
  else
    book_.revive(what.trial);
  if (ends)
    searching_.erase(what.trial);
  else if (rule_.confirm > 0 && !confirms_.contains(what.trial))
    searching_.insert(what.trial);
  auto known = runs_.find(what.trial);
  auto& best = bests_[what.trial];
  if (!std::isnan(how.score) && (!best || is_better(how, *best))) {
    best = how;
    book_.note(what.trial, how);
    if (known != runs_.end())
      known->second.best = what;
  }
  if (known == runs_.end())
    return;
  auto& x = known->second;
  x.how = what.how;
  x.diverged = what.diverged;
  auto& all = draws_[x.draw];
  if (std::exchange(x.ended, ends) != ends)
    all.ended += ends ? 1 : -1;
  if (ends && all.ended == all.wanted)
    inner_->apply({at.seq, joined(all)});
}

/// Observation of all runs of a configuration together, as if of a single trial.
observation repeater::joined(const draw& what) const {
  observation result;
  result.trial = what.known_as;
  result.config = what.config;
  std::vector<outcome> ends;
  std::vector<const observation*> seen;
  for (auto id : what.trials) {
    const auto& x = runs_.at(id);
    ends.push_back(x.how);
    result.diverged = result.diverged || x.diverged;
    if (!x.best.values.empty())
      seen.push_back(&x.best);
  }
  result.how = joined_outcome(ends);
  if (seen.empty())
    return result;
  // Some run has a number to be judged by.
  result.diverged = false;
  result.fidelity = seen.front()->fidelity;
  for (const auto* x : seen)
    result.fidelity = std::min(result.fidelity, x->fidelity);
  for (std::size_t i = 0; i < seen.front()->values.size(); ++i) {
    std::vector<double> values;
    for (const auto* x : seen) {
      if (!std::isnan(x->values[i]))
        values.push_back(x->values[i]);
    }
    if (i == 0 && !values.empty())
      result.spread = spread_of(rule_.judge, values);
    result.values.push_back(values.empty() ? std::numeric_limits<double>::quiet_NaN()
                                           : judged_by(rule_.judge, std::move(values)));
  }
  result.constraints.resize(seen.front()->constraints.size());
  for (const auto* x : seen) {
    for (std::size_t i = 0; i < result.constraints.size(); ++i)
      result.constraints[i] += x->constraints[i] / static_cast<double>(seen.size());
  }
  return result;
}

void repeater::apply(const searcher_fact& what) {
  if (const auto* told = std::get_if<suggested_fact>(&what.what))
    take(what, *told);
  else
    take(what, std::get<observation>(what.what));
}

/// Converts the inner searcher's name of a configuration into the trial of its first run.
trial_id repeater::first_run_of(trial_id inner_name) const {
  auto known = std::lower_bound(draws_.begin(), draws_.end(), inner_name,
                                [](const draw& x, trial_id id) { return x.known_as < id; });
  return known == draws_.end() || known->trials.empty() ? inner_name : known->trials.front();
}

/// Answer of the inner searcher up to the configuration whose first run is number `which`. Empty if
/// that is a further run, whose first may have come with an earlier answer.
std::vector<suggestion> repeater::inner_answer(const std::vector<suggestion>& answer,
                                               std::size_t which) const {
  std::vector<suggestion> inner;
  auto left = rule_.runs - std::min(begun_, rule_.runs);
  auto is_first = false;
  for (std::size_t i = 0; i <= which; ++i) {
    is_first = left == 0;
    if (is_first)
      inner.push_back(
          {std::make_shared<const object>(without_number(*answer[i].config)), answer[i].origin});
    left = (is_first ? rule_.runs : left) - 1;
  }
  return is_first ? inner : std::vector<suggestion>{};
}

std::optional<explanation> repeater::explain(const ask& question,
                                             const std::vector<suggestion>& answer,
                                             std::size_t which) const {
  if (is_confirming(answer[which].origin))
    return std::nullopt;
  auto inner = inner_answer(answer, which);
  if (inner.empty())
    return explanation{"a further run of the configuration before it"};
  ask asked{inner_asks_ + 1, static_cast<std::uint32_t>(inner.size()), question.at};
  auto made = inner_->explain(asked, inner, inner.size() - 1);
  if (!made)
    return made;
  if (made->nearest)
    made->nearest->trial = first_run_of(made->nearest->trial);
  for (auto& x : made->parents)
    x = first_run_of(x);
  return made;
}

void repeater::describe(fingerprint& into) const {
  into.add(std::uint64_t{begun_}).add(drawn_).add(inner_asks_).add(names_);
  into.add(std::uint64_t{searching_.size()});
  numbers_.describe(into);
  book_.describe(into);
  inner_->describe(into);
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "view/rungs.hpp"

#include "tune/io/json_member.hpp"
#include "view/fields.hpp"
#include "view/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

namespace tune::cli {

namespace {

std::optional<double> reason_number(const raw_decision& x, std::string_view name) {
  auto member = json_member(x.reason, name, '/');
  return member ? json_number(*member, json_position::metric) : std::nullopt;
}

/// A number by which something is counted; `otherwise` where there is none.
std::int64_t reason_count(const raw_decision& x, std::string_view name, std::int64_t otherwise) {
  const auto found = reason_number(x, name);
  return found && std::abs(*found) < 1e9 ? static_cast<std::int64_t>(*found) : otherwise;
}

bool is_stop(const raw_decision& x) {
  return x.action == "stop";
}

/// Whether a stop was a trial's end, and nobody was preferred to it: the last rung of a bracket.
bool completes(const raw_decision& x) {
  return json_member(x.reason, "max_t", '/') || reason_number(x, "kept") == 0.0;
}

/// Whether a stop gave the trial up, by the scheduler: it was not its end, nor a condition's.
bool gives_up(const raw_decision& x) {
  const auto rule = json_member(x.reason, "rule", '/');
  return is_stop(x) && rule && *rule != R"("stop")" && !completes(x);
}

/// What all decisions say.
struct remarks {
  rung_book book;
  std::map<trial_id, bool> given_up;
  /// Trials that the scheduler let come to their end.
  std::set<trial_id> complete;
};

expected<remarks> remarks_of(store_reader& from, const retry_map& again) {
  remarks result;
  auto read = from.scan_decisions([&](const raw_decision& x) {
    const auto* retry = find_retry(again, x.trial);
    const auto is_undone = is_stop(x) && retry != nullptr && x.seq <= retry->seq;
    if (gives_up(x) && !is_undone)
      result.given_up[x.trial] = true;
    if (is_stop(x) && completes(x) && !is_undone)
      result.complete.insert(x.trial);
    if (auto found = remark_in(x)) {
      // What became of it since says whether it went on.
      if (is_undone)
        found->what = rung_remark::kind::waits;
      result.book.read(x.trial, *found);
    }
  });
  if (!read)
    return read.error();
  return result;
}

/// What the scheduler was told by an option; empty: nothing.
std::optional<std::string> option_in(const experiment_summary& seen, std::string_view name) {
  std::optional<std::string> result;
  for (const auto& x : seen.start->what.scheduler.options) {
    if (x.name == name)
      result = x.text;
  }
  return result;
}

/// Where the scheduler was told that trials are complete; NaN: it was not.
double end_of_rungs(const experiment_summary& seen) {
  const auto text = option_in(seen, "max_t");
  const auto number = text ? json_number(*text, json_position::plain) : std::nullopt;
  return number && *number > 0 ? *number : no_number;
}

/// Whether rungs count iterations.
bool counts_iterations(const experiment_summary& seen) {
  return option_in(seen, "time_attr").value_or("training_iteration") == "training_iteration";
}

/// Corrects who waits by what the trials have come to since.
void settle_waits(remarks& said, const experiment_summary& seen) {
  const auto by_iteration = counts_iterations(seen);
  const auto fate_of = [&](trial_id trial) {
    rung_fate result{false, false, said.complete.contains(trial), no_number};
    const auto place = seen.trials.place_of(trial);
    if (!place)
      return result;
    const auto& line = seen.trials.lines()[*place];
    result.ended = is_final(line.status);
    result.runs = line.status == trial_status::running;
    if (by_iteration)
      result.reached = static_cast<double>(line.iterations);
    return result;
  };
  said.book.settle(fate_of, end_of_rungs(seen));
}

/// Trials that passed rungs without a word: those that came farther than a rung of the only bracket
/// and are not in it. At most `most`, spread evenly.
std::vector<trial_id> silent_trials(const trial_table& trials, const rung_book& book,
                                    std::size_t most) {
  if (book.rungs().empty() || !book.is_one_bracket())
    return {};
  const auto first = book.rungs().begin()->first.second;
  std::vector<trial_id> all;
  for (const auto& x : trials.lines()) {
    if (static_cast<double>(x.iterations) >= first)
      all.push_back(x.trial);
  }
  std::vector<trial_id> result;
  for (auto i : spread_places(all.size(), most))
    result.push_back(all[i]);
  return result;
}

/// Adds what such a trial reported at each rung that it passed.
expected<void> add_silent(store_reader& from, trial_id trial, const std::string& metric,
                          rung_book& book) {
  auto next = book.rungs().begin();
  return from.scan_results_of(trial, [&](const raw_result& x) {
    for (; next != book.rungs().end() && next->first.second <= static_cast<double>(x.iteration);
         ++next)
      next->second.trials.emplace(
          trial,
          rung_book::place{rung_remark::kind::went_on, metric_in(x, metric).value_or(no_number)});
  });
}

/// How many trials came to a rung; of the only bracket by how far they came.
std::size_t entered(const rung_book::key& at, const rung_book::rung& x, const trial_table& trials,
                    bool is_only_bracket) {
  if (!is_only_bracket)
    return x.trials.size();
  return static_cast<std::size_t>(
      std::count_if(trials.lines().begin(), trials.lines().end(), [&](const trial_line& line) {
        return static_cast<double>(line.iterations) >= at.second;
      }));
}

/// Some places of a rung, each kind by its part of all that came, so that a picture of them does
/// not mislead. @param came With those that went on without a word.
std::vector<std::pair<trial_id, rung_book::place>> fair_share(const rung_book::rung& x,
                                                              std::size_t came, std::size_t most) {
  using kind = rung_remark::kind;
  std::map<kind, std::vector<std::pair<trial_id, rung_book::place>>> by_kind;
  for (const auto& each : x.trials)
    by_kind[each.second.what].push_back(each);
  const auto silent = came - x.trials.size();
  std::vector<std::pair<trial_id, rung_book::place>> result;
  for (const auto& [what, all] : by_kind) {
    const auto many = all.size() + (what == kind::went_on ? silent : 0);
    const auto share = came <= most ? all.size() : (most * many + came - 1) / came;
    for (auto i : spread_places(all.size(), share))
      result.push_back(all[i]);
  }
  std::sort(result.begin(), result.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return result;
}

object rung_object(const rung_book::key& at, const rung_book::rung& x, const trial_table& trials,
                   bool is_only_bracket) {
  constexpr std::size_t most = 500;
  std::size_t stopped = 0, waits = 0;
  for (const auto& [trial, place] : x.trials) {
    stopped += place.what == rung_remark::kind::stopped ? 1 : 0;
    waits += place.what == rung_remark::kind::waits ? 1 : 0;
  }
  const auto came = std::max(entered(at, x, trials, is_only_bracket), x.trials.size());
  value::list values;
  for (const auto& [trial, place] : fair_share(x, came, most)) {
    // Null: it waits for a word.
    const auto went_on = place.what == rung_remark::kind::waits
                             ? value{}
                             : value{place.what == rung_remark::kind::went_on};
    values.emplace_back(
        value::list{number_value(trial.number), number_or_null(place.value), went_on});
  }
  return {{"at", at.second},
          {"cutoff", number_or_null(x.cutoff)},
          {"entered", number_value(came)},
          {"went_on", number_value(came - stopped - waits)},
          {"waits", number_value(waits)},
          {"stopped", number_value(stopped)},
          {"values", std::move(values)}};
}

value brackets_value(const rung_book& book, const trial_table& trials) {
  std::map<bracket_name, value::list> by_bracket;
  for (const auto& [at, rung] : book.rungs())
    by_bracket[at.first].emplace_back(rung_object(at, rung, trials, book.is_one_bracket()));
  value::list result;
  for (auto& [bracket, all] : by_bracket)
    result.emplace_back(object{{"band", bracket.band < 0 ? value{} : value{bracket.band}},
                               {"bracket", bracket.bracket},
                               {"rungs", std::move(all)}});
  return result;
}

value cost_value(const run_cost& x) {
  return object{
      {"spent_s", x.spent_s},
      {"without_stopping_s", x.without_s ? value{*x.without_s} : value{}},
      {"iterations", number_value(x.iterations)},
      {"iterations_without", x.iterations_without ? number_value(*x.iterations_without) : value{}}};
}

} // namespace

std::uint64_t most_iterations(const experiment_summary& seen) {
  // `max_t` may count something else, such as seconds.
  const auto told = counts_iterations(seen) ? end_of_rungs(seen) : no_number;
  if (told >= 1 && told < 1e15)
    return static_cast<std::uint64_t>(told);
  std::uint64_t result = 0;
  for (const auto& x : seen.trials.lines())
    result = std::max(result, x.iterations);
  return result;
}

expected<std::map<trial_id, bool>> given_up_in(store_reader& from, const retry_map& again) {
  auto found = remarks_of(from, again);
  if (!found)
    return found.error();
  return std::move(found->given_up);
}

std::optional<rung_remark> remark_in(const raw_decision& x) {
  const auto at = reason_number(x, "rung");
  if (!at || std::isnan(*at))
    return std::nullopt;
  rung_remark result;
  result.bracket = {reason_count(x, "band", -1), reason_count(x, "bracket", 0)};
  result.at = *at;
  using enum rung_remark::kind;
  result.what = is_stop(x) && !completes(x)                        ? stopped
                : x.action == "pause" || x.action == "pause_waits" ? waits
                                                                   : went_on;
  result.cutoff = reason_number(x, "cutoff").value_or(no_number);
  result.value = reason_number(x, "value").value_or(no_number);
  return result;
}

void rung_book::read(trial_id trial, const rung_remark& what) {
  auto [where, is_new] = rungs_.try_emplace({what.bracket, what.at}, rung{no_number, {}});
  auto& rung = where->second;
  if (!std::isnan(what.cutoff))
    rung.cutoff = what.cutoff;
  auto& place
      = rung.trials.try_emplace(trial, rung_book::place{what.what, no_number}).first->second;
  place.what = what.what;
  if (!std::isnan(what.value))
    place.value = what.value;
}

void rung_book::settle(const std::function<rung_fate(trial_id)>& fate_of, double end) {
  using enum rung_remark::kind;
  // From the highest rung down, since a word at a higher one says that the lower was passed.
  std::map<bracket_name, std::set<trial_id>> above;
  for (auto i = rungs_.rbegin(); i != rungs_.rend(); ++i) {
    const auto& [bracket, at] = i->first;
    auto& higher = above[bracket];
    for (auto& [trial, place] : i->second.trials) {
      const auto is_higher = !higher.insert(trial).second;
      if (place.what != waits)
        continue;
      const auto fate = fate_of(trial);
      if (is_higher || fate.runs || fate.completed || fate.reached > at || at >= end)
        place.what = went_on;
      else if (fate.ended)
        place.what = stopped;
    }
  }
}

bool rung_book::is_one_bracket() const {
  return !rungs_.empty() && rungs_.begin()->first.first == rungs_.rbegin()->first.first;
}

run_cost cost_of(const trial_table& trials, const std::map<trial_id, bool>& given_up,
                 std::uint64_t most) {
  run_cost result;
  double more_s = 0;
  std::uint64_t more = 0;
  for (const auto& x : trials.lines()) {
    const auto spent = seconds_of(x.time_total);
    result.spent_s += spent;
    result.iterations += x.iterations;
    if (x.iterations == 0 || x.iterations >= most || x.ran_its_course
        || !given_up.contains(x.trial))
      continue;
    const auto left = most - x.iterations;
    more += left;
    more_s += spent / static_cast<double>(x.iterations) * static_cast<double>(left);
  }
  if (more > 0) {
    result.without_s = result.spent_s + more_s;
    result.iterations_without = result.iterations + more;
  }
  return result;
}

run_cost with_attempts(run_cost x, const trained_track& all) {
  const auto spent = seconds_of(all.time());
  if (x.without_s)
    *x.without_s += spent - x.spent_s;
  if (x.iterations_without)
    *x.iterations_without += all.iterations() - x.iterations;
  x.spent_s = spent;
  x.iterations = all.iterations();
  return x;
}

view_answer rungs(watched_experiment& from, const view_request&) {
  constexpr std::size_t most_silent = 300;
  const auto again = from.retries();
  if (!again)
    return fault_of(again.error());
  auto said = from.with_reader([&](store_reader& x) { return remarks_of(x, *again); });
  if (!said)
    return fault_of(said.error());
  std::vector<trial_id> silent;
  std::string metric;
  {
    auto seen = from.look();
    if (!seen)
      return fault_of(seen.error());
    silent = silent_trials((*seen)->trials, said->book, most_silent);
    metric = (*seen)->start->by.objectives.front().metric;
  }
  auto added = from.with_reader([&](store_reader& x) -> expected<void> {
    for (auto trial : silent) {
      if (auto done = add_silent(x, trial, metric, said->book); !done)
        return done;
    }
    return {};
  });
  auto seen = from.look({.trained = true});
  if (!added || !seen)
    return fault_of(added ? seen.error() : added.error());
  settle_waits(*said, **seen);
  const auto& type = (*seen)->start->what.scheduler.type;
  const auto cost = with_attempts(cost_of((*seen)->trials, said->given_up, most_iterations(**seen)),
                                  *(*seen)->trained);
  return value{object{{"kind", type.empty() || type == "fifo" ? "none" : type},
                      {"brackets", brackets_value(said->book, (*seen)->trials)},
                      {"cost", cost_value(cost)}}};
}

} // namespace tune::cli

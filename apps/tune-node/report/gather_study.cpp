// SPDX-License-Identifier: BSD-3-Clause
#include "report/gather_study.hpp"

#include "console/human.hpp"
#include "inspect/code_of_heads.hpp"
#include "inspect/experiment_directory.hpp"
#include "inspect/failures.hpp"
#include "tune/core/plugin/options.hpp"
#include "tune/core/space/space.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/object_parameters.hpp"
#include "tune/io/store/best_checkpoint.hpp"
#include "tune/io/store/best_trials.hpp"
#include "view/curves.hpp"
#include "view/fields.hpp"
#include "view/overview.hpp"
#include "view/rungs.hpp"
#include "view/ways_of_ending.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace tune::cli {

namespace {

/// Fills in what is particular to a kind of domain.
class domain_reader {
public:
  explicit domain_reader(study_parameter& to) : to_{to} {}

  void operator()(const float_range& x) { range(x.low, x.high, x.log, false); }
  void operator()(const int_range& x) {
    const auto last = x.step > 1 ? x.high : x.high - 1;
    range(static_cast<double>(x.low), static_cast<double>(last), x.log, true);
  }
  void operator()(const choice_of& x) { list(x.options); }
  void operator()(const grid_of& x) { list(x.options); }
  void operator()(const constant&) { to_.what = study_parameter::kind::fixed; }
  template <class Other>
  void operator()(const Other&) {
    to_.what = study_parameter::kind::other;
  }

private:
  study_parameter& to_;

  void range(double low, double high, bool log, bool whole) {
    to_.what = study_parameter::kind::range;
    to_.low = low;
    to_.high = high;
    to_.log = log;
    to_.whole = whole;
  }
  void list(const value::list& options) {
    to_.what = options.size() < 2 ? study_parameter::kind::fixed : study_parameter::kind::list;
    for (const auto& x : options)
      to_.values.push_back(text_in_column(x));
  }
};

std::vector<study_parameter> parameters_of(const spec& what) {
  std::vector<study_parameter> result;
  auto space = search_space::parse(space_lines(what));
  if (!space)
    return result;
  for (const auto& x : space->parameters()) {
    // It tells runs of a configuration apart: nobody searches it.
    if (x.numbers_runs)
      continue;
    study_parameter one{x.name};
    one.domain = to_text(x.what);
    one.conditional = x.active_if.has_value();
    std::visit(domain_reader{one}, x.what);
    result.push_back(std::move(one));
  }
  return result;
}

/// Whether all combinations of all values are run.
bool is_whole_grid(const spec& what) {
  auto space = search_space::parse(space_lines(what));
  if (!space)
    return false;
  const auto& all = space->parameters();
  return what.search.type == "grid" || std::all_of(all.begin(), all.end(), [](const parameter& x) {
           return x.numbers_runs || std::holds_alternative<grid_of>(x.what)
                  || std::holds_alternative<constant>(x.what);
         });
}

/// The number of a cell, or the place of its text in the list.
double place_of_cell(const study_parameter& of, const column& from, std::size_t place) {
  if (!from.has_value(place))
    return no_number;
  const auto& cell = from.at(place);
  if (of.what != study_parameter::kind::list)
    return cell.number;
  const auto text = cell.text >= 0 ? from.text_of(cell) : std::string{};
  for (std::size_t i = 0; i < of.values.size(); ++i) {
    const auto number = parse_number(of.values[i]);
    if (cell.text >= 0 ? of.values[i] == text : number && *number == cell.number)
      return static_cast<double>(i);
  }
  return no_number;
}

/// @param is_cut_off Whether a terminated trial had not come to its end.
trial_fate fate_of(const trial_line& x, bool is_given_up, bool is_cut_off) {
  switch (x.status) {
    case trial_status::pending:
      return x.iterations > 0 || x.time_total.count() > 0 || x.failures > 0
                 ? trial_fate::interrupted
                 : trial_fate::pending;
    case trial_status::running:
      return trial_fate::running;
    case trial_status::paused:
      return trial_fate::paused;
    case trial_status::errored:
      return trial_fate::failed;
    case trial_status::terminated:
      break;
  }
  return is_given_up ? trial_fate::stopped : is_cut_off ? trial_fate::ended : trial_fate::finished;
}

std::string objectives_text(const std::vector<objective>& all) {
  std::string result;
  for (const auto& x : all)
    result += (result.empty() ? "" : ", ") + std::string{x.maximise ? "maximise " : "minimise "}
              + x.metric;
  return result;
}

void add_rules(study& to, const recorded_start& start) {
  const auto& what = start.what;
  to.metric = start.by.objectives.front().metric;
  to.maximise = start.by.objectives.front().maximise;
  to.objectives = objectives_text(start.by.objectives);
  to.constraints = to_text(start.by.constraints);
  to.searcher = what.search.type.empty() ? "random" : what.search.type;
  to.scheduler = what.scheduler.type.empty() ? "fifo" : what.scheduler.type;
  to.seed = start.seed;
  to.wanted = start.wanted ? start.wanted->configurations : 0;
  to.wants_at_most = start.wanted && start.wanted->at_most;
  to.runs_each = start.by.repeats.runs;
  to.time_limit_s = seconds_of(what.experiment.time_limit);
  to.parameters = parameters_of(what);
  to.object_parameters = object_parameters_of(what);
  to.is_grid = is_whole_grid(what);
}

void add_trials(study& to, const experiment_summary& seen, const std::map<trial_id, bool>& given_up,
                const ways_of_ending& ended) {
  std::vector<const column*> columns;
  for (const auto& p : to.parameters)
    columns.push_back(seen.trials.find({column_name::kind::parameter, p.name}));
  const auto& lines = seen.trials.lines();
  to.trials.reserve(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& line = lines[i];
    if (line.withdrawn)
      continue;
    study_trial one{line.trial,
                    fate_of(line, given_up.contains(line.trial) && !line.ran_its_course,
                            ended.is_cut_off(line.trial) && !line.said_it_is_done),
                    line.confirms,
                    line.iterations,
                    seconds_of(line.time_total),
                    line.how};
    for (std::size_t k = 0; k < columns.size(); ++k)
      one.at.push_back(columns[k] == nullptr ? no_number
                                             : place_of_cell(to.parameters[k], *columns[k], i));
    one.ends_best = line.best_iteration == line.iterations;
    to.trials.push_back(std::move(one));
  }
}

/// Finds the winner as all commands do. @returns its number.
std::optional<trial_id> add_winner(study& to, const value& best) {
  const auto* fields = best.as_object();
  if (fields == nullptr)
    return std::nullopt;
  const auto number = fields->find("trial")->number();
  const trial_id trial{static_cast<std::uint64_t>(number.value_or(0))};
  const auto found = std::lower_bound(to.trials.begin(), to.trials.end(), trial,
                                      [](const study_trial& x, trial_id y) { return x.trial < y; });
  if (found == to.trials.end() || found->trial != trial)
    return std::nullopt;
  to.winner.place = static_cast<std::size_t>(found - to.trials.begin());
  to.winner.iteration = static_cast<std::uint64_t>(fields->find("iteration")->number().value_or(0));
  return trial;
}

expected<void> add_winner_facts(study& to, store_reader& from, const comparing_rules& by,
                                trial_id winner) {
  auto row = from.trial(winner);
  if (!row)
    return row.error();
  if (*row) {
    const auto& config = (*row)->best_config ? *(*row)->best_config : (*row)->config;
    to.winner.config = config_text(config, to.object_parameters);
    for (const auto& p : to.parameters) {
      if (find_parameter(config, p.name) == nullptr)
        to.winner.lacks.push_back(p.name);
    }
    if ((*row)->best_metrics)
      to.winner.misses = misses_text(by.constraints, *(*row)->best_metrics);
    auto saved = best_checkpoint(from, **row, by.objectives.front(), by.constraints);
    if (!saved)
      return saved.error();
    if (*saved) {
      to.winner.checkpoint = (*saved)->checkpoint.location;
      to.winner.checkpoint_iteration = (*saved)->checkpoint.iteration;
    }
  }
  curve_maker maker{curve_axis::iteration};
  auto read = from.scan_results_of(winner, [&](const raw_result& x) {
    if (auto number = metric_in(x, to.metric))
      maker.read(x, *number);
  });
  for (const auto& [at, number] : maker.points())
    to.winner.curve.emplace_back(static_cast<std::uint64_t>(at),
                                 to.maximise ? number : 0.0 - number);
  return read;
}

expected<void> add_runs(study& to, store_reader& from, const comparing_rules& by) {
  if (!by.repeats.is_on())
    return {};
  auto book = runs_of(from, {by.objectives.front(), by.constraints, by.repeats});
  if (!book)
    return book.error();
  // The runs of the search of a configuration that was confirmed are no second configuration.
  std::set<trial_id> confirmed;
  for (const auto& group : book->ranked(10)) {
    if (confirmed.contains(group.trials.front()))
      continue;
    if (auto earlier = group.confirms ? book->in_search(group) : std::nullopt)
      confirmed.insert(earlier->trials.front());
    to.runs.push_back(statistics_of(*book, group, to.maximise));
  }
  return {};
}

expected<void> add_best(std::vector<best_line>& to, store_reader& from, const comparing_rules& by,
                        const std::vector<std::string>& whole) {
  auto rows = best_trials(from, {by.objectives.front(), by.constraints, by.repeats}, 10);
  if (!rows)
    return rows.error();
  for (const auto& x : *rows) {
    const auto* found
        = x.best_metrics ? find_path(*x.best_metrics, by.objectives.front().metric) : nullptr;
    const auto misses = x.best_metrics && total_violation(by.constraints, *x.best_metrics) > 0;
    to.push_back({x.trial, found == nullptr ? "–" : short_text(*found), x.best_iteration,
                  x.iterations,
                  std::string{to_text(x.status)} + (misses ? ", misses the constraints" : ""),
                  config_text(x.best_config ? *x.best_config : x.config, whole)});
  }
  return {};
}

/// What the best configurations have of a parameter; empty where no configuration is among them.
std::string best_in(const object& row) {
  if (row.find("best")->number().value_or(0) == 0)
    return {};
  const auto low = short_text(*row.find("from")), high = short_text(*row.find("to"));
  return low == high ? low : low + " to " + high;
}

std::string text_in(const object& row, const char* name) {
  const auto* found = row.find(name);
  if (found == nullptr || found->is_null())
    return {};
  const auto* text = found->as_string();
  return text == nullptr ? short_text(*found) : *text;
}

/// What is read beside the summary.
struct aside {
  experiment_row row;
  std::map<trial_id, bool> given_up;
  ways_of_ending ended;
  std::vector<failure_group> failures;
  std::vector<head_code> heads;
  std::size_t nodes = 0;
};

expected<aside> read_aside(store_reader& from, const retry_map& again) {
  aside result;
  auto row = from.experiment();
  auto given_up = given_up_in(from, again);
  auto ended = ways_of_ending::read(from, again);
  auto failures = failures_in(from);
  auto heads = code_of_heads(from);
  auto nodes = from.nodes();
  if (!row || !given_up || !ended || !failures || !heads || !nodes)
    return !row        ? row.error()
           : !given_up ? given_up.error()
           : !ended    ? ended.error()
           : !failures ? failures.error()
           : !heads    ? heads.error()
                       : nodes.error();
  return aside{std::move(*row),      std::move(*given_up), std::move(*ended),
               std::move(*failures), std::move(*heads),    nodes->size()};
}

study_cost cost_in(const experiment_summary& seen, const std::map<trial_id, bool>& given_up) {
  const auto cost = cost_of(seen.trials, given_up, most_iterations(seen));
  return {cost.spent_s, cost.iterations, cost.without_s, cost.iterations_without};
}

/// With the attempts that took over a checkpoint, or began anew, and did not report.
expected<trained_track> settled(trained_track all, store_reader& from) {
  constexpr std::size_t at_once = 100'000;
  std::map<trial_id, attempt_id> newest;
  for (attempt_id last;;) {
    auto count = from.scan_attempts(last, at_once, [&](const raw_attempt& x) {
      last = x.attempt;
      if (x.lineage > 1)
        newest[x.trial] = x.attempt;
    });
    if (!count)
      return count.error();
    if (*count < at_once)
      break;
  }
  const auto origin_of = origins_in(from);
  for (const auto& [trial, attempt] : newest)
    all.begin(trial, attempt, origin_of);
  return all;
}

void add_attempts(study_cost& to, const trained_track& all) {
  to.attempts_s = seconds_of(all.time());
  to.reports = all.reports();
  to.done_again_s = seconds_of(all.done_again());
  to.given_up_s = seconds_of(all.given_up());
  to.has_clones = all.has_clones();
}

/// What the study needs of the summary.
expected<looking_for> needs_of(watched_experiment& from) {
  auto seen = from.look();
  if (!seen)
    return seen.error();
  looking_for result;
  result.trained = true;
  for (const auto& p : parameters_of((*seen)->start->what)) {
    if (result.columns.size() + 2 < trial_table::most_columns)
      result.columns.push_back({column_name::kind::parameter, p.name});
  }
  return result;
}

} // namespace

void add_importance(study& to, const object& answer) {
  to.no_importance = text_in(answer, "note");
  to.importance_by = text_in(answer, "method");
  const auto* rows = answer.find("parameters")->as_list();
  for (const auto& each : rows == nullptr ? value::list{} : *rows) {
    const auto& row = *each.as_object();
    const auto* name = row.find("name")->as_string();
    for (auto& p : to.parameters) {
      if (name == nullptr || p.name != *name)
        continue;
      p.rare = row.find("importance")->is_null();
      if (p.rare)
        continue;
      p.importance = study_importance{row.find("importance")->number().value_or(0),
                                      *row.find("more_than_chance") == value{true}, best_in(row)};
    }
  }
}

expected<gathered_study> gather_study(watched_experiment& from, const std::string& directory) {
  const auto live = from.live().live;
  auto needs = needs_of(from);
  if (!needs)
    return needs.error();
  const auto again = from.retries();
  if (!again)
    return again.error();
  auto more = from.with_reader([&](store_reader& x) { return read_aside(x, *again); });
  if (!more)
    return more.error();
  gathered_study result;
  auto& what = result.what;
  std::optional<trial_id> winner;
  comparing_rules by;
  {
    auto seen = from.look(*needs);
    if (!seen)
      return seen.error();
    auto best = best_value_of(from, **seen);
    if (!best)
      return best.error();
    by = (*seen)->start->by;
    add_rules(what, *(*seen)->start);
    what.status = shown_status((*seen)->head, (*seen)->start->what, live);
    what.why = cause_text((*seen)->head.why);
    what.elapsed_s = seconds_of((*seen)->head.elapsed);
    add_trials(what, **seen, more->given_up, more->ended);
    winner = add_winner(what, *best);
    what.cost = cost_in(**seen, more->given_up);
    auto trained = from.with_reader([&](store_reader& x) { return settled(*(*seen)->trained, x); });
    if (!trained)
      return trained.error();
    add_attempts(what.cost, *trained);
    result.configuration = (*seen)->start->what;
  }
  auto added = from.with_reader([&](store_reader& x) -> expected<void> {
    if (auto done = add_runs(what, x, by); !done)
      return done;
    if (auto done = add_best(result.best, x, by, what.object_parameters); !done)
      return done;
    return winner ? add_winner_facts(what, x, by, *winner) : expected<void>{};
  });
  if (!added)
    return added.error();
  what.name = from.directory().filename().string();
  what.nodes = static_cast<std::uint32_t>(std::max<std::size_t>(1, more->nodes));
  what.failures = std::move(more->failures);
  result.directory = directory;
  result.created = utc_text(more->row.created_ms);
  result.build = more->row.build;
  result.code = mixed_code(more->heads);
  return result;
}

} // namespace tune::cli

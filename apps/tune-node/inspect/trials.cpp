// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/trials.hpp"

#include "console/text.hpp"
#include "inspect/costs.hpp"
#include "inspect/experiment_directory.hpp"
#include "inspect/failures.hpp"
#include "inspect/policy.hpp"
#include "inspect/scope.hpp"
#include "inspect/story.hpp"
#include "output/trial_columns.hpp"
#include "output/write_trials.hpp"
#include "tune/core/space/object_parameters.hpp"
#include "tune/core/trial/costs.hpp"
#include "tune/core/value.hpp"
#include "tune/io/control/control_client.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/object_parameters.hpp"
#include "tune/io/store/best_checkpoint.hpp"
#include "tune/io/store/best_trials.hpp"
#include "tune/io/store/store_reader.hpp"
#include "tune/tuner/storage.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace tune::cli {
namespace {

namespace fs = std::filesystem;

/// Rules by which trials are compared.
struct yardstick {
  std::vector<objective> objectives;
  constraint_list constraints;
  repeat_rule repeats;
  /// Names of the space's parameters, those that no trial has among them.
  std::vector<std::string> parameters;
};

yardstick yardstick_of(const spec& what) {
  const auto space = search_space::parse(space_lines(what));
  return {what.experiment.objectives, what.experiment.constraints, repeat_rule_of(what),
          space ? parameter_names(*space) : std::vector<std::string>{}};
}

/// Longest wait for the answer of a busy head.
constexpr std::chrono::seconds head_patience{5};

/// Most lines of a table that is not on a terminal.
constexpr std::uint64_t most_lines = 100;

expected<std::vector<trial_row>> all_rows(store_reader& from, const trials_request& what) {
  trial_query which;
  which.status = what.status;
  which.limit = std::numeric_limits<std::size_t>::max();
  auto found = from.trials(which);
  return found ? std::move(found) : expected<std::vector<trial_row>>{reading_failed(found.error())};
}

/// Place of the checkpoint of its best report, or of the best report that has one; empty: there is
/// none.
expected<std::string> checkpoint_of(store_reader& from, const fs::path& directory,
                                    const trial_row& of, const yardstick& by) {
  auto found = best_checkpoint(from, of, by.objectives.front(), by.constraints);
  if (!found)
    return reading_failed(found.error());
  return *found ? checkpoint_place(directory, (*found)->checkpoint.location) : std::string{};
}

/// Whether the costs of training are asked for: reports mostly lack them, and the record of the
/// attempts tells.
bool wants_costs(const trials_request& what) {
  auto names_one = [](std::string_view name) {
    constexpr std::string_view prefix = "metric.";
    return name == "all" || is_cost(name.starts_with(prefix) ? name.substr(prefix.size()) : name);
  };
  return names_one(what.sort) || std::any_of(what.columns.begin(), what.columns.end(), names_one);
}

/// @param metrics Those that speak for it.
expected<std::shared_ptr<trial_details>> details_of(store_reader& from, const fs::path& directory,
                                                    const trial_row& of, object metrics,
                                                    const trials_request& what,
                                                    const yardstick& by) {
  auto result = std::make_shared<trial_details>();
  auto attempts = from.attempts(of.trial);
  if (!attempts)
    return reading_failed(attempts.error());
  auto checkpoint = checkpoint_of(from, directory, of, by);
  if (!checkpoint)
    return checkpoint.error();
  result->metrics = std::move(metrics);
  const auto& other = what.scope == metric_scope::last ? of.best_metrics : of.metrics;
  result->other_metrics = other.value_or(object{});
  if (wants_costs(what))
    costs_of(*attempts).join(result->metrics);
  result->best_iteration = of.best_iteration;
  result->created = of.created;
  result->ended = of.ended;
  result->attempts = attempts->size();
  if (!attempts->empty())
    result->node = attempts->back().node;
  result->checkpoint = std::move(*checkpoint);
  result->origin = of.origin;
  result->error = of.error;
  return result;
}

/// The trial as the reports in the scope show it.
expected<listed_trial> listed_in_scope(store_reader& from, const fs::path& directory,
                                       const trial_row& x, const trials_request& what,
                                       const yardstick& by) {
  auto result = listed(x, by.objectives, by.constraints);
  auto scoped = reports_in_scope(from, x, what.scope, by.objectives.front().metric);
  if (!scoped)
    return reading_failed(scoped.error());
  auto details = details_of(from, directory, x, std::move(scoped->metrics), what, by);
  if (!details)
    return details.error();
  if (what.scope != metric_scope::best) {
    const auto& metrics = (*details)->metrics;
    for (std::size_t i = 0; i < by.objectives.size(); ++i) {
      const auto* found = find_path(metrics, by.objectives[i].metric);
      if (found == nullptr)
        found = metrics.find(by.objectives[i].metric);
      result.objectives[i] = found == nullptr ? value{} : *found;
    }
    if (!by.constraints.empty() && x.iterations > 0)
      result.violation = total_violation(by.constraints, metrics);
    result.config = std::make_shared<const object>(std::move(scoped->config));
  }
  result.details = std::move(*details);
  return result;
}

/// If there are several objectives, marks the trials in the front, and removes the others if
/// wanted. Trials that miss a constraint are not in the front.
void mark_front(std::vector<listed_trial>& rows, const std::vector<objective>& objectives,
                bool only) {
  if (objectives.size() < 2 && !only)
    return;
  std::vector<std::vector<value>> values;
  for (const auto& x : rows)
    values.push_back(x.violation.value_or(0) > 0 ? std::vector<value>(x.objectives.size())
                                                 : x.objectives);
  auto front = pareto_front(values, objectives);
  std::vector<listed_trial> kept;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto details = std::make_shared<trial_details>(*rows[i].details);
    details->pareto = front[i];
    rows[i].details = std::move(details);
    if (front[i] || !only)
      kept.push_back(std::move(rows[i]));
  }
  rows = std::move(kept);
}

/// If configurations run several times, gives each run the statistics of all runs together.
expected<void> mark_runs(store_reader& from, std::vector<listed_trial>& rows, const yardstick& by) {
  if (!by.repeats.is_on())
    return {};
  const auto& first = by.objectives.front();
  auto book = runs_of(from, {first, by.constraints, by.repeats});
  if (!book)
    return reading_failed(book.error());
  std::map<trial_id, std::pair<std::uint64_t, run_statistics>> known;
  std::uint64_t rank = 0;
  for (const auto& group : book->ranked(std::numeric_limits<std::size_t>::max())) {
    ++rank;
    for (auto id : group.trials)
      known.emplace(id, std::pair{rank, statistics_of(*book, group, first.maximise)});
  }
  for (auto& row : rows) {
    auto found = known.find(row.trial);
    if (found == known.end())
      continue;
    auto details = std::make_shared<trial_details>(*row.details);
    std::tie(details->runs_rank, details->runs) = found->second;
    row.details = std::move(details);
  }
  return {};
}

/// The trials that `--status`, `--scope` and `--pareto` choose, in the order of `--sort` and
/// `--reverse`.
expected<std::vector<listed_trial>> chosen(store_reader& from, const fs::path& directory,
                                           const trials_request& what, const yardstick& by) {
  auto found = all_rows(from, what);
  if (!found)
    return found.error();
  std::vector<listed_trial> rows;
  rows.reserve(found->size());
  for (const auto& x : *found) {
    auto row = listed_in_scope(from, directory, x, what, by);
    if (!row)
      return row.error();
    rows.push_back(std::move(*row));
  }
  if (auto marked = mark_runs(from, rows, by); !marked)
    return marked.error();
  mark_front(rows, by.objectives, what.pareto);
  if (auto sorted = sort_trials(rows, by.objectives, what.sort, what.reverse, by.parameters);
      !sorted)
    return sorted.error();
  return rows;
}

/// Keeps only the rows to be shown. @returns how many rows are hidden without the user's wish.
std::uint64_t cut_rows(std::vector<listed_trial>& rows, const trials_request& what, bool unread) {
  auto most = what.limit.value_or(unread ? most_lines : 0);
  if (most == 0 || most >= rows.size())
    return 0;
  auto result = rows.size() - most;
  rows.resize(static_cast<std::size_t>(most));
  return what.limit ? 0 : result;
}

/// The parameters of the space, and those and the metrics of all trials, also those that are not
/// chosen, so that the columns do not depend on what is chosen.
expected<recorded_names> names_of_all(store_reader& from, const trials_request& what,
                                      const yardstick& by) {
  recorded_names result{by.parameters, {}};
  if (!what.status && !what.pareto)
    return result;
  trial_query everything;
  everything.limit = std::numeric_limits<std::size_t>::max();
  auto rows = from.trials(everything);
  if (!rows)
    return reading_failed(rows.error());
  std::set<std::string, std::less<>> known{by.parameters.begin(), by.parameters.end()};
  for (const auto& row : *rows) {
    for (auto& [name, what_is] :
         flatten(row.best_config ? *row.best_config : row.config, by.parameters))
      if (known.insert(name).second)
        result.parameters.push_back(std::move(name));
    for (const auto* metrics : {&row.metrics, &row.best_metrics})
      if (*metrics)
        add_paths(**metrics, result.metrics);
  }
  return result;
}

/// What an empty table says: which trials there are none of.
std::string none_text(const trials_request& what) {
  const auto status = what.status ? std::string{to_text(*what.status)} : std::string{};
  if (what.pareto)
    return "no " + (status.empty() ? "" : status + " ") + "trial is on the Pareto front";
  return status.empty() ? "there is no trial" : "no trial is " + status;
}

expected<void> write_chosen(store_reader& from, const fs::path& directory,
                            const trials_request& what, const yardstick& by,
                            const trials_form& form, std::ostream& out) {
  auto rows = chosen(from, directory, what, by);
  if (!rows)
    return rows.error();
  auto names = names_of_all(from, what, by);
  if (!names)
    return names.error();
  auto columns = columns_of(*rows, by.objectives, what.columns, form.format, *names);
  if (!columns)
    return columns.error();
  if (rows->empty() && form.format == output_format::table) {
    out << none_text(what) << '\n';
    return {};
  }
  auto left = cut_rows(*rows, what, form.format == output_format::table && form.look.width == 0);
  write_trials(*rows, by.objectives, *columns, form, out);
  if (left > 0)
    out << "(" << left << " more: --limit 0 for all, --sort for others first, --output csv for"
        << " programs)\n";
  return {};
}

} // namespace

listed_trial listed(const trial_row& x, const std::vector<objective>& objectives,
                    const constraint_list& constraints) {
  listed_trial result;
  result.trial = x.trial;
  result.status = x.status;
  result.iterations = x.iterations;
  for (const auto& what : objectives) {
    const auto* found = x.best_metrics ? find_path(*x.best_metrics, what.metric) : nullptr;
    result.objectives.push_back(found == nullptr ? value{} : *found);
  }
  result.is_constrained = !constraints.empty();
  if (result.is_constrained && x.best_metrics)
    result.violation = total_violation(constraints, *x.best_metrics);
  result.config = std::make_shared<const object>(x.best_config ? *x.best_config : x.config);
  result.reason = x.reason;
  result.failures = x.failures;
  result.age = x.time_total;
  return result;
}

expected<void> show_trials(const trials_request& what, output_format format, const table_look& look,
                           std::ostream& out, const choices* all) {
  auto directory = directory_of(what.directory);
  if (!directory)
    return directory.error();
  auto opened = open_experiment(*directory);
  if (!opened)
    return opened.error();
  auto& from = opened->reader;
  const auto by = yardstick_of(opened->recorded.what);
  if (what.policy)
    return write_policy(from, *what.policy, out);
  if (what.failed) {
    auto failed = failures_in(from);
    if (!failed)
      return reading_failed(failed.error());
    write_failures(*failed, format, look, out);
    return {};
  }
  if (!what.why)
    return write_chosen(from, fs::absolute(*directory).lexically_normal(), what, by,
                        {format, look, !what.columns.empty()}, out);
  auto story = read_story(from, *what.why, by.objectives.front(), by.constraints);
  if (!story)
    return reading_failed(story.error());
  if (!*story)
    return error{ec::unknown_name,
                 printable(directory->string()) + ": there is no trial " + to_text(*what.why)};
  (*story)->object_parameters = object_parameters_of(opened->recorded.what);
  if ((*story)->trial.status == trial_status::pending)
    if (auto answer = ask_control(*directory, {}, head_patience); answer && answer->status)
      (*story)->waits_for = answer->status->waits_for;
  if (auto told = tell_if_scheduler_holds(**story, from); !told)
    return reading_failed(told.error());
  if (auto told = tell_who_holds(**story, from, unpause_call(*directory, {*what.why})); !told)
    return reading_failed(told.error());
  if (all != nullptr) {
    auto why = explain_suggestion(from, *what.why, *all);
    if (!why)
      return reading_failed(why.error());
    (*story)->suggestion = std::move(*why);
  }
  write_story(**story, by.objectives, format, look, out);
  return {};
}

} // namespace tune::cli

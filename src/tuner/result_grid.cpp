// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/result_grid.hpp"

#include "tune/core/experiment/metric_column.hpp"
#include "tune/core/space/object_parameters.hpp"
#include "tune/core/space/space.hpp"
#include "tune/io/json.hpp"
#include "tune/io/sinks/trial_files/csv.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/object_parameters.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/best_checkpoint.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/store_reader.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

std::optional<double> number_of(const trial_result& x, std::string_view metric) {
  const auto* found = find_path(x.metrics, metric);
  return found == nullptr ? std::nullopt : found->number();
}

/// Parameters of all trials, in the order of their first appearance.
std::vector<std::string> parameters_of(const std::vector<trial_result>& trials,
                                       const std::vector<std::string>& whole) {
  std::vector<std::string> result;
  std::set<std::string, std::less<>> known;
  for (const auto& x : trials) {
    for (auto& [name, what] : flatten(x.config, whole)) {
      if (known.insert(name).second)
        result.push_back(name);
    }
  }
  return result;
}

std::string field_of(const value* x) {
  if (x == nullptr || x->is_null())
    return {};
  return x->as_list() != nullptr || x->as_object() != nullptr ? to_json(*x) : to_text(*x);
}

/// Lines end like those of `tune-node trials --output csv`.
void append_line(std::string& to, const std::vector<std::string>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    to += i == 0 ? "" : ",";
    csv::append_field(to, fields[i]);
  }
  to += '\n';
}

objective first_of(const result_grid::frame& about) {
  return about.objectives.empty() ? objective{} : about.objectives.front();
}

/// Sets the checkpoint, and what is known of it. One that an external executor keeps has no
/// directory.
expected<void> read_checkpoint(store_reader& from, const trial_row& row,
                               const result_grid::frame& about, trial_result& into) {
  auto found = best_checkpoint(from, row, first_of(about), about.constraints);
  if (!found)
    return found.error();
  if (!*found || (*found)->checkpoint.location.starts_with(kept_outside))
    return {};
  into.checkpoint = about.directory / (*found)->checkpoint.location;
  into.checkpoint_iteration = (*found)->checkpoint.iteration;
  if (const auto& at = (*found)->at; at != nullptr && at->metrics != nullptr)
    into.checkpoint_metrics = *at->metrics;
  return {};
}

expected<trial_result> read_trial(store_reader& from, trial_row row,
                                  const result_grid::frame& about) {
  trial_result result;
  if (row.iterations > 0) {
    if (auto read = read_checkpoint(from, row, about, result); !read)
      return read.error();
  }
  result.trial = row.trial;
  result.status = row.status;
  result.config = row.best_config ? std::move(*row.best_config) : row.config;
  result.last_config = row.last_config ? std::move(*row.last_config) : std::move(row.config);
  result.origin = std::move(row.origin);
  result.metrics = std::move(row.best_metrics).value_or(object{});
  result.iteration = row.best_iteration;
  result.last_metrics = std::move(row.metrics).value_or(object{});
  result.iterations = row.iterations;
  result.time_total = row.time_total;
  result.failures = row.failures;
  result.reason = std::move(row.reason);
  result.error = std::move(row.error);
  result.directory = trials_directory(about.directory) / to_text(row.trial);
  if (result.iterations == 0)
    return result;
  auto exports = from.exports(row.trial);
  if (!exports)
    return exports.error();
  // Exports of a later attempt replace those of earlier ones.
  for (auto& x : *exports) {
    if (!x.path.empty())
      result.exports.insert_or_assign(std::move(x.format), about.directory / x.path);
  }
  return result;
}

expected<std::vector<trial_result>> read_trials(store_reader& from,
                                                const result_grid::frame& about) {
  trial_query all;
  all.limit = std::numeric_limits<std::size_t>::max();
  auto rows = from.trials(all);
  if (!rows)
    return rows.error();
  std::vector<trial_result> result;
  for (auto& row : *rows) {
    auto read = read_trial(from, std::move(row), about);
    if (!read)
      return read.error();
    result.push_back(std::move(*read));
  }
  return result;
}

expected<result_grid::frame> read_frame(store_reader& from, const fs::path& directory) {
  auto row = from.experiment();
  if (!row)
    return row.error();
  auto what = spec_from_json(row->spec);
  if (!what)
    return what.error();
  result_grid::frame result;
  result.status = experiment_status::interrupted;
  result.why = "it is not finished";
  for (auto x :
       {experiment_status::done, experiment_status::time_limit, experiment_status::interrupted,
        experiment_status::stopped, experiment_status::failed, experiment_status::stalled,
        experiment_status::left_off}) {
    if (row->status == to_text(x)) {
      result.status = x;
      result.why = row->why;
    }
  }
  result.directory = directory;
  result.objectives = what->experiment.objectives;
  result.constraints = what->experiment.constraints;
  result.repeats = repeat_rule_of(*what);
  result.object_parameters = object_parameters_of(*what);
  result.elapsed = row->elapsed;
  return result;
}

} // namespace

result_grid::result_grid(frame about, std::vector<trial_result> trials)
    : about_{std::move(about)}, trials_{std::move(trials)} {}

std::vector<trial_result> result_grid::errors() const {
  std::vector<trial_result> result;
  for (const auto& x : trials_) {
    if (x.status == trial_status::errored)
      result.push_back(x);
  }
  return result;
}

expected<trial_result> result_grid::best() const {
  const auto& first = about_.objectives.front();
  return best(first.metric, first.maximise);
}

run_book result_grid::book_by(std::string_view metric, bool maximise) const {
  run_book result{about_.repeats};
  for (const auto& x : trials_) {
    result.add(x.trial, x.config, x.origin);
    if (auto number = number_of(x, metric))
      result.note(x.trial,
                  {total_violation(about_.constraints, x.metrics), maximise ? *number : -*number});
    if (is_final(x.status))
      result.end(x.trial);
  }
  return result;
}

std::optional<run_statistics> result_grid::best_runs() const {
  if (!about_.repeats.is_on())
    return std::nullopt;
  const auto& first = about_.objectives.front();
  auto book = book_by(first.metric, first.maximise);
  auto group = book.best();
  if (!group)
    return std::nullopt;
  return statistics_of(book, *group, first.maximise);
}

expected<trial_result> result_grid::best(std::string_view metric, bool maximise) const {
  const trial_result* result = nullptr;
  auto group = about_.repeats.is_on() ? book_by(metric, maximise).best() : std::nullopt;
  merit most;
  for (const auto& x : trials_) {
    auto number = number_of(x, metric);
    if (!number || std::isnan(*number) || (group && x.trial != group->best))
      continue;
    merit now{total_violation(about_.constraints, x.metrics), maximise ? *number : -*number};
    if (result == nullptr || is_better(now, most)) {
      result = &x;
      most = now;
    }
  }
  if (result == nullptr)
    return error{ec::unknown_name, "no trial reported a number named " + std::string{metric}};
  return *result;
}

std::string result_grid::to_csv() const {
  auto parameters = parameters_of(trials_, about_.object_parameters);
  constexpr std::array<std::string_view, 5> others{"trial", "status", "iterations", "reason",
                                                   "failures"};
  std::vector<std::string> titles{"trial", "status", "iterations"};
  for (const auto& x : about_.objectives)
    titles.push_back(metric_column(x.metric, others));
  for (const auto& x : parameters)
    titles.push_back("config." + x);
  titles.insert(titles.end(), {"reason", "failures"});
  std::string result;
  append_line(result, titles);
  for (const auto& x : trials_) {
    std::vector<std::string> fields{to_text(x.trial), std::string{to_text(x.status)},
                                    std::to_string(x.iterations)};
    for (const auto& objective : about_.objectives)
      fields.push_back(field_of(find_path(x.metrics, objective.metric)));
    for (const auto& name : parameters)
      fields.push_back(field_of(find_parameter(x.config, name)));
    fields.insert(fields.end(), {x.reason, std::to_string(x.failures)});
    append_line(result, fields);
  }
  return result;
}

expected<result_grid> read_result_grid(const fs::path& directory,
                                       std::vector<std::string> warnings) {
  std::error_code ignored;
  auto absolute = fs::absolute(directory, ignored).lexically_normal();
  auto from = store_reader::open(absolute);
  if (!from)
    return from.error();
  auto about = read_frame(*from, absolute);
  if (!about)
    return about.error();
  about->warnings = std::move(warnings);
  auto trials = read_trials(*from, *about);
  if (!trials)
    return trials.error();
  return result_grid{std::move(*about), std::move(*trials)};
}

} // namespace tune

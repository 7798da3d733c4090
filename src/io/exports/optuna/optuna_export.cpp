// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/exports/optuna_export.hpp"

#include "exports/optuna/distribution.hpp"
#include "exports/optuna/study_file.hpp"
#include "posix/posix.hpp"
#include "sinks/csv_rows.hpp"

#include "tune/core/pareto/dominance.hpp"
#include "tune/io/json_member.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/best_trials.hpp"
#include "tune/io/store/store_reader.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t rows_per_page = 512;
constexpr std::size_t results_per_page = 8192;

/// When something happened: experiment time stands still while no head runs, and only reports are
/// dated. One trial's own reports are the nearest.
struct dated_reports {
  std::optional<std::pair<instant, std::int64_t>> first;
  std::optional<std::pair<instant, std::int64_t>> last;
};

std::int64_t in_ms(instant x) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(x).count();
}

/// What the export has to know of all trials before it writes the first.
struct overview {
  spec what;
  std::shared_ptr<const search_space> space;
  std::int64_t created_ms = 0;
  std::string status;
  /// Trials that a scheduler gave up, with its rule.
  std::map<trial_id, std::string> given_up;
  /// The best trial, or the front of several objectives.
  std::set<trial_id> best;
  /// When the first attempt of a trial began.
  std::map<trial_id, instant> began;
  /// Attempts of the generation of results that counts; see `attempt_row::lineage`.
  std::map<attempt_id, lineage_id> lineages;
};

/// The objectives of the best report; nothing if one of them is missing or no number.
std::optional<std::vector<double>> values_of(const trial_row& row,
                                             const std::vector<objective>& objectives) {
  if (!row.best_metrics)
    return std::nullopt;
  std::vector<double> result;
  for (const auto& each : objectives) {
    const auto* found = find_path(*row.best_metrics, each.metric);
    const auto number = found == nullptr ? std::nullopt : found->number();
    if (!number || std::isnan(*number))
      return std::nullopt;
    result.push_back(*number);
  }
  return result;
}

/// Whether a stop gave the trial up: it was neither its end nor a condition's.
bool gives_up(const raw_decision& x) {
  const auto rule = json_member(x.reason, "rule", '/');
  return x.action == "stop" && rule && *rule != R"("stop")" && !json_member(x.reason, "max_t", '/')
         && json_number(json_member(x.reason, "kept", '/').value_or("null"), json_position::plain)
                != 0.0;
}

/// Calls `see` with all trials in order.
template <class F>
expected<void> for_trials(store_reader& from, F see) {
  trial_query some;
  some.limit = rows_per_page;
  for (;; some.offset += rows_per_page) {
    auto rows = from.trials(some);
    if (!rows)
      return rows.error();
    for (const auto& row : *rows) {
      if (auto done = see(row); !done)
        return done;
    }
    if (rows->size() < rows_per_page)
      return {};
  }
}

expected<void> find_front(store_reader& from, overview& to) {
  const auto& objectives = to.what.experiment.objectives;
  std::vector<trial_id> ids;
  std::vector<double> points;
  auto read = for_trials(from, [&](const trial_row& row) -> expected<void> {
    const auto values = values_of(row, objectives);
    if (!values || total_violation(to.what.experiment.constraints, *row.best_metrics) > 0)
      return {};
    ids.push_back(row.trial);
    for (std::size_t i = 0; i < objectives.size(); ++i)
      points.push_back(objectives[i].maximise ? (*values)[i] : -(*values)[i]);
    return {};
  });
  if (!read || ids.empty())
    return read;
  const auto fronts
      = non_dominated_fronts(points, static_cast<std::uint32_t>(objectives.size()), 1);
  for (auto i : fronts.front())
    to.best.insert(ids[i]);
  return {};
}

expected<void> find_best(store_reader& from, overview& to) {
  if (to.what.experiment.objectives.size() > 1)
    return find_front(from, to);
  auto best = best_trials(
      from, {to.what.experiment.objectives.front(), to.what.experiment.constraints, {}}, 1);
  if (!best)
    return best.error();
  for (const auto& x : *best)
    to.best.insert(x.trial);
  return {};
}

expected<void> scan_attempts(store_reader& from, overview& to) {
  attempt_id after{};
  for (std::size_t count = rows_per_page; count == rows_per_page;) {
    auto some = from.scan_attempts(after, rows_per_page, [&](const raw_attempt& x) {
      after = x.attempt;
      to.lineages.emplace(x.attempt, x.lineage);
      auto [place, is_new] = to.began.try_emplace(x.trial, x.began);
      place->second = std::min(place->second, x.began);
    });
    if (!some)
      return some.error();
    count = *some;
  }
  return {};
}

expected<overview> overview_of(store_reader& from) {
  overview result;
  auto head = from.head();
  if (!head)
    return head.error();
  auto opened = from.opening();
  if (!opened)
    return opened.error();
  if (!*opened)
    return error{ec::unreadable, "the experiment has not begun yet"};
  auto what = spec_from_json((*opened)->spec);
  if (!what)
    return what.error();
  auto space = search_space::parse(space_lines(*what));
  if (!space)
    return space.error();
  result.what = std::move(*what);
  result.space = std::make_shared<const search_space>(std::move(*space));
  result.created_ms = head->created_ms;
  result.status = head->status;
  auto read = from.scan_decisions([&](const raw_decision& x) {
    if (gives_up(x))
      result.given_up[x.trial] = std::string{json_member(x.reason, "rule", '/').value_or("")};
  });
  if (read)
    read = scan_attempts(from, result);
  if (read)
    read = find_best(from, result);
  return read ? expected<overview>{std::move(result)} : read.error();
}

/// Writes one record into one study.
class optuna_writer {
public:
  optuna_writer(store_reader& from, const overview& what, study_file& to)
      : from_{from}, what_{what}, to_{to}, space_{*what.space} {}

  expected<optuna_summary> write() {
    write_study();
    auto seen = for_trials(from_, [&](const trial_row& row) -> expected<void> {
      space_.see(config_of(row));
      lineages_.push_back(row.lineage);
      return {};
    });
    if (seen)
      seen = write_results();
    if (seen)
      seen = for_trials(from_, [&](const trial_row& row) -> expected<void> {
        write_trial(row);
        return {};
      });
    if (!seen)
      return seen.error();
    // Fewer than were written where an iteration was run again.
    auto values = to_.intermediate_values();
    if (!values)
      return values.error();
    summary_.intermediate_values = static_cast<std::uint64_t>(*values);
    for (const auto& x : what_.space->parameters()) {
      if (x.numbers_runs && std::erase(summary_.left_out, x.name) > 0)
        summary_.run_parameter = x.name;
    }
    std::sort(summary_.left_out.begin(), summary_.left_out.end());
    summary_.left_out.erase(std::unique(summary_.left_out.begin(), summary_.left_out.end()),
                            summary_.left_out.end());
    return std::move(summary_);
  }

private:
  store_reader& from_;
  const overview& what_;
  study_file& to_;
  optuna_space space_;
  /// Generation of results that counts, by trial.
  std::vector<lineage_id> lineages_;
  std::map<trial_id, dated_reports> dates_;
  optuna_summary summary_;

  /// The configuration of the report that speaks for the trial.
  static const object& config_of(const trial_row& row) {
    return row.best_config ? *row.best_config : row.config;
  }

  void write_study() {
    std::vector<bool> directions;
    value::list names;
    for (const auto& x : what_.what.experiment.objectives) {
      directions.push_back(x.maximise);
      names.emplace_back(x.metric);
    }
    to_.directions(directions);
    to_.study_system_attribute("study:metric_names", std::move(names));
    to_.study_user_attribute("tune:experiment", what_.what.experiment.name);
    to_.study_user_attribute("tune:status", what_.status);
    to_.study_user_attribute("tune:created_ms", what_.created_ms);
    to_.study_user_attribute("tune:searcher", what_.what.search.type);
    to_.study_user_attribute("tune:scheduler", what_.what.scheduler.type);
    if (const auto& limits = what_.what.experiment.constraints; !limits.empty())
      to_.study_user_attribute("tune:constraints", to_text(limits));
  }

  expected<void> write_results() {
    const auto& metric = what_.what.experiment.objectives.front().metric;
    sequence after = 0;
    for (std::size_t count = results_per_page; count == results_per_page;) {
      auto some = from_.scan_results(after, results_per_page, [&](const raw_result& x) {
        after = x.seq;
        write_result(x, metric);
      });
      if (!some)
        return some.error();
      count = *some;
    }
    return {};
  }

  void write_result(const raw_result& x, const std::string& metric) {
    auto& dates = dates_[x.trial];
    if (!dates.first)
      dates.first = {x.at, x.timestamp_ms};
    dates.last = {x.at, x.timestamp_ms};
    const auto lineage = what_.lineages.find(x.attempt);
    if (x.trial.number >= lineages_.size()
        || (lineage != what_.lineages.end() && lineage->second != lineages_[x.trial.number]))
      return;
    const auto text = json_member(x.metrics, metric, '/');
    const auto number = text ? json_number(*text, json_position::metric)
                        : metric == "training_iteration"
                            ? std::optional{static_cast<double>(x.iteration)}
                            : std::nullopt;
    if (!number)
      return;
    to_.intermediate(x.trial.number, x.iteration, *number);
  }

  [[nodiscard]] std::int64_t
  date(instant at, const std::optional<std::pair<instant, std::int64_t>>& near) const {
    return near ? near->second + in_ms(at) - in_ms(near->first) : what_.created_ms + in_ms(at);
  }

  [[nodiscard]] optuna_state state_of(const trial_row& row, bool has_values) const {
    switch (row.status) {
      case trial_status::pending:
        return what_.began.contains(row.trial) ? optuna_state::running : optuna_state::waiting;
      case trial_status::running:
      case trial_status::paused:
        return optuna_state::running;
      case trial_status::errored:
        return optuna_state::fail;
      case trial_status::terminated:
        break;
    }
    if (!has_values)
      return what_.given_up.contains(row.trial) ? optuna_state::pruned : optuna_state::fail;
    // The best one has to be complete: Optuna looks for it among those alone.
    if (what_.given_up.contains(row.trial) && !what_.best.contains(row.trial))
      return optuna_state::pruned;
    return optuna_state::complete;
  }

  void write_trial(const trial_row& row) {
    const auto number = row.trial.number;
    const auto values = values_of(row, what_.what.experiment.objectives);
    const auto state = state_of(row, values.has_value());
    const auto dates = dates_.find(row.trial);
    const auto none = dated_reports{};
    const auto& known = dates == dates_.end() ? none : dates->second;
    const auto began = what_.began.find(row.trial);
    auto start = began == what_.began.end() ? std::nullopt
                                            : std::optional{date(began->second, known.first)};
    auto end = row.ended ? std::optional{date(*row.ended, known.last)} : std::nullopt;
    // A trial may end without ever having begun; Optuna knows no such thing.
    if (end && (!start || *start > *end))
      start = end;
    to_.trial(number, state, start, end);
    for (const auto& x : space_.parameters(config_of(row), summary_.left_out))
      to_.parameter(number, x.name, x.value, x.distribution);
    const auto counts = state == optuna_state::complete || state == optuna_state::pruned;
    for (std::size_t i = 0; values && counts && i < values->size(); ++i)
      to_.objective(number, i, (*values)[i]);
    write_constraints(row);
    write_attributes(row);
    ++summary_.trials;
  }

  void write_constraints(const trial_row& row) {
    const auto& limits = what_.what.experiment.constraints;
    if (limits.empty() || !row.best_metrics)
      return;
    value::list misses;
    for (auto x : violations_of(limits, *row.best_metrics))
      misses.emplace_back(x);
    to_.system_attribute(row.trial.number, "constraints", std::move(misses));
  }

  void write_attributes(const trial_row& row) {
    const auto number = row.trial.number;
    to_.user_attribute(number, "tune:trial_id", to_text(row.trial));
    to_.user_attribute(number, "tune:status", std::string{to_text(row.status)});
    to_.user_attribute(number, "tune:origin", row.origin);
    to_.user_attribute(number, "tune:iterations", static_cast<std::int64_t>(row.iterations));
    to_.user_attribute(number, "tune:time_total_s",
                       std::chrono::duration<double>(row.time_total).count());
    if (!row.reason.empty())
      to_.user_attribute(number, "tune:reason", row.reason);
    if (!row.error.empty())
      to_.user_attribute(number, "tune:error", row.error);
    if (row.best_metrics) {
      to_.user_attribute(number, "tune:best_iteration",
                         static_cast<std::int64_t>(row.best_iteration));
      to_.user_attribute(number, "tune:metrics", *row.best_metrics);
    }
    std::vector<std::string> absent;
    static_cast<void>(space_.parameters(config_of(row), absent));
    for (const auto& name : absent) {
      if (const auto* found = find_parameter(config_of(row), name))
        to_.user_attribute(number, "tune:config." + name, *found);
    }
  }
};

} // namespace

expected<optuna_summary> export_to_optuna(const fs::path& directory, const fs::path& file) {
  std::error_code why;
  if (fs::exists(fs::symlink_status(file, why)))
    return error{ec::refused,
                 file.string() + " is there already: remove it, or choose another name"};
  auto from = store_reader::open(directory);
  if (!from)
    return from.error();
  if (auto held = from->hold(); !held)
    return held.error();
  auto what = overview_of(*from);
  if (!what)
    return what.error();
  const fs::path draft = file.string() + ".new";
  fs::remove(draft, why);
  auto written = [&]() -> expected<optuna_summary> {
    auto to = study_file::create(draft, what->what.experiment.name);
    if (!to)
      return to.error();
    auto done = optuna_writer{*from, *what, *to}.write();
    if (!done)
      return done;
    auto committed = to->commit();
    return committed ? std::move(done) : expected<optuna_summary>{committed.error()};
  }();
  if (written)
    fs::rename(draft, file, why);
  if (written && !why)
    return written;
  std::error_code ignored;
  fs::remove(draft, ignored);
  return written ? expected<optuna_summary>{error{
             ec::storage, file.string() + ": cannot be written: " + why.message()}}
                 : written;
}

} // namespace tune

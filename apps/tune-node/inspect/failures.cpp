// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/failures.hpp"

#include "console/human.hpp"
#include "console/one_line.hpp"
#include "console/text.hpp"
#include "console/text_table.hpp"
#include "inspect/idle_scheduler.hpp"
#include "inspect/scope.hpp"
#include "output/write_rows.hpp"
#include "run/late_sinks.hpp"
#include "tune/core/program_name.hpp"
#include "tune/core/trial/error_line.hpp"
#include "tune/core/trial/failure_form.hpp"
#include "tune/core/trial/file_remarks.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/tuner/recorded_spec.hpp"
#include "tune/tuner/storage.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <ostream>
#include <utility>

namespace tune::cli {

namespace {

constexpr std::size_t trials_named = 5;

std::string_view trimmed(std::string_view x) {
  auto first = std::min(x.find_first_not_of(" \t\r"), x.size());
  x.remove_prefix(first);
  return x.substr(0, x.find_last_not_of(" \t\r") + 1);
}

/// The lines that are not blank, without blanks at their ends.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    if (!line.empty())
      result.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

/// Takes the blanks away with which all lines begin: a record indents what a program wrote.
void take_back_indent(std::vector<std::string_view>& lines) {
  auto least = std::string_view::npos;
  for (auto line : lines)
    least = std::min(least, line.find_first_not_of(' '));
  for (auto& line : lines)
    line.remove_prefix(least);
}

/// The line of a program's output that names the error, with the next one if it ends in a colon.
/// @param lines [n >= 1]
std::string telling_line(std::vector<std::string_view> lines) {
  take_back_indent(lines);
  const auto i = telling_line_in(lines);
  const auto goes_on = lines[i].ends_with(':') && i + 1 < lines.size();
  return std::string{trimmed(lines[i])} + (goes_on ? " " + std::string{trimmed(lines[i + 1])} : "");
}

/// The first sentence of a line that names an error; any other line whole. The sentences after it
/// mostly describe the circumstances, such as the processes that held a GPU's memory.
std::string_view first_sentence(std::string_view line) {
  for (auto i = line.find(". "); names_error(line) && i != line.npos; i = line.find(". ", i + 1)) {
    if (i + 2 < line.size() && line[i + 2] >= 'A' && line[i + 2] <= 'Z')
      return line.substr(0, i);
  }
  return line;
}

/// The first line and the line that names the error, each as `shown` returns it.
template <class Shown>
std::string first_and_telling(std::string_view detail, Shown shown) {
  const auto text = without_file_remarks(detail);
  auto lines = lines_of(text);
  if (lines.empty())
    return {};
  auto result = without_names(shown(trimmed(lines.front())));
  lines.erase(lines.begin());
  return lines.empty() ? result : result + ": " + without_names(shown(telling_line(lines)));
}

std::string trials_text(const failure_group& x) {
  std::string result;
  for (std::size_t i = 0; i < std::min(x.trials.size(), trials_named); ++i)
    result += (i == 0 ? "" : " ") + to_text(x.trials[i]);
  return x.trials.size() > trials_named ? result + " ..." : result;
}

/// "NaN", "the text \"high\"", "a list": what a trial reported instead of a number.
std::string kind_text(const value* what) {
  if (what == nullptr || what->is_null())
    return "nothing";
  if (what->as_double() != nullptr || what->as_int() != nullptr)
    return to_text(*what) == "nan" ? "NaN" : to_text(*what);
  if (const auto* text = what->as_string())
    return "the text \"" + cut(*text, 40) + "\"";
  return what->as_bool() != nullptr   ? to_text(*what)
         : what->as_list() != nullptr ? "a list"
                                      : "an object";
}

/// "acc, size and 2 more instead": the names in a report that lacks a metric.
std::string names_text(const object& of) {
  constexpr std::size_t most_named = 3;
  std::string result;
  std::size_t named = 0;
  for (const auto& [name, what] : of) {
    if (named++ < most_named)
      result += (result.empty() ? "" : ", ") + cut(name, 40);
  }
  if (named > most_named)
    result += " and " + std::to_string(named - most_named) + " more";
  return result.empty() ? "nothing" : result + " instead";
}

/// The metric's first value in the trial's reports that is more than null; null: there is none.
value first_value(trial_id of, const std::string& metric, store_reader& from) {
  constexpr std::size_t looked_at = 1'000;
  auto reports = from.results(of, 0, looked_at);
  for (const auto& x : reports ? *reports : std::vector<result_row>{}) {
    const auto* found = x.what->metrics ? find_path(*x.what->metrics, metric) : nullptr;
    if (found != nullptr && !found->is_null())
      return *found;
  }
  return {};
}

/// Says what the first trial without a value reported instead; empty if nothing.
std::string unjudged_text(const trial_tally& known, const std::string& metric, store_reader& from) {
  auto first = from.trial(known.first_unjudged);
  if (!first || !*first)
    return {};
  if (!(*first)->metrics)
    return " reported nothing";
  const auto some = first_value(known.first_unjudged, metric, from);
  if (!some.is_null())
    return " reported " + kind_text(&some);
  const auto& last = *(*first)->metrics;
  return " reported " + (find_path(last, metric) == nullptr ? names_text(last) : "null");
}

/// Runs that are to confirm the best configurations.
struct confirming_runs {
  std::uint64_t wanted = 0;
  std::uint64_t open = 0;
};

/// While the experiment may go on, those count as well that nobody has drawn yet.
confirming_runs confirming_of(const trial_tally& known, const std::string& directory,
                              const std::string& status) {
  confirming_runs result{known.confirming, known.confirming_open};
  const auto what = recorded_spec(directory);
  if (!what || status == to_text(experiment_status::done))
    return result;
  const auto rule = repeat_rule_of(*what);
  const auto runs = std::max<std::uint64_t>(rule.runs, 1);
  const auto candidates = std::min<std::uint64_t>(rule.confirm, (known.judged + runs - 1) / runs);
  result.wanted = std::max(result.wanted, candidates * rule.confirm_runs);
  result.open += result.wanted - known.confirming;
  return result;
}

/// Whether the best configurations were to run again.
bool was_to_confirm(const std::string& directory) {
  const auto what = recorded_spec(directory);
  return what && repeat_rule_of(*what).confirm > 0;
}

/// "4 of 6 runs that are to confirm the best have not ended".
std::string open_text(const confirming_runs& x) {
  return std::to_string(x.open) + " of " + counted(x.wanted, "run")
         + " that are to confirm the best have not ended";
}

/// Says why the best configuration is not confirmed, though some were to be.
std::string unconfirmed_text(const trial_tally& known, const confirming_runs& runs) {
  if (runs.open > 0)
    return "no configuration is confirmed yet: " + open_text(runs)
           + "; until then what is best is so by the search alone";
  const auto judged = known.confirming_judged;
  return "no configuration was confirmed: " + std::to_string(known.confirming_failed)
         + " of the runs that were to confirm the best failed, and "
         + (judged == 0 ? "none" : "only " + std::to_string(judged))
         + " had a number; what is best is so by the search alone";
}

std::vector<std::string> remarks_of(const trial_tally& known, const run_snapshot& on,
                                    const std::string& status, store_reader& from) {
  std::vector<std::string> result;
  if (known.unjudged > 0 && !on.objectives.empty()) {
    const auto& metric = on.objectives.front().metric;
    result.push_back(
        counted(known.unjudged, "trial") + " never had a number other than NaN for " + metric
        + " (trial " + to_text(known.first_unjudged) + unjudged_text(known, metric, from)
        + (known.unjudged == 1 ? ")" : ", ...)")
        + (known.unjudged == 1 ? ": it cannot be best" : ": none of them can be best"));
  }
  auto is_confirmed = on.best && on.best->runs && on.best->runs->confirms;
  const auto runs = confirming_of(known, on.directory, status);
  if (known.confirming == 0) {
    // While it may go on, that some are to come is no news.
    if (known.judged > 0 && was_to_confirm(on.directory)
        && status == to_text(experiment_status::done))
      result.emplace_back("no configuration was confirmed: the experiment ended before that; what "
                          "is best is so by the search alone");
    return result;
  }
  if (!is_confirmed)
    result.push_back(unconfirmed_text(known, runs));
  else if (runs.open > 0)
    result.push_back(open_text(runs) + ": another configuration may turn out to be the best");
  return result;
}

} // namespace

std::string common_text(std::string_view detail) {
  return first_and_telling(detail, [](std::string_view line) { return line; });
}

std::string cause_text(std::string_view why) {
  const auto text = without_file_remarks(why);
  const auto lines = lines_of(text);
  if (lines.size() < 2)
    return in_one_line(text);
  auto first = printable(trimmed(lines.front()));
  return first + (first.ends_with(':') ? " " : ": ")
         + printable(telling_line({lines.begin() + 1, lines.end()}));
}

std::string failure_key(std::string_view detail) {
  return failure_form(first_and_telling(detail, first_sentence));
}

expected<std::vector<failure_group>> failures_in(store_reader& from) {
  trial_query failed;
  failed.status = trial_status::errored;
  failed.limit = std::numeric_limits<std::size_t>::max();
  auto rows = from.trials(failed);
  if (!rows)
    return rows.error();
  std::map<std::pair<std::string, std::string>, failure_group> groups;
  for (const auto& x : *rows) {
    auto attempts = from.failures(x.trial);
    if (!attempts)
      return attempts.error();
    auto kind = attempts->empty() ? std::string{} : std::string{to_text(attempts->back().how)};
    auto text = attempts->empty() ? x.reason : attempts->back().detail;
    auto& group = groups[{kind, failure_key(text)}];
    if (group.trials.empty())
      group = {std::move(kind), common_text(text), {}};
    group.trials.push_back(x.trial);
  }
  std::vector<failure_group> result;
  for (auto& [key, group] : groups)
    result.push_back(std::move(group));
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& x, const auto& y) { return x.trials.size() > y.trials.size(); });
  return result;
}

namespace {

/// What clients paused and nobody has resumed, with the command that lifts it; empty: nothing.
/// @param status that of the experiment in its record.
std::string pause_remark(store_reader& from, const std::string& directory,
                         const std::string& status) {
  if (directory.empty() || status == to_text(experiment_status::done))
    return {};
  const std::string when
      = status == "running" ? "paused by a client: " : "paused by a client: once resumed, ";
  if (auto paused = from.stands_paused(); paused && *paused)
    return when + "it starts no trial until " + unpause_call(directory);
  auto held = from.held_trials();
  if (!held || held->empty())
    return {};
  return when
         + (held->size() == 1 ? "trial " + to_text(held->front()) + " waits"
                              : std::to_string(held->size()) + " trials wait")
         + " until " + unpause_call(directory, *held);
}

} // namespace

void look_back(run_snapshot& on, store_reader& from) {
  // What the record says counts: whoever looks later is told the same.
  std::string status;
  if (auto row = from.experiment()) {
    on.elapsed = row->elapsed;
    status = row->status;
  }
  if (auto failed = failures_in(from))
    on.failures = std::move(*failed);
  if (auto known = from.tally())
    on.remarks = remarks_of(*known, on, status, from);
  if (auto remark = pause_remark(from, on.directory, status); !remark.empty())
    on.remarks.push_back(std::move(remark));
  // While it runs, trials may still train for long enough.
  if (status != "running" && ended_trials(on) > 0) {
    if (auto remark = idle_scheduler_text(from); !remark.empty())
      on.remarks.push_back(std::move(remark));
  }
  // While it runs, sinks are behind and catch up.
  if (auto remark = late_sinks_text(on.directory); !remark.empty() && status != "running")
    on.remarks.push_back(std::move(remark));
  on.pareto.clear();
  if (on.objectives.size() < 2)
    return;
  trial_query all;
  all.limit = std::numeric_limits<std::size_t>::max();
  auto rows = from.trials(all);
  if (!rows)
    return;
  std::vector<std::vector<value>> values;
  for (const auto& x : *rows) {
    auto& row = values.emplace_back();
    for (const auto& what : on.objectives) {
      const auto* found = x.best_metrics ? find_path(*x.best_metrics, what.metric) : nullptr;
      row.push_back(found == nullptr ? value{} : *found);
    }
    if (x.best_metrics && total_violation(on.constraints, *x.best_metrics) > 0)
      row.assign(row.size(), value{});
  }
  auto front = pareto_front(values, on.objectives);
  for (std::size_t i = 0; i < front.size(); ++i) {
    if (front[i])
      on.pareto.push_back({(*rows)[i].trial, std::move(values[i])});
  }
}

void look_back(run_snapshot& on, const std::filesystem::path& directory) {
  if (auto from = store_reader::open(directory))
    look_back(on, *from);
}

object to_object(const failure_group& x) {
  value::list trials;
  for (auto id : x.trials)
    trials.emplace_back(to_text(id));
  object result;
  result.set("count", static_cast<std::int64_t>(x.trials.size()));
  result.set("class", x.kind);
  result.set("text", x.text);
  result.set("trials", std::move(trials));
  return result;
}

namespace {

void write_for_programs(const std::vector<failure_group>& groups, output_format format,
                        std::ostream& out) {
  std::vector<object> rows;
  for (const auto& x : groups)
    rows.push_back(to_object(x));
  if (format != output_format::csv)
    return write_rows(rows, format, json_layout::one_line, out);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::string trials;
    for (auto id : groups[i].trials)
      trials += (trials.empty() ? "" : " ") + to_text(id);
    rows[i].set("trials", trials);
  }
  write_csv(titles_of(to_object(failure_group{})), rows, out);
}

} // namespace

void write_failures(const std::vector<failure_group>& groups, output_format format,
                    const table_look& look, std::ostream& out) {
  if (format != output_format::table)
    return write_for_programs(groups, format, out);
  if (groups.empty()) {
    out << "no trial failed\n";
    return;
  }
  text_table table{{{"count", true}, {"class"}, {"text", false, 3}, {"trials", false, 2}}};
  for (const auto& x : groups)
    table.add({std::to_string(x.trials.size()), x.kind, x.text, trials_text(x)});
  for (const auto& line : table.lines(look.width, look.colors))
    out << line << '\n';
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "run/rerun_command.hpp"

#include "console/human.hpp"
#include "console/text.hpp"
#include "console/text_table.hpp"
#include "inspect/code_of_heads.hpp"
#include "inspect/experiment_directory.hpp"
#include "output/write_rows.hpp"
#include "run/ending.hpp"
#include "run/load_configuration.hpp"
#include "run/numbered_name.hpp"
#include "run/run_here.hpp"
#include "run/way_on.hpp"
#include "tune/core/program_name.hpp"
#include "tune/core/space/space.hpp"
#include "tune/io/json.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/object_parameters.hpp"
#include "tune/io/store/best_trials.hpp"
#include "tune/io/store/store_reader.hpp"
#include "tune/tuner/preparation.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* iteration_key = "training_iteration";

/// The run to repeat and to compare with.
struct recorded_run {
  spec what;
  trial_row trial;
  /// The files of the command under each head that ran it.
  std::vector<head_code> code = {};
  /// Whether it went on from the state of another trial.
  bool is_cloned = false;
};

/// The files of the command under the heads that began the trial's attempts, or else under the
/// newest head.
expected<std::vector<head_code>> code_that_ran(store_reader& from, trial_id which) {
  auto heads = code_of_heads(from);
  if (!heads)
    return heads.error();
  auto attempts = from.attempts(which);
  if (!attempts)
    return attempts.error();
  std::vector<head_code> result;
  for (auto& head : *heads) {
    auto began = [&](const attempt_row& x) { return x.attempt.epoch == head.epoch; };
    if (std::any_of(attempts->begin(), attempts->end(), began))
      result.push_back(std::move(head));
  }
  if (result.empty() && !heads->empty())
    result.push_back(std::move(heads->back()));
  return result;
}

expected<trial_row> trial_in(store_reader& from, const spec& what, std::optional<trial_id> wanted,
                             const fs::path& directory) {
  if (wanted) {
    auto row = from.trial(*wanted);
    if (!row)
      return reading_failed(row.error());
    if (!*row)
      return error{ec::unknown_name,
                   directory.string() + ": there is no trial " + to_text(*wanted)};
    return std::move(**row);
  }
  const auto& first = what.experiment.objectives.front();
  auto rows = best_trials(from, {first, what.experiment.constraints, repeat_rule_of(what)}, 1);
  if (!rows)
    return reading_failed(rows.error());
  if (rows->empty())
    return error{ec::bad_option,
                 directory.string() + ": no trial has reported a value of " + first.metric
                     + " other than NaN: name one, as in "
                     + program_call("rerun " + shell_word(directory.string()) + " 0")};
  return std::move(rows->front());
}

expected<recorded_run> read_run(const fs::path& directory, std::optional<trial_id> wanted) {
  auto opened = open_experiment(directory);
  if (!opened)
    return opened.error();
  auto& [reader, recorded] = *opened;
  auto& what = recorded.what;
  if (is_asked(what))
    return error{ec::bad_option, directory.string()
                                     + ": its trials are run by a program of yours"
                                       " (ask-tell), and cannot be run from here"};
  auto trial = trial_in(reader, what, wanted, directory);
  if (!trial)
    return trial.error();
  auto code = code_that_ran(reader, trial->trial);
  if (!code)
    return reading_failed(code.error());
  auto attempts = reader.attempts(trial->trial);
  if (!attempts)
    return reading_failed(attempts.error());
  const auto is_cloned = std::any_of(attempts->begin(), attempts->end(), [&](const attempt_row& x) {
    return x.lineage == trial->lineage && x.donor.has_value();
  });
  return recorded_run{std::move(what), std::move(*trial), std::move(*code), is_cloned};
}

/// Iteration and metrics of the new trial's report at `iteration`; nothing if there is none.
std::optional<std::pair<std::uint64_t, object>> new_metrics(const fs::path& directory,
                                                            std::uint64_t iteration) {
  auto reader = store_reader::open(directory);
  if (!reader)
    return std::nullopt;
  auto rows = reader->results(trial_id{0}, 0, std::numeric_limits<std::size_t>::max());
  if (!rows)
    return std::nullopt;
  for (const auto& x : *rows) {
    if (x.what->iteration == iteration && x.what->metrics)
      return std::pair{iteration, *x.what->metrics};
  }
  return std::nullopt;
}

/// The configuration that ran there; nothing if it cannot be read.
std::optional<object> config_run_in(const fs::path& directory) {
  auto reader = store_reader::open(directory);
  auto row = reader ? reader->trial(trial_id{0}) : expected<std::optional<trial_row>>{error{}};
  return row && *row ? std::optional{(*row)->config} : std::nullopt;
}

void collect_numbers(const object& from, const std::string& prefix,
                     std::vector<std::pair<std::string, value>>& to) {
  for (const auto& [name, what] : from) {
    if (const auto* inner = what.as_object())
      collect_numbers(*inner, prefix + name + "/", to);
    else if (what.as_bool() == nullptr && what.number())
      to.emplace_back(prefix + name, what);
  }
}

value difference_of(const compared_metric& x) {
  auto was = x.recorded.number();
  auto is = x.now.number();
  return was && is ? value{*is - *was} : value{};
}

std::string why_nothing_compares(const rerun_result& x) {
  const auto first = "trial " + to_text(x.trial) + " of " + printable(x.experiment);
  if (!x.has_reports)
    return first + " never reported";
  if (x.best_iteration == 0)
    return first + " never reported a value of " + printable(x.metric) + " other than NaN";
  return "this run has no report at iteration " + std::to_string(x.best_iteration)
         + ", the best of the first";
}

void write_table(const rerun_result& x, const table_look& look, std::ostream& out) {
  out << "trial " << to_text(x.trial) << " of " << printable(x.experiment) << ", run again in "
      << printable(x.directory) << "\n  " << config_text(x.config, x.object_parameters) << '\n';
  for (const auto& name : x.edited)
    out << "  " << printable(name) << " was edited since the trial ran\n";
  if (x.iteration == 0) {
    out << "nothing can be compared: " << why_nothing_compares(x) << '\n';
    return;
  }
  out << "at iteration " << x.iteration << ":\n";
  text_table table{{{"metric"}, {"recorded", true}, {"now", true}, {"difference", true}}};
  auto text = [](const value& y) { return y.is_null() ? std::string{"-"} : short_text(y); };
  for (const auto& row : x.metrics)
    table.add({row.metric, text(row.recorded), text(row.now), text(difference_of(row))});
  for (const auto& line : table.lines(look.width, look.colors))
    out << "  " << line << '\n';
}

object to_object(const compared_metric& x) {
  return {{"metric", x.metric},
          {"recorded", x.recorded},
          {"now", x.now},
          {"difference", difference_of(x)}};
}

std::vector<object> rows_of(const rerun_result& x) {
  std::vector<object> result;
  for (const auto& row : x.metrics)
    result.push_back(to_object(row));
  return result;
}

object to_object(const rerun_result& x) {
  const auto rows = rows_of(x);
  value::list metrics(rows.begin(), rows.end());
  object result;
  result.set("experiment", x.experiment);
  result.set("trial", to_text(x.trial));
  result.set("directory", x.directory);
  result.set("iteration",
             x.iteration == 0 ? value{} : value{static_cast<std::int64_t>(x.iteration)});
  result.set("config", x.config);
  result.set("edited", value::list{x.edited.begin(), x.edited.end()});
  result.set("metrics", std::move(metrics));
  return result;
}

/// Adds each value of `config` as a parameter with one value. Values that are objects themselves
/// stay whole if the command names them so, as in `known`.
void add_constants(std::vector<named_text>& to, const std::string& prefix, const object& config,
                   const std::vector<named_text>& known) {
  for (const auto& [name, what] : config) {
    auto path = prefix + name;
    auto is_whole = std::any_of(known.begin(), known.end(),
                                [&](const named_text& x) { return x.name == path; });
    const auto* inner = what.as_object();
    if (inner != nullptr && !inner->empty() && !is_whole)
      add_constants(to, path + '.', *inner, known);
    else
      to.push_back({std::move(path), to_json(what)});
  }
}

/// Warns of a difference that the comparison cannot take into account.
void warn_of_origin(const recorded_run& of, bool quiet) {
  if (of.is_cloned && !quiet)
    std::cerr << program_name() << ": warning: trial " << to_text(of.trial.trial)
              << " went on from another trial's state: this one begins from scratch\n";
}

/// The files of the command that are not what ran before; warns of each.
std::vector<std::string> edited_since(const std::vector<head_code>& before, const loaded_spec& now,
                                      bool quiet) {
  const auto present = code_of(now);
  std::vector<std::string> result;
  for (const auto& head : before) {
    for (auto& name : edited_names(head.files, present)) {
      if (std::find(result.begin(), result.end(), name) == result.end())
        result.push_back(std::move(name));
    }
  }
  for (const auto& name : quiet ? std::vector<std::string>{} : result)
    std::cerr << program_name() << ": warning: " << printable(name)
              << " was edited since the trial ran: this run is of what it is now, and a"
                 " difference may come of that\n";
  return result;
}

/// Whether a parameter is given, whole or in parts ("opt.lr" of "opt").
bool has_part_of(const std::vector<named_text>& space, const std::string& name) {
  return std::any_of(space.begin(), space.end(), [&](const named_text& x) {
    return x.name == name || x.name.starts_with(name + ".");
  });
}

} // namespace

spec spec_for_rerun(spec recorded, const trial_row& of) {
  auto declared = std::exchange(recorded.space, {});
  add_constants(recorded.space, "", of.best_config ? *of.best_config : of.config, declared);
  // Parameters that were inactive are still declared, since commands name them; the values of the
  // others make them inactive again.
  for (auto& line : declared) {
    if (!has_part_of(recorded.space, line.name))
      recorded.space.push_back(std::move(line));
  }
  recorded.experiment.name += "-rerun-" + to_text(of.trial);
  recorded.experiment.num_samples = 1;
  recorded.search = {};
  // A single run leaves nothing to confirm.
  recorded.experiment.confirm = 0;
  recorded.scheduler = {};
  recorded.cluster.listen.clear();
  std::erase_if(recorded.stop, [](const named_text& x) { return x.name == iteration_key; });
  if (of.iterations > 0)
    recorded.stop.push_back({iteration_key, std::to_string(of.iterations)});
  return recorded;
}

std::vector<compared_metric> compared_metrics(const object& recorded, const object& now) {
  std::vector<std::pair<std::string, value>> before;
  std::vector<std::pair<std::string, value>> after;
  collect_numbers(recorded, "", before);
  collect_numbers(now, "", after);
  std::vector<compared_metric> result;
  for (auto& [name, what] : before)
    result.push_back({name, std::move(what), {}});
  for (auto& [name, what] : after) {
    auto known = std::find_if(result.begin(), result.end(),
                              [&](const compared_metric& x) { return x.metric == name; });
    if (known == result.end())
      result.push_back({name, {}, std::move(what)});
    else
      known->now = std::move(what);
  }
  return result;
}

void write_rerun(const rerun_result& x, output_format format, const table_look& look,
                 std::ostream& out) {
  switch (format) {
    case output_format::table:
      return write_table(x, look, out);
    case output_format::json:
      out << to_json(to_object(x)) << '\n';
      return;
    case output_format::jsonl:
      return write_rows(rows_of(x), format, json_layout::one_line, out);
    case output_format::csv:
      return write_csv(titles_of(to_object(compared_metric{})), rows_of(x), out);
  }
}

exit_code rerun_trial(const command_line& line, const rerun_request& what, const choices& all,
                      const table_look& look) {
  auto directory = directory_of(what.directory);
  if (!directory)
    return complain(directory.error());
  auto before = read_run(*directory, what.trial);
  if (!before)
    return complain(before.error());
  auto place = fs::absolute(*directory).lexically_normal();
  if (place.filename().empty())
    place = place.parent_path();
  auto loaded
      = load_recorded(spec_for_rerun(before->what, before->trial), what.overrides, all, line.quiet);
  if (!loaded)
    return exit_code::configuration;
  if (auto has = has_files_to_rerun(place, before->what, loaded->what); !has)
    return complain(has.error());
  auto claimed = number_name(*loaded, place.parent_path(), false);
  if (!claimed)
    return complain(claimed.error());
  warn_of_origin(*before, line.quiet);
  auto edited = edited_since(before->code, *loaded, line.quiet);
  auto fresh = place.parent_path() / loaded->what.experiment.name;
  run_request run;
  run.tells = false;
  auto code = run_in_directory(line, run, *loaded, all, fresh);
  if (code != exit_code::done && code != exit_code::none_succeeded)
    return code;
  rerun_result result;
  result.experiment = before->what.experiment.name;
  result.trial = before->trial.trial;
  result.directory = fresh.string();
  result.config = config_run_in(fresh).value_or(
      before->trial.best_config ? *before->trial.best_config : before->trial.config);
  result.object_parameters = object_parameters_of(before->what);
  result.edited = std::move(edited);
  result.metric = before->what.experiment.objectives.front().metric;
  result.has_reports = before->trial.iterations > 0;
  result.best_iteration = before->trial.best_metrics ? before->trial.best_iteration : 0;
  if (auto now = new_metrics(fresh, result.best_iteration)) {
    result.iteration = now->first;
    result.metrics = compared_metrics(before->trial.best_metrics.value_or(object{}), now->second);
  }
  write_rerun(result, line.output.value_or(output_format::table), look, std::cout);
  return code;
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "console/next_steps.hpp"

#include "tune/core/experiment/time_limits.hpp"
#include "tune/core/program_name.hpp"
#include "tune/core/shell_word.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tune::cli {

namespace {

/// The options of the limits that the run reached: with these it would end again at once.
std::vector<std::string> limits_met(const run_snapshot& x, const run_ending& end) {
  std::vector<std::string> result;
  const auto is_over = x.time_limit > std::chrono::nanoseconds::zero() && x.elapsed >= x.time_limit;
  if (end.status == experiment_status::left_off && is_over)
    result.emplace_back("--experiment.time_limit");
  if (end.status != experiment_status::time_limit)
    return result;
  const auto has_trained_enough = end.why == training_limit_reached;
  if (is_over || !has_trained_enough)
    result.emplace_back("--experiment.time_limit");
  if (has_trained_enough)
    result.emplace_back("--experiment.training_limit");
  return result;
}

/// The words without these options and their values.
std::vector<std::string> without(std::vector<std::string> words,
                                 const std::vector<std::string>& options) {
  for (const auto& option : options) {
    auto found = std::find(words.begin(), words.end(), option);
    if (found != words.end())
      words.erase(found, std::min(found + 2, words.end()));
  }
  return words;
}

/// The command that ran the experiment, without its name.
std::string run_line(const run_ending& end, const std::vector<std::string>& given) {
  auto result = program_call(end.command) + " " + shell_word(end.spec_file);
  if (!end.head.empty())
    result += " --head " + shell_word(end.head);
  for (const auto& word : given)
    result += " " + shell_word(word);
  return result;
}

/// The step that continues the experiment: `command` without those limits.
next_step going_on(std::string command, const std::vector<std::string>& limits) {
  for (const auto& option : limits)
    command += " " + option + " 0";
  return {std::move(command), limits.empty() ? "go on" : "go on; 0 = no limit"};
}

std::string strict_word(const run_ending& end) {
  auto is_given = std::find(end.given.begin(), end.given.end(), "--strict") != end.given.end();
  return is_given ? " --strict" : "";
}

/// What must be said of a command that each of several tasks enters.
std::string where_entered(const run_ending& end) {
  return end.command == "up" ? ", in all tasks" : "";
}

bool may_go_on(experiment_status x) {
  return x == experiment_status::interrupted || x == experiment_status::time_limit
         || x == experiment_status::left_off || x == experiment_status::failed
         || x == experiment_status::stalled || x == experiment_status::stopped;
}

/// Whether all trials that were wanted have ended. A searcher that was waited for may have more.
bool has_nothing_left(const run_snapshot& x, const run_ending& end) {
  return end.status != experiment_status::stalled && x.planned && ended_trials(x) == known_trials(x)
         && ended_trials(x) >= *x.planned;
}

/// The step that continues an experiment that has not ended; nothing: there is none.
std::optional<next_step> step_on(const run_snapshot& x, const run_ending& end) {
  const auto directory = experiment_words(x.directory);
  const auto limits = limits_met(x, end);
  const auto resume = program_call("resume") + " " + directory + strict_word(end);
  if (end.is_asked)
    return going_on(end.way_on.empty() ? program_call("ask-tell FILE --resume") : end.way_on,
                    limits);
  if (!end.way_on.empty()) {
    auto result = going_on(end.way_on, limits);
    result.purpose += end.way_on_note;
    return result;
  }
  // Clients have no use for a head's directory: they submit the experiment again.
  const auto is_elsewhere = !end.head.empty() || !words_to_head().empty();
  const auto is_run_again = is_elsewhere || end.command != "run";
  if (is_run_again && end.spec_file.empty())
    return {};
  if (is_run_again) {
    auto result = going_on(run_line(end, without(end.given, limits)) + " --experiment.name "
                               + shell_word(x.experiment) + (is_elsewhere ? " --resume" : ""),
                           limits);
    result.purpose += where_entered(end);
    return result;
  }
  if (!has_nothing_left(x, end))
    return going_on(resume, limits);
  if (count_of(x, trial_status::errored) == 0)
    return {};
  auto result = going_on(resume + " --mode errored_only", limits);
  result.purpose = "run what had failed again";
  return result;
}

/// The remaining steps if somebody moved or removed the directory.
std::vector<next_step> steps_of_gone(const run_ending& end) {
  std::vector<next_step> result{
      {program_call("resume DIR") + strict_word(end),
       "go on, if it was moved: DIR is where it is now, or where you move it back to"}};
  if (!end.spec_file.empty())
    result.push_back({run_line(end, end.given) + " --experiment.name auto", "from the beginning"});
  return result;
}

} // namespace

std::vector<next_step> next_steps(const run_snapshot& x, const run_ending& end) {
  if (end.is_gone)
    return steps_of_gone(end);
  auto directory = experiment_words(x.directory);
  const auto is_elsewhere = !end.head.empty() || !words_to_head().empty();
  std::vector<next_step> result{{program_call("trials") + " " + directory, "all trials"}};
  auto database
      = x.directory.ends_with('/') ? x.directory + "experiment.db" : x.directory + "/experiment.db";
  if (!is_elsewhere)
    result.push_back({"sqlite3 -readonly " + shell_word(database)
                          + " \"SELECT trial, status, reason FROM trials\"",
                      "or by SQL"});
  else if (x.best && !x.best->checkpoint.empty())
    result.push_back({program_call("fetch") + " " + directory, "the best checkpoint"});
  if (may_go_on(end.status)) {
    if (auto step = step_on(x, end))
      result.push_back(std::move(*step));
  }
  if (!end.spec_file.empty())
    result.push_back({run_line(end, end.given) + " --experiment.name auto",
                      "once more, beside it" + where_entered(end)});
  return result;
}

} // namespace tune::cli

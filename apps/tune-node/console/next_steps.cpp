// SPDX-License-Identifier: BSD-3-Clause
#include "console/next_steps.hpp"

#include "tune/core/experiment/time_limits.hpp"
#include "tune/core/program_name.hpp"
#include "tune/core/shell_word.hpp"

#include <algorithm>
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

/// The `run` command of the experiment, without its name.
std::string run_line(const run_ending& end, const std::vector<std::string>& given) {
  auto result = program_call("run") + " " + shell_word(end.spec_file);
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
  auto unfinished
      = end.status == experiment_status::interrupted || end.status == experiment_status::time_limit
        || end.status == experiment_status::left_off || end.status == experiment_status::failed
        || end.status == experiment_status::stalled;
  // Clients have no use for a head's directory: they submit the experiment again.
  const auto limits = limits_met(x, end);
  if (unfinished && end.is_asked)
    result.push_back(going_on(program_call("ask-tell FILE --resume"), limits));
  else if (unfinished && !is_elsewhere)
    result.push_back(going_on(program_call("resume") + " " + directory + strict_word(end), limits));
  if (end.spec_file.empty())
    return result;
  if (unfinished && is_elsewhere)
    result.push_back(going_on(run_line(end, without(end.given, limits)) + " --experiment.name "
                                  + shell_word(x.experiment) + " --resume",
                              limits));
  result.push_back({run_line(end, end.given) + " --experiment.name auto", "once more, beside it"});
  return result;
}

} // namespace tune::cli

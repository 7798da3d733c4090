// SPDX-License-Identifier: BSD-3-Clause
#include "client/advice_at_rest.hpp"

#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "run/ending.hpp"
#include "run/nothing_to_run.hpp"
#include "run/snapshot.hpp"
#include "run/way_on.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/io/json.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/fit_config.hpp"
#include "tune/io/store/store_reader.hpp"
#include "tune/tuner/recorded_spec.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// Whether going on would run nothing: also of an experiment that ended otherwise nothing may be
/// left.
bool is_done_with(const fs::path& directory) {
  auto reader = store_reader::open(directory);
  auto row = reader ? reader->experiment() : expected<experiment_row>{reader.error()};
  if (!row || row->status == "running")
    return false;
  if (row->status == to_text(experiment_status::done))
    return true;
  const auto what = recorded_spec(directory);
  auto ended = what ? have_all_ended(*reader, *row, frame_of(*what, directory))
                    : expected<bool>{what.error()};
  return ended && *ended;
}

/// Whether a program of the user's own runs the trials.
bool is_asked_there(const fs::path& directory) {
  auto what = recorded_spec(directory);
  return what && cli::is_asked(*what);
}

/// The trials that the command names, as far as there are such.
std::vector<trial_row> rows_of(const control_request& wish, const fs::path& directory) {
  std::vector<trial_row> result;
  auto reader = store_reader::open(directory);
  for (auto id : wish.trials) {
    auto row = reader ? reader->trial(id) : expected<std::optional<trial_row>>{reader.error()};
    if (row && *row)
      result.push_back(std::move(**row));
  }
  return result;
}

std::string option_for_files(const fs::path& directory) {
  auto what = recorded_spec(directory);
  return files_option(what ? *what : spec{});
}

/// Advice for a client of a head: the commands that copy the experiment and run a trial of it again
/// where the client is. A head reruns nothing.
std::string rerun_advice_far_away(const trial_row& ended, const fs::path& directory) {
  const auto to = shell_word(directory.filename().string());
  const auto option = option_for_files(directory);
  return program_call("fetch") + " " + experiment_words(directory.string())
         + " --what experiment --to " + to + " copies the experiment, and " + program_call("rerun")
         + " " + to + " " + to_text(ended.trial) + " " + option
         + " then runs the trial's configuration again and compares, where "
         + option.substr(option.rfind(' ') + 1) + " names files of your machine";
}

/// Advice: the commands that run the configuration of a trial that ended well again.
std::string rerun_advice(const trial_row& ended, const fs::path& directory, const way_on& way) {
  if (!words_to_head().empty())
    return rerun_advice_far_away(ended, directory);
  auto result = program_call("rerun") + " " + experiment_words(directory.string()) + " "
                + to_text(ended.trial);
  const auto option = option_for_files(directory);
  if (!way.is_resume)
    return result + " " + option + " runs its configuration again and compares, where "
           + option.substr(option.rfind(' ') + 1) + " names files of this machine";
  return result + " runs its configuration again and compares, " + way.command + " --add "
         + shell_word(to_json(ended.config)) + without_limits_met(directory)
         + " does so as a trial of its own";
}

/// Advice: the commands that add a configuration while nobody runs the experiment.
std::string add_advice(const object& config, const fs::path& directory, const way_on& way) {
  return directory.string() + ": nobody runs this experiment now; " + way.command + " --add "
         + shell_word(to_json(config)) + without_limits_met(directory)
         + " adds this configuration and runs it" + way.note;
}

/// Advice: the commands that run a trial again while nobody runs its experiment; a mode of `resume`
/// for a failed trial, its configuration for any other.
std::string retry_advice(const control_request& wish, const fs::path& directory,
                         const way_on& way) {
  auto result = directory.string() + ": nobody runs this experiment now; ";
  const auto rows = rows_of(wish, directory);
  auto failed = std::find_if(rows.begin(), rows.end(),
                             [](const auto& x) { return x.status == trial_status::errored; });
  auto ended = std::find_if(rows.begin(), rows.end(),
                            [](const auto& x) { return x.status == trial_status::terminated; });
  if (ended != rows.end())
    return result + "trial " + to_text(ended->trial) + " has not failed, and so " + way.command
           + " leaves it as it is; " + rerun_advice(*ended, directory, way);
  if (failed == rows.end() && !rows.empty())
    return result + "trial " + to_text(rows.front().trial) + " has not ended: " + way.command
           + without_limits_met(directory) + " goes on with it" + way.note;
  return result + with_mode(way, wish.from_scratch ? "restart_errored" : "errored_only")
         + without_limits_met(directory) + " runs all that had failed again, "
         + (wish.from_scratch ? "from the beginning"
                              : "each from its newest checkpoint (restart_errored: from the "
                                "beginning)")
         + way.note;
}

/// "stop", "pause", "unpause".
std::string verb_of(control_request::op x) {
  using op = control_request::op;
  return x == op::stop ? "stop" : x == op::pause ? "pause" : "unpause";
}

std::string nothing_left(control_request::op to_do, const fs::path& directory, const way_on& way) {
  return directory.string() + ": this experiment is done: nothing of it is left to "
         + verb_of(to_do) + "; " + way.command + " --experiment.num_samples N takes further samples"
         + unless_it_holds(directory) + way.note;
}

std::string add_request(const object& config) {
  return to_json(object{{"op", "add"}, {"config", config}});
}

/// The line of a conversation that does what the command would have done, with what it does; empty:
/// there is none.
std::string line_for(const control_request& wish, const fs::path& directory) {
  using op = control_request::op;
  if (wish.what == op::add)
    return add_request(wish.config) + " adds this configuration";
  const auto rows = rows_of(wish, directory);
  if (rows.empty())
    return {};
  const auto& first = rows.front();
  const auto name = to_text(first.trial);
  if (wish.what == op::stop)
    return to_json(object{{"op", "stop"}, {"trial", name}}) + " stops trial " + name;
  if (wish.what != op::retry)
    return {};
  return is_final(first.status) ? add_request(first.config) + " runs the configuration of trial "
                                      + name + " again, as a trial of its own"
         : first.status == trial_status::running && is_led(directory)
             ? "trial " + name + " is with an executor; it is given out again if its lease ends"
             : R"({"op":"ask"} gives trial )" + name + " out again, which has not ended";
}

/// Why there is nothing to stop; empty: there is.
std::string ended_already(const control_request& wish, const fs::path& directory) {
  if (wish.what != control_request::op::stop)
    return {};
  for (const auto& row : rows_of(wish, directory))
    if (is_final(row.status))
      return directory.string() + ": trial " + to_text(row.trial)
             + " has ended: nothing of it is left to stop";
  return {};
}

/// Advice for an experiment whose trials a program of the user's own runs.
std::string asked_advice(const control_request& wish, const fs::path& directory) {
  using op = control_request::op;
  const std::string resume = executor_line(directory);
  if (auto why = ended_already(wish, directory); !why.empty())
    return why;
  const auto line = line_for(wish, directory);
  if (is_led(directory))
    return directory.string() + ": an executor leads it (ask-tell), whose own requests alone count"
           + (line.empty() ? "" : ": " + line);
  const auto brings_trials = wish.what == op::add || wish.what == op::retry;
  if (is_done_with(directory) && !brings_trials)
    return nothing_left(wish.what, directory, {resume});
  // What is over takes no configuration until it is to have further samples.
  auto how = way_on_from_end(directory);
  if (how.empty())
    how = "no executor asks for its trials now (ask-tell); " + resume + " goes on with it";
  return directory.string() + ": " + how + (line.empty() ? "" : ", and there " + line);
}

/// Checks a configuration that is to be added, as the head of a running experiment would.
/// @errors `ec::bad_option` if the experiment cannot run it. A record that cannot be read has none.
expected<void> check_addition(const object& config, const fs::path& directory) {
  auto what = recorded_spec(directory);
  auto space
      = what ? search_space::parse(space_lines(*what)) : expected<search_space>{what.error()};
  if (!space)
    return {};
  auto whole = complete_config(config, *space);
  return whole ? expected<void>{} : whole.error();
}

/// Checks that the trials that the command names exist, as the head of a running experiment would.
/// @errors `ec::unknown_name`. A record that cannot be read has none.
expected<void> check_trials(const control_request& wish, const fs::path& directory) {
  auto from = store_reader::open(directory);
  if (!from)
    return {};
  for (auto id : wish.trials) {
    if (auto row = from->trial(id); row && !*row)
      return error{ec::unknown_name,
                   directory.string() + ": trial " + to_text(id) + ": there is no such trial"};
  }
  return {};
}

/// What a client of a head's HTTP API can do.
std::string requests_at_rest(const control_request& wish, const fs::path& directory) {
  using op = control_request::op;
  const auto name = directory.filename().string();
  const auto at_rest = name + ": nobody runs this experiment now; ";
  const auto going_on = [](const std::string& mode) {
    return "POST /api/v1/experiments?resume=" + mode + " with its archive";
  };
  const auto is_done = is_done_with(directory);
  const auto further = going_on("auto") + (is_done ? " and a larger [experiment] num_samples" : "");
  const auto adding = "POST /api/v1/experiments/" + name + "/trials";
  if (wish.what == op::add)
    return at_rest + further + " goes on with it, and " + adding
           + " takes configurations while it runs";
  if (wish.what != op::retry)
    return is_done ? name + ": this experiment is done: nothing of it is left to "
                         + verb_of(wish.what) + "; " + further + " takes further samples"
                   : at_rest + further + " goes on with it";
  for (const auto& row : rows_of(wish, directory)) {
    if (row.status == trial_status::terminated)
      return at_rest + "trial " + to_text(row.trial) + " has not failed: " + further
             + " goes on, and " + adding + " with its configuration runs that again";
  }
  return at_rest + going_on(wish.from_scratch ? "restart_errored" : "errored_only")
         + " runs all that had failed again";
}

} // namespace

std::string way_on_from_end(const fs::path& directory) {
  const auto resume = executor_line(directory);
  if (is_done_with(directory))
    return "this experiment is done; " + resume
           + " --experiment.num_samples N goes on with further samples";
  const auto lifting = without_limits_met(directory);
  return lifting.empty()
             ? std::string{}
             : "its limit of time has ended it; " + resume + lifting + " goes on with it";
}

error with_advice_at_rest(error why, const control_request& wish, const fs::path& directory) {
  using op = control_request::op;
  if (why.code == ec::unreachable && wish.what == op::add) {
    if (auto fits = check_addition(wish.config, directory); !fits)
      return fits.error();
  }
  if (why.code == ec::unreachable) {
    if (auto known = check_trials(wish, directory); !known)
      return known.error();
  }
  if (why.code == ec::unreachable && is_asked_there(directory))
    return {why.code, asked_advice(wish, directory)};
  if (why.code != ec::unreachable || is_led(directory))
    return why;
  const auto way = way_on_in(directory);
  if (wish.what == op::add)
    why.detail = add_advice(wish.config, directory, way);
  else if (wish.what == op::retry)
    why.detail = retry_advice(wish, directory, way);
  else if (is_done_with(directory))
    why.detail = nothing_left(wish.what, directory, way);
  else
    why.detail
        += "; " + way.command + without_limits_met(directory) + " goes on with it" + way.note;
  return why;
}

error with_requests_at_rest(error why, const control_request& wish, const fs::path& directory) {
  auto told = with_advice_at_rest(std::move(why), wish, directory);
  if (told.code == ec::unreachable && !is_led(directory) && !is_asked_there(directory))
    told.detail = requests_at_rest(wish, directory);
  return told;
}

} // namespace tune::cli

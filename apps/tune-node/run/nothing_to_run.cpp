// SPDX-License-Identifier: BSD-3-Clause
#include "run/nothing_to_run.hpp"

#include "console/human.hpp"
#include "console/text.hpp"
#include "run/way_on.hpp"
#include "tune/core/experiment/time_limits.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/sinks/owed_sinks.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/store_reader.hpp"
#include "tune/tuner/recorded_spec.hpp"

#include <chrono>
#include <vector>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// A limit of time by which an experiment ends again at once.
struct limit_met {
  std::string key;
  std::chrono::nanoseconds limit{0};
};

std::vector<limit_met> limits_met(const experiment_row& row, const spec& before,
                                  const spec& wanted) {
  std::vector<limit_met> result;
  const auto none = std::chrono::nanoseconds::zero();
  const auto time = wanted.experiment.time_limit;
  if (time > none && row.elapsed >= time)
    result.push_back({"experiment.time_limit", time});
  // How long the trials have trained is known where that was the end.
  const auto training = wanted.experiment.training_limit;
  if (row.why == training_limit_reached && training > none
      && training <= before.experiment.training_limit)
    result.push_back({"experiment.training_limit", training});
  return result;
}

/// @param wanted The configuration to go on with; null: the recorded one.
std::vector<limit_met> limits_met_in(const fs::path& directory, const spec* wanted) {
  auto reader = store_reader::open(directory);
  auto row = reader ? reader->experiment() : expected<experiment_row>{reader.error()};
  auto before = row ? spec_from_json(row->spec) : expected<spec>{row.error()};
  if (!before)
    return {};
  return limits_met(*row, *before, wanted == nullptr ? *before : *wanted);
}

/// The options that lift these limits: " --experiment.time_limit 0".
std::string lifting(const std::vector<limit_met>& limits) {
  std::string result;
  for (const auto& x : limits)
    result += " --" + x.key + " 0";
  return result;
}

/// The keys that were changed though nothing runs any more, as a line; empty: none were.
std::string changed_in_vain(const fs::path& directory, const spec& wanted) {
  auto before = recorded_spec(directory);
  std::string keys;
  std::size_t count = 0;
  const auto feeds_sinks = !owed_sinks(directory).empty();
  for (const auto& x : before ? changes(*before, wanted) : std::vector<spec_change>{}) {
    const auto is_heeded = feeds_sinks && x.key.starts_with("sinks.");
    if (!is_heeded && x.key != "experiment.name" && x.key != "experiment.storage")
      keys += (count++ == 0 ? "" : ", ") + x.key;
  }
  if (count == 0)
    return {};
  return program_name() + ": " + printable(keys) + (count == 1 ? " is" : " are")
         + " not heeded, since nothing runs: trials that have ended stay as they are\n";
}

} // namespace

std::string why_nothing_runs(const fs::path& directory, const spec& wanted, experiment_status how) {
  auto way = way_on_in(directory);
  const auto begin = program_name() + ": ";
  const auto in_vain = changed_in_vain(directory, wanted);
  if (how != experiment_status::done)
    return begin + "no trial has failed, and so nothing runs again; " + printable(way.command)
           + without_limits_met(directory) + " goes on with what is left" + printable(way.note)
           + "\n" + in_vain;
  return begin + "nothing is left to run; " + printable(way.command)
         + " --experiment.num_samples N takes further samples" + unless_it_holds(directory)
         + ", --add JSON a configuration of your own" + printable(way.note) + "\n" + in_vain;
}

namespace {

/// @param subject "nothing that is added".
expected<void> has_time_for(const std::string& subject, const fs::path& directory,
                            const spec& wanted) {
  const auto met = limits_met_in(directory, &wanted);
  if (met.empty())
    return {};
  const auto& x = met.front();
  return error{ec::refused, directory.string() + ": " + subject + " would run, since " + x.key
                                + " = " + duration_text(x.limit)
                                + " is over; go on with more, or by" + lifting(met)
                                + ", which is no limit"};
}

bool has_failed_trials(const fs::path& directory) {
  auto reader = store_reader::open(directory);
  auto row = reader ? reader->experiment() : expected<experiment_row>{reader.error()};
  return row && row->counts[static_cast<std::size_t>(trial_status::errored)] > 0;
}

} // namespace

expected<void> has_time_for_more(const fs::path& directory, const spec& wanted) {
  return has_time_for("nothing that is added", directory, wanted);
}

expected<void> has_time_for_failed(const fs::path& directory, const spec& wanted,
                                   resume_mode mode) {
  if (mode == resume_mode::automatic || !has_failed_trials(directory))
    return {};
  return has_time_for("nothing that failed", directory, wanted);
}

std::string unless_it_holds(const fs::path& directory) {
  auto reader = store_reader::open(directory);
  auto row = reader ? reader->experiment() : expected<experiment_row>{reader.error()};
  // Whoever goes on has taken back a client's wish to stop.
  if (!row || row->why.empty() || row->status == to_text(experiment_status::stopped))
    return {};
  return ", unless what ended it still holds (" + printable(row->why) + ")";
}

std::string without_limits_met(const fs::path& directory) {
  return lifting(limits_met_in(directory, nullptr));
}

} // namespace tune::cli

/// The steps from a checked configuration to a run under way. Whoever runs an experiment takes
/// them, in this order: `tuner`, `tune-node run` and `resume`, a standing head, and `ask-tell` as
/// far as it runs anything. They differ in how they tell of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/runner.hpp"
#include "tune/io/devices/devices.hpp"
#include "tune/io/spec/load.hpp"
#include "tune/io/spec/resume_mode.hpp"
#include "tune/tuner/experiment_actors.hpp"
#include "tune/tuner/listening.hpp"
#include "tune/tuner/parts.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tune {

/// Whether the run would go on with an experiment that needs nothing more of it. If so, `finish_up`
/// does
/// what its last head left undone.
/// @param resume  Nothing: the run does not go on with anything.
/// @param untidy  Told why `finish_up` failed; the results are there nevertheless.
/// @errors as `needs_nothing_more`.
[[nodiscard]] expected<bool> is_over_already(const std::filesystem::path& directory,
                                             const spec& wanted, std::optional<resume_mode> resume,
                                             const std::function<void(const error&)>& untidy);

/// The fault that this machine lacks the GPUs that it is to offer, or that no trial could ever
/// start on it. The latter is unknown where workers may join.
[[nodiscard]] std::optional<config_fault> machine_fault(const loaded_spec& what,
                                                        const host_resources& machine);

/// Starts the guard process if trials will need it, and makes sure that the threads that the run
/// begins with can be had. @errors `ec::process`.
[[nodiscard]] expected<void> start_what_is_needed(run_parts& parts,
                                                  const std::optional<listen_options>& port);

/// The event that a head begins with.
[[nodiscard]] on::opened opening_of(const experiment_store& store, const spec& what,
                                    opening how = opening::at_once);

/// The head of a run, as far as attempts on workers may outlive it.
struct head_of_run {
  /// Id of the experiment's job; empty: they may not.
  std::string job = {};
  /// Set for a standing head: its own mark. Attempts of the head before are awaited if that had the
  /// same mark and the same job.
  std::optional<head_mark> standing = {};
};

/// Opens the directory and its record by `open_storage`.
/// @returns the options for a run of `what` there: the record's content, and the notices to show at
///          the start.
/// @param head Under what head it runs.
/// @errors as `open_storage`.
[[nodiscard]] expected<experiment_actors_options> open_run(const std::filesystem::path& directory,
                                                           const spec& what,
                                                           std::optional<resume_mode> resume,
                                                           const head_of_run& head = {});

/// Whom a run tells what. The functions are called from any thread.
struct run_listeners {
  std::shared_ptr<run_observer> observer;
  /// Told what was in the way of a trial's files, and of trouble with a sink.
  std::function<void(const std::string&)> warned;
  /// Told that the runtime's own log cannot be written.
  std::function<void(const std::string&)> log_failed;
  /// Told why the trial files are no longer written.
  std::function<void(const error&)> files_failed;
};

/// Has the run tell `to`, after the runtime's own log, which is opened if `what` wants one.
/// @errors as `open_runtime_log`.
[[nodiscard]] expected<void> tell_all(experiment_actors_options& how, const spec& what,
                                      run_listeners to);

} // namespace tune

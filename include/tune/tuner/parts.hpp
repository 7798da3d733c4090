/// Turns a checked configuration into the parts of a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/node.hpp"
#include "tune/core/experiment/experiment.hpp"
#include "tune/io/devices/devices.hpp"
#include "tune/io/files/reading_rules.hpp"
#include "tune/io/sinks/sink_feed.hpp"
#include "tune/io/spec/load.hpp"
#include "tune/net/wire.hpp"
#include "tune/tuner/choices.hpp"
#include "tune/tuner/rule_parts.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace tune {

/// The parts of a run as values; actors are made of them later.
struct run_parts {
  experiment_settings settings;
  std::unique_ptr<scheduler> judge;
  std::unique_ptr<searcher> source;
  std::vector<std::unique_ptr<stopper>> stoppers;
  /// Settings of this machine's node.
  node_settings node;
  /// The experiment as a job of this machine.
  std::shared_ptr<const job> work;
  /// Labels that a node must bear to work for it.
  node_labels labels;
  /// Space of the trials that clients may add.
  std::shared_ptr<const search_space> space;
  /// Stoppers that `[stop]` of earlier heads may name.
  stopper_catalogue own_stoppers = {};
  /// Sinks for results, in addition to the record.
  std::vector<chosen_sink> sinks = {};
  /// How long they may take at the end.
  std::chrono::nanoseconds sink_patience{0};
  /// What an external searcher has to tell people; may be null.
  std::shared_ptr<searcher_news> news = {};
};

/// @param directory The experiment's, absolute.
/// @param machine   Resources of this machine.
/// @param job_id    Id of the job; empty: the experiment's name.
/// @errors faults of the configuration that only show when the parts are made.
[[nodiscard]] expected<run_parts> make_parts(const loaded_spec& from, const choices& all,
                                             const std::filesystem::path& directory,
                                             const host_resources& machine,
                                             const std::string& job_id = {});

/// The parts of a run, and everything workers are given of it.
struct shared_parts {
  run_parts parts;
  /// Nothing: no worker may join.
  std::optional<job_offer> shipment;
};

/// Like `make_parts`, for a run that workers may join. If they may, trials that nobody can run now
/// wait, unless the user says otherwise: a cluster may grow.
/// @param goes_on As for `shipment_of`.
/// @errors as `make_parts` and `shipment_of`.
[[nodiscard]] expected<shared_parts> make_shared_parts(const loaded_spec& from, const choices& all,
                                                       const std::filesystem::path& directory,
                                                       const host_resources& machine,
                                                       bool workers_may_join,
                                                       const reading_watch& goes_on = {});

/// Starts the guard process if trials will need it: no run is better than one whose trials all fail
/// for want of it. @errors `ec::process`.
[[nodiscard]] expected<void> start_guard_if_needed(run_parts& parts);

} // namespace tune

/// From a checked configuration to the parts of a run.
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

/// The values that a run is made of; actors are made of them later.
struct run_parts {
  experiment_settings settings;
  std::unique_ptr<scheduler> judge;
  std::unique_ptr<searcher> source;
  std::vector<std::unique_ptr<stopper>> stoppers;
  /// This machine.
  node_settings node;
  /// The experiment, as this machine works for it.
  std::shared_ptr<const job> work;
  /// What a node must be able to do to work for it.
  node_labels labels;
  /// Trials there will be; 0: nobody knows.
  std::uint64_t planned = 0;
  /// What clients may add trials of.
  std::shared_ptr<const search_space> space;
  /// What `[stop]` of earlier heads may name.
  stopper_catalogue own_stoppers = {};
  /// Where results go beside the record.
  std::vector<chosen_sink> sinks = {};
};

/// @param directory The experiment's, absolute.
/// @param machine   What this machine has.
/// @param job_id What nodes call the experiment; empty: its name.
/// @errors what only shows once the parts are made; a fault of the configuration.
[[nodiscard]] expected<run_parts> make_parts(const loaded_spec& from, const choices& all,
                                             const std::filesystem::path& directory,
                                             const host_resources& machine,
                                             const std::string& job_id = {});

/// The parts of a run, and what workers are given of it.
struct shared_parts {
  run_parts parts;
  /// Nothing: no worker may join.
  std::optional<job_offer> shipment;
};

/// The same for a run that workers may join. Where they may, trials that nobody can run now wait,
/// unless the user says otherwise: a cluster may grow.
/// @param goes_on As for `shipment_of`.
/// @errors as `make_parts` and `shipment_of`.
[[nodiscard]] expected<shared_parts> make_shared_parts(const loaded_spec& from, const choices& all,
                                                       const std::filesystem::path& directory,
                                                       const host_resources& machine,
                                                       bool workers_may_join,
                                                       const reading_watch& goes_on = {});

/// Starts the guard process, where trials will need it: better no run than one whose trials all
/// fail for want of it. @errors `ec::process`.
[[nodiscard]] expected<void> start_guard_if_needed(run_parts& parts);

} // namespace tune

/// From a checked configuration to the parts of a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "inspect/list.hpp"
#include "tune/actors/node.hpp"
#include "tune/core/experiment/experiment.hpp"
#include "tune/io/devices/devices.hpp"
#include "tune/io/spec/load.hpp"

#include <filesystem>
#include <memory>
#include <vector>

namespace tune::cli {

/// The values that a run is made of; actors are made of them later.
struct run_parts {
  experiment_settings settings;
  std::unique_ptr<scheduler> judge;
  std::unique_ptr<searcher> source;
  std::vector<std::unique_ptr<stopper>> stoppers;
  node_settings node;
  /// Trials there will be; 0: nobody knows.
  std::uint64_t planned = 0;
};

/// The chosen searcher. @errors of its factory.
[[nodiscard]] expected<std::unique_ptr<searcher>> make_searcher(const loaded_spec& from,
                                                                const choices& all);

/// @param directory The experiment's, absolute.
/// @param machine   What this machine has.
/// @errors what only shows once the parts are made; a fault of the configuration.
[[nodiscard]] expected<run_parts> make_parts(const loaded_spec& from, const choices& all,
                                             const std::filesystem::path& directory,
                                             const host_resources& machine);

} // namespace tune::cli

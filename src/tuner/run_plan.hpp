/// The steps of a tuner's run before anything trains. Private to the tuner.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "relay.hpp"

#include "tune/io/spec/load.hpp"
#include "tune/tuner/choices.hpp"
#include "tune/tuner/listening.hpp"
#include "tune/tuner/own_actors.hpp"
#include "tune/tuner/parts.hpp"
#include "tune/tuner/tuner.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tune {

using run_content = run_options::content;

/// Reads the configuration of a run.
[[nodiscard]] load_result load(const run_content& what, const choices& all);
[[nodiscard]] std::string fault_text(const config_fault& x, bool has_file);
[[nodiscard]] error fault_error(const config_faults& x, bool has_file);

void warn_of_all(const std::vector<std::string>& texts, relay& news);

/// A run that is planned: nothing has been made or started yet.
struct planned_run {
  loaded_spec chosen;
  /// The configuration as it is recorded.
  spec record;
  std::filesystem::path directory;
};

/// Plans a run; makes and starts nothing.
[[nodiscard]] expected<planned_run> plan(const run_content& what, loaded_spec chosen, relay& news);

/// Everything that a run needs but its storage.
struct ready_run {
  shared_parts shared;
  std::optional<listen_options> port;
};

[[nodiscard]] expected<ready_run> make_ready(const run_content& what, const planned_run& plan,
                                             const choices& all, relay& news);

} // namespace tune

/// The COMMAND RUNNER: carries out a client's command about experiments in a head's storage.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/submission_actors.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// A command as a process of this program.
struct runner_process {
  /// argv.
  std::vector<std::string> words;
  /// "NAME=value".
  std::vector<std::string> environment;
};

/// The process that carries `what` out: its command line names directories below `storage`.
/// @errors `ec::refused` where clients may not have that done; `ec::unknown_name` where an
///         experiment can have no such name.
[[nodiscard]] expected<runner_process> process_for(const remote_command& what,
                                                   const std::filesystem::path& storage);

/// Adapts this process to the client that it answers; does nothing if a user started it.
void heed_client_of_runner();

/// Columns of the client's terminal, 0: none; nothing: there is no such client.
[[nodiscard]] std::optional<int> columns_of_client();

/// Spawns a runner, on a thread of its own. It starts the process when the first output is wanted,
/// and kills it when it is told to go.
/// @param storage  The head's; absolute.
/// @param identity Who asks; see `may_see_and_steer`.
[[nodiscard]] expected<command_runner_actor> spawn_command_runner(caf::actor_system& system,
                                                                  std::filesystem::path storage,
                                                                  remote_command what,
                                                                  std::string identity);

} // namespace tune::cli

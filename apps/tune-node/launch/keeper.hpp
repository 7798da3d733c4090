/// The process that stands for a kept cluster: its head, and the connections to its machines.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exit_code.hpp"
#include "launch/kept_cluster.hpp"

#include "tune/core/error.hpp"
#include "tune/tuner/choices.hpp"

#include <filesystem>
#include <optional>

namespace tune::cli {

/// The directory of the cluster that this process is to keep; nothing: it is no keeper.
[[nodiscard]] std::optional<std::filesystem::path> keeper_directory(int argc, char** argv);

/// Starts a keeper, in a session of its own. @errors `ec::process`, `ec::storage`.
[[nodiscard]] expected<void> start_keeper(const kept_cluster& which);

/// Leads the cluster until it is told to go; if this process dies, so do its workers. Machines that
/// are wanted later, and those that failed, are seen to when `wanted.json` has a new round.
/// `hold_signals` was called before any thread was started.
[[nodiscard]] exit_code run_keeper(const std::filesystem::path& directory, const choices& all);

} // namespace tune::cli

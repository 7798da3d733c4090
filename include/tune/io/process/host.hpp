/// Runs C++ trainables in processes of their own: this program, started again as a host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/value.hpp"
#include "tune/trainable/trainable.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune {

/// Call this first in `main`. If the program was started as a guard or as a host of a trainable,
/// this function does that work.
///
/// A host speaks the command protocol (docs/command-protocol.md) like any other program.
/// @returns the exit status to return from `main`; empty for an ordinary start.
[[nodiscard]] std::optional<int> host_main(int argc, char** argv,
                                           const trainable_registry& trainables);

/// Whether this program can start hosts, that is, whether `host_main` was called.
[[nodiscard]] bool can_host();

/// Whether this process was started as guard or as host of a trainable.
[[nodiscard]] bool is_host_process();

/// Error text for a request for processes in a program that has not called `host_main`.
inline constexpr std::string_view no_host_main
    = "process isolation needs tune::host_main(argc, argv) first in main";

/// The command line that starts this program as a host of the trainable `name`.
/// @param kept Whether the host waits for another attempt after each that ended well; see
///             host_talk.hpp.
/// @param plugin Absolute path of the shared library that has the trainable; empty if this program
///               has it.
[[nodiscard]] std::vector<std::string> host_command(std::string_view name, bool kept = false,
                                                    const std::filesystem::path& plugin = {});

/// The environment variables of a trial process, in addition to those that the process service
/// adds: TUNE_TRIAL_ID, _EXPERIMENT, _DIR, _PARAMS, _RESTORE, _CPUS, _GPUS and _PARAM_<name> for
/// every parameter whose name is made of letters, digits and '_'; CUDA_VISIBLE_DEVICES if devices
/// were granted, with the CUDA_DEVICE_ORDER that their numbers are of.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
trial_environment(const object& config, const trial_context& context,
                  const std::filesystem::path& params_file,
                  const std::optional<std::filesystem::path>& restore);

} // namespace tune

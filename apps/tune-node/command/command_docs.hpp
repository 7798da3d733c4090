/// The entries of the command table, by what a user does. Private to the table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_table.hpp"

namespace tune::cli {

// Families of commands.
inline constexpr auto by_ssh = "use machines that ssh reaches";
inline constexpr auto looking = "see how an experiment is doing";
inline constexpr auto drawing = "show experiments: browser, page, terminal";
inline constexpr auto steering = "steer a running experiment";
inline constexpr auto supposing = "try other rules in virtual time";
inline constexpr auto choosing = "see what can be chosen, or was";
inline constexpr auto joining = "prepare clusters, find what is wrong";
inline constexpr auto knowing = "know the program";

inline constexpr const char* default_certs
    = "$TUNE_CERTS, or tune-node/certs in $XDG_CONFIG_HOME or ~/.config";

/// The directory of an experiment.
[[nodiscard]] inline positional_doc directory_argument() {
  return {"DIR", {}, argument_kind::directory};
}

// Running experiments: command_docs_running.cpp.
[[nodiscard]] command_doc run_doc();
[[nodiscard]] command_doc resume_doc();
[[nodiscard]] command_doc rerun_doc();
[[nodiscard]] command_doc ask_tell_doc();
[[nodiscard]] command_doc simulate_doc();
[[nodiscard]] command_doc whatif_doc();
[[nodiscard]] command_doc attach_doc();

// Leading a cluster: command_docs_cluster.cpp.
[[nodiscard]] command_doc head_doc();

// Joining one: command_docs_joining.cpp.
[[nodiscard]] command_doc worker_doc();
[[nodiscard]] command_doc certs_doc();
[[nodiscard]] command_doc doctor_doc();

// On machines that something else starts, or that ssh reaches: command_docs_machines.cpp.
[[nodiscard]] command_doc up_doc();
[[nodiscard]] command_doc launch_doc();
[[nodiscard]] command_doc down_doc();

// Looking at an experiment, or at what can be chosen: command_docs_looking.cpp.
[[nodiscard]] command_doc status_doc();
[[nodiscard]] command_doc trials_doc();
[[nodiscard]] command_doc compare_doc();
[[nodiscard]] command_doc importance_doc();
[[nodiscard]] command_doc fsck_doc();
[[nodiscard]] command_doc logs_doc();
[[nodiscard]] command_doc wait_doc();
[[nodiscard]] command_doc fetch_doc();
[[nodiscard]] command_doc export_doc();
[[nodiscard]] command_doc list_doc();
[[nodiscard]] command_doc config_doc();

// Showing experiments: command_docs_drawing.cpp.
[[nodiscard]] command_doc serve_doc();
[[nodiscard]] command_doc report_doc();
[[nodiscard]] command_doc plot_doc();
[[nodiscard]] command_doc top_doc();

// Steering an experiment: command_docs_steering.cpp.
[[nodiscard]] command_doc stop_doc();
[[nodiscard]] command_doc pause_doc();
[[nodiscard]] command_doc unpause_doc();
[[nodiscard]] command_doc add_doc();
[[nodiscard]] command_doc retry_doc();

} // namespace tune::cli

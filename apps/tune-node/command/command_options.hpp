/// The options of each command, bound to its request. Each is defined beside the command's entry
/// of the table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/bound_option.hpp"
#include "command/command_line.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace tune::cli {

/// What all commands take. See `command_line`.
struct general_words {
  bool help = false;
  bool help_all = false;
  bool version = false;
  std::optional<output_format> output;
  color_mode color = color_mode::automatic;
  bool quiet = false;
  int verbosity = 0;
};
[[nodiscard]] bound_options<general_words> general_options();

/// The words of `run`, some of which stand for keys of the file.
struct run_words {
  run_request run;
  std::optional<std::string> listen;
  std::optional<std::string> certs;
  std::optional<std::string> cluster;
  bool insecure_plaintext = false;
};
/// The words of `ask-tell`. @a lease Nothing: it was not given.
struct ask_tell_words {
  ask_tell_request request;
  std::optional<std::chrono::nanoseconds> lease;
};
/// How a head has workers come and go; it counts only with a command.
struct scaling_words {
  std::optional<std::string> command;
  scaling_rules rules;
  /// At most one.
  std::vector<resources> worker;
  std::chrono::nanoseconds timeout = scaling_options{}.command.timeout;
};
/// The words of `head`.
struct head_words {
  head_request head;
  scaling_words scaling;
};
/// The words of `plot`, which are checked when it is known what is drawn on.
struct plot_words {
  plot_request plot;
  /// Empty, or the axes.
  std::optional<std::string> log;
  std::optional<std::string> trials;
  std::optional<std::string> width;
  std::optional<std::string> height;
};

// command_docs_running.cpp
[[nodiscard]] bound_options<run_words> options_of_run();
[[nodiscard]] bound_options<resume_request> options_of_resume();
[[nodiscard]] bound_options<ask_tell_words> options_of_ask_tell();
[[nodiscard]] bound_options<simulate_request> options_of_simulate();
[[nodiscard]] bound_options<whatif_request> options_of_whatif();
[[nodiscard]] bound_options<attach_request> options_of_attach();

// command_docs_cluster.cpp
[[nodiscard]] bound_options<head_words> options_of_head();
/// Those that go with `--scale-command`.
[[nodiscard]] bound_options<scaling_words> options_of_scaling();

// command_docs_joining.cpp
[[nodiscard]] bound_options<worker_request> options_of_worker();
[[nodiscard]] bound_options<certs_request> options_of_certs();
[[nodiscard]] bound_options<doctor_request> options_of_doctor();
/// Those that go with `--join`.
[[nodiscard]] bound_options<doctor_request> joining_options_of_doctor();

// command_docs_machines.cpp
[[nodiscard]] bound_options<up_request> options_of_up();
[[nodiscard]] bound_options<launch_request> options_of_launch();
[[nodiscard]] bound_options<down_request> options_of_down();

// command_docs_sharing.cpp
/// What people say of a machine that offers its resources.
[[nodiscard]] bound_options<offered_request> label_options();
/// What a head grants at most.
[[nodiscard]] bound_options<allocation_limits> limit_options();

// command_docs_looking.cpp
[[nodiscard]] bound_options<trials_request> options_of_trials();
[[nodiscard]] bound_options<importance_request> options_of_importance();
[[nodiscard]] bound_options<fsck_request> options_of_fsck();
[[nodiscard]] bound_options<logs_request> options_of_logs();
[[nodiscard]] bound_options<wait_request> options_of_wait();
[[nodiscard]] bound_options<fetch_request> options_of_fetch();
[[nodiscard]] bound_options<export_request> options_of_export();
[[nodiscard]] bound_options<config_request> options_of_config();

// command_docs_drawing.cpp
[[nodiscard]] bound_options<serve_request> options_of_serve();
[[nodiscard]] bound_options<report_request> options_of_report();
[[nodiscard]] bound_options<plot_words> options_of_plot();
/// What may lie across, in the order of `chart_across`, from its second enumerator on.
[[nodiscard]] const std::vector<std::string_view>& chart_axes();

// command_docs_steering.cpp
[[nodiscard]] bound_options<client_command> options_of_add();
[[nodiscard]] bound_options<client_command> options_of_retry();

// command_table.cpp
[[nodiscard]] bound_options<help_request> options_of_help();

} // namespace tune::cli

/// Everything a node must know of one experiment to work for it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/value.hpp"
#include "tune/io/artifacts/artifact_rules.hpp"
#include "tune/io/checkpoint/checkpoint_limits.hpp"
#include "tune/io/files/laid_files.hpp"
#include "tune/io/process/metric_pattern.hpp"
#include "tune/io/spec/command_template.hpp"
#include "tune/io/spec/template_file.hpp"
#include "tune/io/spec/text_template.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tune {

/// A C++ trainable on a thread of this process.
struct run_in_thread {
  std::string trainable;
};
/// A C++ trainable in a process of its own: this program again.
struct run_in_host {
  std::string trainable;
  /// Whether a host whose attempt ended well serves another.
  bool reuse = false;
  /// The shared library that contains the trainable; empty: this program does.
  std::filesystem::path plugin = {};
};
/// An actor of this program's own, in this process.
struct run_as_actor {
  std::string trainable;
};
/// A program.
struct run_command {
  command_template command;
  std::string ini_dir;
  /// Patterns for reading metrics from its output; nothing: it speaks the command protocol.
  std::optional<metric_pattern_options> patterns;
  /// Variables, each left out where a parameter in it is inactive.
  std::vector<std::pair<std::string, text_template>> environment;
  /// Written into the trial's directory before it begins.
  std::vector<template_file> templates = {};
  /// Whether its stdout is a terminal; nothing: as `needs_terminal` says.
  std::optional<bool> pty = {};
};

/// Whether a program is judged by its output lines as they come, but would hold them back where
/// stdout is a pipe, as most do that use a C library. Python is told not to by a variable.
[[nodiscard]] bool needs_terminal(const run_command& plan, const std::string& program);

/// Recorded curves instead of a program: the reports of a configuration, in order.
struct replay_table {
  std::function<std::vector<object>(const object& config)> curve_of;
};

using trainable_plan
    = std::variant<run_in_thread, run_in_host, run_command, replay_table, run_as_actor>;

/// Whether the trials run in processes of their own, under a guard.
[[nodiscard]] inline bool needs_processes(const trainable_plan& plan) {
  return std::holds_alternative<run_in_host>(plan) || std::holds_alternative<run_command>(plan);
}

/// One experiment as a node sees it.
struct job {
  /// Its id in `launch_order::job`.
  std::string id;
  /// The experiment's name.
  std::string experiment;
  /// Absolute directory of its trials on this node; on the head the experiment's directory.
  std::filesystem::path directory;
  trainable_plan plan;
  /// The first objective's metric: a program that ends well must have reported it.
  std::string objective;
  bool trial_files = true;
  /// Whether reports bring what the trial has cost so far; see `cost_sheet`.
  bool reports_costs = false;
  /// Whether each bundle of a trial runs the command, as a rank of its own.
  bool runs_ranks = false;
  /// Whether a trial trains on while its head is away for long: the answers to its reports can only
  /// be to go on or to stop.
  bool trains_on = false;
  /// Most output kept of each of stdout and stderr. [bytes]
  std::uint64_t output_cap = 64 * 1024 * 1024;
  /// Time between SIGTERM and SIGKILL.
  std::chrono::milliseconds kill_grace{5000};
  /// Time from the answer that tells a program to end until SIGTERM. 0 = as long as it takes.
  std::chrono::milliseconds stop_grace{10000};
  /// Formats to export at the end of a trial, and the time allowed for that.
  std::vector<std::string> exports = {};
  std::chrono::milliseconds export_time{0};
  /// Room for the checkpoints of paused trials in this node's memory. 0 = they go to disk. [bytes]
  std::uint64_t pause_memory = 0;
  /// Limits of each checkpoint, and of the exports of a trial.
  checkpoint_limits limits = {};
  /// Rules for the files that trials write on a worker and that are brought back to the head.
  artifact_rules artifacts = {};
  /// Files brought to this node for the job; null where it runs on the user's own files.
  std::shared_ptr<const laid_files> files = {};
};

} // namespace tune

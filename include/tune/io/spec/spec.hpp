/// The user's description of an experiment: one plain struct per section of the INI file.
///
/// The initialisers here are the only definition of the defaults. Ranges, meanings and texts of the
/// keys are in the table of `keys.hpp`; docs/ini.md is the user's page.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/settings.hpp"
#include "tune/core/liveness/liveness_rules.hpp"
#include "tune/core/resource/resources.hpp"
#include "tune/core/search/earlier.hpp"
#include "tune/core/value.hpp"
#include "tune/io/process/metric_pattern.hpp"
#include "tune/io/spec/template_file.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// One line of a section with user-defined keys: `lr = loguniform(1e-5, 0.1)`.
struct named_text {
  std::string name;
  std::string text;
  friend bool operator==(const named_text&, const named_text&) = default;
};

/// `[experiment]`
struct experiment_section {
  /// Name of the experiment, whose directory is `storage/name`. Empty: the INI file's name without
  /// extension.
  std::string name;
  /// Direction of `objectives` without a mode of their own.
  bool maximise = true;
  /// The first objective defines `best`. [>= 1 once loaded]
  std::vector<objective> objectives;
  /// Constraints that the best must meet.
  constraint_list constraints;
  /// Number of best configurations that run again at the end. 0 = none.
  std::uint32_t confirm = 0;
  /// Runs per confirmed configuration; empty: as many as in the search, or 3 if that is one. [>= 1]
  std::optional<std::uint32_t> confirm_runs;
  /// Number of configurations to try. 0 = until another limit.
  std::uint64_t num_samples = 1;
  /// Limit on trials at the same time. 0 = as many as fit.
  std::uint64_t max_concurrent_trials = 0;
  /// Standing among the experiments of a head: see `owner_standing`.
  std::int32_t priority = 0;
  double share = 1;
  /// Directory of all experiments, relative to the caller's directory.
  std::string storage = "results";
  std::uint64_t seed = 0;
  /// 0 = none.
  std::chrono::nanoseconds time_limit{0};
  /// Limit on the sum of the training times of all reports. 0 = none.
  std::chrono::nanoseconds training_limit{0};
  /// How long a searcher without suggestions is asked again while no trial is left. 0 = not at all.
  std::chrono::nanoseconds stall_timeout{std::chrono::seconds{600}};

  friend bool operator==(const experiment_section&, const experiment_section&) = default;
};

/// The form of the user's code.
enum class trainable_kind : std::uint8_t { command, function, class_type, table, actor };
/// The place where functions and classes run: a separate process, or a thread of this one.
enum class isolation_kind : std::uint8_t { process, thread };

/// `[trainable]`
struct trainable_section {
  /// Empty if nothing is to be run, as in ask-tell.
  std::optional<trainable_kind> kind;
  /// Registered name of a function, class or actor.
  std::string name;
  /// Shared library with functions and classes that this program does not have; relative to the
  /// INI's directory. Empty: none. See tune/trainable/plugin.hpp.
  std::string plugin;
  /// The command as written; see `command_template`.
  std::string command;
  /// Table of recorded curves; relative to the INI's directory.
  std::string path;
  isolation_kind isolation = isolation_kind::process;
  /// Whether a process serves another trial after one that ended well.
  bool reuse_actors = false;
  /// Files that workers need in addition to the command; relative to the INI's directory.
  std::vector<std::string> files;
  /// Limit on the size of all files sent to workers, including those that the command names. 0 = no
  /// limit. [bytes]
  std::uint64_t max_files_size = std::uint64_t{10} * 1024 * 1024 * 1024;
  /// Files that workers send back: "all", "none", or patterns relative to the trial's directory;
  /// see `artifact_rules_of`.
  std::vector<std::string> artifacts{"all"};
  /// Limit on the size of one attempt's artifacts. 0 = no limit. [bytes]
  std::uint64_t artifacts_max_size = 64 * 1024 * 1024;
  /// Limit on the number of one attempt's artifacts. [1 .. max_artifact_files]
  std::uint64_t artifacts_max_files = 1'000;
  report_mode report = report_mode::line;
  /// ECMAScript expression for lines that report; empty: the first objective's expression.
  std::string report_on;
  /// Metrics read by ECMAScript expressions or from files; see `expand_expression` and
  /// `parse_file_metric`.
  std::vector<named_text> metrics;
  /// The output that those expressions are matched against.
  metric_stream stream = metric_stream::out;
  /// Whether the command's stdout is a terminal. Empty: only if it needs one to be read line by
  /// line.
  std::optional<bool> pty;
  /// Files written for each trial.
  std::vector<template_pair> templates;
  /// Environment variables of the command.
  std::vector<named_text> env;
  /// Processes of a trial, one per bundle. 1: one process with all bundles; 0: as many as bundles.
  std::uint64_t ranks = 1;
  /// Bytes kept of stdout and of stderr. 0 = none.
  std::uint64_t output_cap = 64 * 1024 * 1024;
  /// Formats to export at the end of a trial.
  std::vector<std::string> exports;
  /// Time limit of the exports. [> 0]
  std::chrono::nanoseconds export_timeout{std::chrono::minutes{1}};

  friend bool operator==(const trainable_section&, const trainable_section&) = default;
};

/// `[resources]`: what one trial needs.
struct resources_section {
  double cpu = 1;
  double gpu = 0;
  /// Bytes. 0 = not counted.
  std::uint64_t memory = 0;
  /// Amounts, checked to be numbers >= 0.
  std::vector<named_text> custom;
  /// Further bundles, for helpers of the trainable.
  std::vector<tune::resources> bundles;
  resource_request::strategy strategy = resource_request::strategy::pack;
  /// Condition over labels that each node of a trial meets; empty: any node will do.
  std::string require;
  /// Taints of nodes that trials tolerate, separated by commas.
  std::string tolerate;

  friend bool operator==(const resources_section&, const resources_section&) = default;
};

/// A configuration with known metrics.
struct known_point {
  object config;
  object metrics;
  friend bool operator==(const known_point&, const known_point&) = default;
};

/// `[search]`
struct search_section {
  /// Name in the catalogue of searchers. Empty: its first entry.
  std::string type;
  /// Complete or partial configurations to try first.
  std::vector<object> points;
  /// Directory or database of another experiment whose best configurations are tried after
  /// `points`; relative to the caller's directory; empty: none.
  std::string points_from;
  /// Number of configurations taken from there. [>= 1]
  std::uint64_t points_from_best = 10;
  /// Complete configurations that are not run, since their results are known.
  std::vector<known_point> known;
  /// Directories or databases of earlier experiments to learn from, separated as words; relative to
  /// the caller's directory; empty: none.
  std::string learn_from;
  /// See `experiment_settings::draft_patience`.
  std::chrono::nanoseconds max_wait{std::chrono::milliseconds{30}};
  /// See `experiment_settings::max_pending`.
  std::uint64_t max_pending = 0;
  /// See `experiment_settings::in_batches`.
  bool batch = false;
  /// Runs of each configuration. [>= 1]
  std::uint32_t repeat = 1;
  /// How the results of these runs are combined.
  run_judge repeat_judge = run_judge::mean;
  /// Parameter that passes a run its number.
  std::string repeat_parameter = "seed";
  /// The points taken from `points_from` when the experiment began; not a key.
  std::vector<object> found_points;
  /// The data taken from `learn_from` at that time; not a key.
  std::vector<earlier_experiment> found_earlier;
  /// Options of the entry; once loaded, all defaults are filled in.
  std::vector<named_text> options;

  friend bool operator==(const search_section&, const search_section&) = default;
};

/// `[scheduler]`
struct scheduler_section {
  /// Name in the catalogue of schedulers. Empty: its first entry.
  std::string type;
  /// Options of the entry; once loaded, all defaults are filled in.
  std::vector<named_text> options;

  friend bool operator==(const scheduler_section&, const scheduler_section&) = default;
};

/// `[failure]`; counts may be `failure_policy::unlimited`.
struct failure_section {
  std::uint32_t max_failures = 0;
  /// Empty: the same as `max_failures`.
  std::optional<std::uint32_t> max_timeouts;
  std::optional<std::uint32_t> max_out_of_memory;
  std::optional<std::uint32_t> max_killed;
  std::uint32_t max_node_losses = 10;
  bool fail_fast = false;
  std::uint32_t max_consecutive_failures = 5;
  std::chrono::nanoseconds backoff{std::chrono::milliseconds{200}};
  std::chrono::nanoseconds most_backoff{std::chrono::seconds{30}};
  /// 0 = never.
  std::chrono::nanoseconds progress_timeout{0};
  bool restart_from_scratch = false;

  friend bool operator==(const failure_section&, const failure_section&) = default;
};

/// The direction in which a score is better.
enum class score_direction : std::uint8_t {
  /// The direction of the objective of that name.
  as_objective,
  max,
  min
};

/// The storage of checkpoints that trials pause with.
enum class pause_place : std::uint8_t { disk, memory };

/// `[checkpoint]`
struct checkpoint_section {
  /// Iterations between checkpoints. 0 = never.
  std::uint64_t frequency = 0;
  bool at_end = false;
  /// See `retention_policy`.
  std::uint64_t keep = 0;
  std::string score_attribute;
  score_direction score_order = score_direction::as_objective;
  std::uint64_t max_bytes_per_trial = 0;
  std::uint64_t max_bytes = 0;
  /// Limits of one checkpoint: see `checkpoint_limits`.
  std::uint64_t max_size = std::uint64_t{100} << 30U;
  std::uint64_t max_files = 100'000;
  pause_place pause_storage = pause_place::disk;
  /// Limit for each node with `pause_place::memory`. [bytes]
  std::uint64_t pause_memory = std::uint64_t{1} << 30U;

  friend bool operator==(const checkpoint_section&, const checkpoint_section&) = default;
};

/// `[cluster] scale_...`: how workers come and go.
struct scaling_section {
  /// Command that gets and gives back workers, for `/bin/sh`; empty: none. See `scaling_rules` for
  /// the others.
  std::string command;
  std::uint64_t min = 0;
  std::uint64_t max = 10;
  /// What a new worker offers; at most one entry. None: what the newest offers.
  std::vector<tune::resources> worker;
  std::chrono::nanoseconds cooldown{std::chrono::seconds{30}};
  std::chrono::nanoseconds down_cooldown{std::chrono::minutes{1}};
  std::chrono::nanoseconds idle{std::chrono::minutes{5}};
  std::chrono::nanoseconds patience{std::chrono::minutes{5}};
  /// Time after which the command is killed.
  std::chrono::nanoseconds timeout{std::chrono::minutes{1}};

  friend bool operator==(const scaling_section&, const scaling_section&) = default;
};

/// `[cluster]`
struct cluster_section {
  /// Resources that this machine offers; empty: all that it has.
  std::optional<double> cpus;
  std::optional<double> gpus;
  /// Bytes.
  std::optional<std::uint64_t> memory;
  /// Amounts, checked to be numbers >= 0.
  std::vector<named_text> custom;
  /// Labels and taints of this machine, separated by commas; see `check_label`.
  std::string labels;
  std::string taints;
  /// Address at which workers join, HOST:PORT; empty: no port is opened.
  std::string listen;
  /// Machines that `launch` starts workers on, as ssh knows them: "a,b:2222,user@c".
  std::string hosts;
  /// Directory of certificates, relative to the caller's directory; empty: the default one.
  std::string certs;
  /// Plain text instead of TLS; loopback only.
  bool insecure_plaintext = false;
  /// Name of the cluster; workers of other clusters are rejected.
  std::string name = "default";
  /// Whether this machine runs trials, too.
  bool local = true;
  bool queue_trials = false;
  placement_policy policy = placement_policy::pack;
  /// Silence after which a worker is lost; see `liveness_rules`.
  std::chrono::nanoseconds lost_after = default_lost_after;
  /// Time for which workers keep their trials for a head that died; see `liveness_rules`.
  std::chrono::nanoseconds head_grace{0};
  scaling_section scaling;
  /// Time from TERM to KILL.
  std::chrono::nanoseconds kill_grace{std::chrono::seconds{5}};
  /// How long to wait for the last result of a trial that was told to stop.
  std::chrono::nanoseconds stop_grace{std::chrono::seconds{10}};

  friend bool operator==(const cluster_section&, const cluster_section&) = default;
};

/// Minimum severity of logged lines.
enum class log_level : std::uint8_t { trace, debug, info, warning, error, off };

/// `[log]`
struct log_section {
  log_level level = log_level::info;
  /// Whether to write result files into each trial's directory.
  bool trial_files = true;
  bool costs = false;
  /// The runtime's own log; relative to the experiment's directory. Empty: none.
  std::string file;

  friend bool operator==(const log_section&, const log_section&) = default;
};

/// `[sinks]`: where results go besides the record.
struct sinks_section {
  /// How long sinks may take when the run is over.
  std::chrono::nanoseconds finish_timeout{std::chrono::seconds{30}};
  /// `<sink>` and `<sink>.<option>`; see `sink_wishes`.
  std::vector<named_text> lines;

  friend bool operator==(const sinks_section&, const sinks_section&) = default;
};

/// The complete description of an experiment.
struct spec {
  experiment_section experiment;
  trainable_section trainable;
  /// `[space]`, in the order of declaration; see `search_space::parse`.
  std::vector<named_text> space;
  resources_section resources;
  search_section search;
  scheduler_section scheduler;
  /// `[stop]`; see `make_stoppers`.
  std::vector<named_text> stop;
  failure_section failure;
  checkpoint_section checkpoint;
  cluster_section cluster;
  log_section log;
  sinks_section sinks;
  /// Absolute directory of the INI file; not a key.
  std::string ini_dir;
  /// Files that the command names, as they were when the newest head started: the path and the
  /// SHA-256 of each; not a key.
  std::vector<named_text> code;

  friend bool operator==(const spec&, const spec&) = default;
};

} // namespace tune

/// One experiment as the user describes it: a plain struct per section of the INI file.
///
/// The initialisers here are the defaults, and the only place where they stand. Ranges, meanings
/// and texts of the keys are in the table of `keys.hpp`; docs/ini.md is the user's page.
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

/// One line of a section whose keys are the user's own: `lr = loguniform(1e-5, 0.1)`.
struct named_text {
  std::string name;
  std::string text;
  friend bool operator==(const named_text&, const named_text&) = default;
};

/// `[experiment]`
struct experiment_section {
  /// The experiment's directory is `storage/name`. Empty: the INI file's name without extension.
  std::string name;
  /// What `objectives` without a mode of their own mean.
  bool maximise = true;
  /// The first is what `best` means. [>= 1 once loaded]
  std::vector<objective> objectives;
  /// What the best has to keep to.
  constraint_list constraints;
  /// So many of the best configurations run again at the end. 0 = none.
  std::uint32_t confirm = 0;
  /// How often each; nothing: as often as in the search, or 3 times where that is once. [>= 1]
  std::optional<std::uint32_t> confirm_runs;
  /// 0 = until another limit.
  std::uint64_t num_samples = 1;
  /// 0 = as many as fit.
  std::uint64_t max_concurrent_trials = 0;
  /// Stands against the caller's directory.
  std::string storage = "results";
  std::uint64_t seed = 0;
  /// 0 = none.
  std::chrono::nanoseconds time_limit{0};
  /// On the sum of the training times of all reports. 0 = none.
  std::chrono::nanoseconds training_limit{0};
  /// How long a searcher that has nothing yet is asked again where no trial is left. 0 = not.
  std::chrono::nanoseconds stall_timeout{std::chrono::seconds{600}};

  friend bool operator==(const experiment_section&, const experiment_section&) = default;
};

/// How the user's code is written.
enum class trainable_kind : std::uint8_t { command, function, class_type, table, actor };
/// Where it runs.
enum class isolation_kind : std::uint8_t { process, thread };

/// `[trainable]`
struct trainable_section {
  /// None where nothing is to be run: ask-tell.
  std::optional<trainable_kind> kind;
  /// Registered name of a function, class or actor.
  std::string name;
  /// Shared library with functions and classes that this program does not have; stands against the
  /// INI's directory. Empty: none. See tune/trainable/plugin.hpp.
  std::string plugin;
  /// As written; see `command_template`.
  std::string command;
  /// Table of recorded curves; stands against the INI's directory.
  std::string path;
  isolation_kind isolation = isolation_kind::process;
  /// A process whose trial ended well serves another.
  bool reuse_actors = false;
  /// What workers need beside the command; stand against the INI's directory.
  std::vector<std::string> files;
  /// Of all files that go to workers, those that the command names among them. 0 = no limit.
  /// [bytes]
  std::uint64_t max_files_size = std::uint64_t{10} * 1024 * 1024 * 1024;
  /// Files that come back from workers: "all", "none", or patterns against the trial's directory;
  /// see `artifact_rules_of`.
  std::vector<std::string> artifacts{"all"};
  /// Of one attempt. 0 = no limit. [bytes]
  std::uint64_t artifacts_max_size = 64 * 1024 * 1024;
  /// [1 .. max_artifact_files]
  std::uint64_t artifacts_max_files = 1'000;
  report_mode report = report_mode::line;
  /// ECMAScript; empty: the first objective's expression.
  std::string report_on;
  /// Metrics by ECMAScript expressions, or from files; see `expand_expression` and
  /// `parse_file_metric`.
  std::vector<named_text> metrics;
  /// Where those expressions are looked for.
  metric_stream stream = metric_stream::out;
  /// Whether the command's stdout is a terminal. Nothing: where it needs one to be read line by
  /// line.
  std::optional<bool> pty;
  /// Files written for each trial.
  std::vector<template_pair> templates;
  /// Environment variables of the command.
  std::vector<named_text> env;
  /// Processes of a trial, one per bundle. 1: one, which has all bundles; 0: as many as bundles.
  std::uint64_t ranks = 1;
  /// Bytes kept of each of stdout and stderr. 0 = none.
  std::uint64_t output_cap = 64 * 1024 * 1024;
  /// Formats to export at the end of a trial.
  std::vector<std::string> exports;
  /// How long that may take. [> 0]
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

  friend bool operator==(const resources_section&, const resources_section&) = default;
};

/// A configuration, and the metrics that it is known to have.
struct known_point {
  object config;
  object metrics;
  friend bool operator==(const known_point&, const known_point&) = default;
};

/// `[search]`
struct search_section {
  /// A name of the searchers' catalogue. Empty: its first entry.
  std::string type;
  /// Configurations, whole or in part, to try first.
  std::vector<object> points;
  /// Directory or database of another experiment whose best are tried after them, against the
  /// caller's directory; empty: none.
  std::string points_from;
  /// So many of them. [>= 1]
  std::uint64_t points_from_best = 10;
  /// Configurations, whole, that are not run: their results are known.
  std::vector<known_point> known;
  /// Directories or databases of earlier experiments to learn from, in words, against the caller's
  /// directory; empty: none.
  std::string learn_from;
  /// See `experiment_settings::draft_patience`.
  std::chrono::nanoseconds max_wait{std::chrono::milliseconds{50}};
  /// See `experiment_settings::max_pending`.
  std::uint64_t max_pending = 0;
  /// See `experiment_settings::in_batches`.
  bool batch = false;
  /// Runs of each configuration. [>= 1]
  std::uint32_t repeat = 1;
  /// What they come to together.
  run_judge repeat_judge = run_judge::mean;
  /// Parameter that tells a run its number.
  std::string repeat_parameter = "seed";
  /// What these came to when the experiment began; not a key.
  std::vector<object> found_points;
  /// What was learnt of `learn_from` then; not a key.
  std::vector<earlier_experiment> found_earlier;
  /// Options of the entry; once loaded, with all defaults filled in.
  std::vector<named_text> options;

  friend bool operator==(const search_section&, const search_section&) = default;
};

/// `[scheduler]`
struct scheduler_section {
  /// A name of the schedulers' catalogue. Empty: its first entry.
  std::string type;
  /// Options of the entry; once loaded, with all defaults filled in.
  std::vector<named_text> options;

  friend bool operator==(const scheduler_section&, const scheduler_section&) = default;
};

/// `[failure]`; counts may be `failure_policy::unlimited`.
struct failure_section {
  std::uint32_t max_failures = 0;
  /// Nothing: as `max_failures`.
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

/// Which values of a score are better.
enum class score_direction : std::uint8_t {
  /// As those of the objective of that name.
  as_objective,
  max,
  min
};

/// Where the checkpoints lie that trials pause with.
enum class pause_place : std::uint8_t { disk, memory };

/// `[checkpoint]`
struct checkpoint_section {
  /// Iterations. 0 = never.
  std::uint64_t frequency = 0;
  bool at_end = false;
  /// See `retention_policy`.
  std::uint64_t keep = 0;
  std::string score_attribute;
  score_direction score_order = score_direction::as_objective;
  std::uint64_t max_bytes_per_trial = 0;
  std::uint64_t max_bytes = 0;
  /// Of one checkpoint: see `checkpoint_limits`.
  std::uint64_t max_size = std::uint64_t{100} << 30U;
  std::uint64_t max_files = 100'000;
  pause_place pause_storage = pause_place::disk;
  /// Of each node, for `pause_place::memory`. [bytes]
  std::uint64_t pause_memory = std::uint64_t{1} << 30U;

  friend bool operator==(const checkpoint_section&, const checkpoint_section&) = default;
};

/// `[cluster]`
struct cluster_section {
  /// What this machine offers; nothing: what it has.
  std::optional<double> cpus;
  std::optional<double> gpus;
  /// Bytes.
  std::optional<std::uint64_t> memory;
  /// Amounts, checked to be numbers >= 0.
  std::vector<named_text> custom;
  /// Where workers join, HOST:PORT; empty: nowhere, and no port is opened.
  std::string listen;
  /// Directory of certificates, against the caller's; empty: the default one.
  std::string certs;
  /// Plain text instead of TLS: loopback only.
  bool insecure_plaintext = false;
  /// Workers of other clusters are sent away.
  std::string name = "default";
  /// This machine works, too.
  bool local = true;
  bool queue_trials = false;
  placement_policy policy = placement_policy::pack;
  /// A worker that was silent for so long is lost; see `liveness_rules`.
  std::chrono::nanoseconds lost_after = default_lost_after;
  /// Between TERM and KILL.
  std::chrono::nanoseconds kill_grace{std::chrono::seconds{5}};
  /// How long the last result of a trial that was told to stop is awaited.
  std::chrono::nanoseconds stop_grace{std::chrono::seconds{10}};

  friend bool operator==(const cluster_section&, const cluster_section&) = default;
};

/// Least urgency of lines that are logged.
enum class log_level : std::uint8_t { trace, debug, info, warning, error, off };

/// `[log]`
struct log_section {
  log_level level = log_level::info;
  /// Write result files into each trial's directory.
  bool trial_files = true;
  /// The runtime's own log; stands against the experiment's directory. Empty: none.
  std::string file;
  /// `sink.<name>`: sinks of the program's own, with their options; see `parse_option_line`.
  std::vector<named_text> sinks;

  friend bool operator==(const log_section&, const log_section&) = default;
};

/// The whole description.
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
  /// Absolute directory of the INI file; not a key.
  std::string ini_dir;
  /// Files that the command names, as they were when the newest head began: the path and the
  /// SHA-256 of each; not a key.
  std::vector<named_text> code;

  friend bool operator==(const spec&, const spec&) = default;
};

} // namespace tune

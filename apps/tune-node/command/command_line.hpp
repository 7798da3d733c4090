/// The user's command line as values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/cluster_requests.hpp"
#include "command/experiment_requests.hpp"
#include "command/read_words.hpp"
#include "console/style.hpp"
#include "output/format.hpp"
#include "plot/make_chart.hpp"
#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/liveness/liveness_rules.hpp"
#include "tune/core/resource/resources.hpp"
#include "tune/core/trial/status.hpp"
#include "tune/io/certificates/certificate_directory.hpp"
#include "tune/io/certificates/join_token.hpp"
#include "tune/io/control/control_words.hpp"
#include "tune/io/probe/head_addresses.hpp"
#include "tune/io/probe/probe.hpp"
#include "tune/net/client_messages.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tune::cli {

/// Where a page and an API are served by HTTP, and to whom.
struct http_request {
  /// Nothing: at the default port, or the next one that is free.
  std::optional<peer_address> where;
  /// Directory of the certificates for TLS; empty: the default one, used off loopback only.
  std::string certs;
  /// Empty: the default file.
  std::string token_file;
  /// Whether to replace the token.
  bool new_token = false;
  /// Names by which this server may be asked, besides its own.
  std::vector<std::string> names;
};

/// Determines the metrics that represent a trial, from its reports.
enum class metric_scope : std::uint8_t {
  /// The report with the best first objective.
  best,
  last,
  /// For each metric the mean over all reports, over the last 5, over the last 10, the least, the
  /// greatest.
  avg,
  last_5_avg,
  last_10_avg,
  min,
  max
};

struct trials_request {
  std::string directory;
  std::optional<trial_id> why;
  std::optional<trial_id> policy;
  std::optional<trial_status> status;
  /// Sort key: a fixed one, an objective or a parameter; checked when the trials are known. `:asc`
  /// or `:desc` after it gives the direction.
  std::string sort = "trial";
  bool reverse = false;
  /// 0: all. Nothing: all, except in a table that is not on a terminal.
  std::optional<std::uint64_t> limit;
  /// Determines the metrics that represent a trial.
  metric_scope scope = metric_scope::best;
  /// Columns to show, in this order; empty: the usual ones.
  std::vector<std::string> columns = {};
  /// Only failed trials, grouped by their failures.
  bool failed = false;
  /// Only trials that no other one beats in all objectives.
  bool pareto = false;
};

struct compare_request {
  /// [>= 2]
  std::vector<std::string> directories;
};

struct importance_request {
  std::string directory;
  /// An objective; empty: the first.
  std::string metric;
  /// See `importance_settings`.
  double best_share = 0.1;
  enum class measure : std::uint8_t {
    /// A model if the searcher learnt and the model knows the space, else PED-ANOVA.
    automatic,
    ped_anova,
    model,
  };
  measure by = measure::automatic;
};

struct fsck_request {
  std::string directory;
  /// Whether to compute the recorded answers of scheduler and searcher once more.
  bool verify = false;
};

struct status_request {
  std::string directory;
};

struct fetch_request {
  /// Or "s3://bucket/prefix": a copy in an object store.
  std::string directory;
  /// Nothing: the best.
  std::optional<trial_id> trial;
  enum class part : std::uint8_t { checkpoint, exports, trial, experiment };
  part what = part::checkpoint;
  /// Where the copy is to be; empty: in the working directory, by its own name.
  std::string to;
  /// Of the object store; empty: as the environment has them.
  std::string endpoint;
  std::string region;
};

[[nodiscard]] std::string_view to_text(fetch_request::part x);

/// Has an experiment written in the form of another program.
struct export_request {
  std::string directory;
  enum class form : std::uint8_t { optuna, mlflow, tensorboard, csv, jsonl };
  form what = form::optuna;
  /// File or directory; empty: in the working directory, by the experiment's name.
  std::string to;
  /// `mlflow`: the tracking server, and the experiment's name there; empty: that of the
  /// environment, and its own name.
  std::string url;
  std::string name;
};

struct wait_request {
  std::string directory;
  bool strict = false;
};

struct logs_request {
  std::string directory;
  /// Nothing: the experiment's own log.
  std::optional<trial_id> trial;
  bool follow = false;
  /// Whether to show stderr instead of stdout.
  bool errors = false;
  /// Whether to show it byte for byte, even on a terminal.
  bool raw = false;
};

struct serve_request {
  /// A storage, or the directory of one experiment.
  std::string place = "results";
  http_request http;
};

struct report_request {
  /// [>= 1]
  std::vector<std::string> directories;
  /// Where the page is written; empty: NAME.html in the working directory; "-": stdout.
  std::string file;
};

struct plot_request {
  std::string directory;
  chart_wish wish;
  /// Empty: the first objective.
  std::string metric;
  /// Curves that are drawn at most. [1 to 1000]
  std::uint64_t trials = 30;
  /// In columns and lines of a terminal, or in pixels of an SVG; nothing: as it fits.
  std::optional<std::size_t> width;
  std::optional<std::size_t> height;
  /// An SVG; empty: the terminal.
  std::string file;
  bool is_ascii = false;
};

struct top_request {
  /// Or the experiment's name, at a head; empty: the newest below `results`.
  std::string directory;
  std::optional<head_addresses> head;
  /// Empty: the default directory.
  std::string certs;
  bool insecure_plaintext = false;
  std::string cluster = "default";
};

/// A request to the head of a running experiment.
struct client_command {
  control_request::op what = control_request::op::stop;
  std::string directory;
  std::vector<trial_id> trials;
  /// `add`: the texts before and after each equals sign, or the whole configuration as JSON.
  std::vector<named_text> values;
  std::optional<std::string> config;
  std::string key;
  bool from_scratch = false;
};

struct list_request {
  enum class part : std::uint8_t {
    searchers,
    schedulers,
    stoppers,
    trainables,
    sinks,
    experiments
  };
  part what = part::searchers;
  /// Directory with the experiments.
  std::string storage = "results";
};

struct config_request {
  enum class action : std::uint8_t { check, explain, print };
  action what = action::check;
  std::string file;
  std::vector<named_text> overrides;
  /// Whether to check the file for `ask-tell`, which takes it without `[trainable]`.
  bool ask_tell = false;
};

struct certs_request {
  enum class action : std::uint8_t { init, issue, show, rotate, revoke, token };
  action what = action::init;
  /// `issue`: the node's name; `show`: a file or directory; `revoke`: a name or file. Empty: not
  /// given.
  std::string subject;
  /// Empty: the default directory.
  std::string directory;
  /// Empty: named after this machine, or keeps its present name.
  std::string cluster;
  /// Empty: the certificate directory itself.
  std::string out;
  std::vector<std::string> hosts;
  std::chrono::days lifetime = node_lifetime;
  bool force = false;
  token_order token = {};
};

struct version_request {};

struct completion_request {
  enum class shell : std::uint8_t { bash, zsh, fish };
  shell what = shell::bash;
};

struct help_request {
  /// Name of a command; empty: all.
  std::string topic;
  /// Whether to show the whole help instead of the short one.
  bool all = false;
  /// Whether to show the manual page instead.
  bool man = false;
};

using request
    = std::variant<run_request, up_request, launch_request, down_request, ask_tell_request,
                   head_request, worker_request, resume_request, status_request, trials_request,
                   fsck_request, rerun_request, compare_request, importance_request, attach_request,
                   logs_request, wait_request, fetch_request, export_request, serve_request,
                   report_request, plot_request, top_request, client_command, simulate_request,
                   list_request, config_request, whatif_request, certs_request, doctor_request,
                   version_request, completion_request, help_request>;

/// A command for a head to carry out.
struct at_head_request {
  head_addresses head;
  /// Empty: the default directory.
  std::string certs;
  bool insecure_plaintext = false;
  std::string cluster = "default";
  /// Without what depends on this process.
  remote_command command;
};

/// One command line.
struct command_line {
  request what;
  /// The head that is to carry it out; nothing: this process does.
  std::optional<at_head_request> at_head{};
  /// Nothing: not given. Commands then choose; most use `table`.
  std::optional<output_format> output{};
  color_mode color = color_mode::automatic;
  bool quiet = false;
  /// Number of `-v`.
  int verbosity = 0;
};

/// Reads the words after the program's name.
///
/// Only the shape is checked here: values of `--section.key` are checked with the configuration.
/// @errors Any error means exit code 2. Its text has three lines: what is wrong, with the nearest
///         known name; a usage line; where to read on. Show it after the program's name.
[[nodiscard]] expected<command_line> parse(const words& all);

/// Reads the arguments of `main`.
[[nodiscard]] expected<command_line> parse(int argc, const char* const* argv);

} // namespace tune::cli

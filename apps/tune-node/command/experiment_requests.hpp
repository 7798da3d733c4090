/// Requests to run experiments, here or elsewhere, or to tell how they would run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/cluster_requests.hpp"
#include "command/read_words.hpp"
#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"
#include "tune/io/probe/head_addresses.hpp"
#include "tune/io/probe/peer_address.hpp"
#include "tune/io/spec/resume_mode.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

class leave_request;

struct run_request {
  std::string file;
  bool dry_run = false;
  /// The mode of resuming; nothing: a new run begins.
  std::optional<resume_mode> resume;
  /// Same as `resume_request::add`.
  std::string add;
  bool strict = false;
  /// The head where the experiment is to run; nothing: here.
  std::optional<head_addresses> head;
  /// Whether to leave it there instead of following it.
  bool detach = false;
  /// Whether to remove an experiment that is in the way; `yes`: without asking.
  bool overwrite = false;
  bool yes = false;
  /// Whether to write the result to stdout.
  bool tells = true;
  /// Called once workers may join, with the port. Null: nobody wants to know.
  std::function<expected<void>(std::uint16_t)> listens = {};
  /// A signal that announces the end of this machine's time: the run is left off, with exit code
  /// 75. 0: none.
  int notice_signal = 0;
  /// By which another thread may leave the run off, with exit code 75. Null: none may.
  std::shared_ptr<leave_request> leave = {};
  /// Where to serve the page of this experiment; nothing: nowhere.
  std::optional<peer_address> http;
  /// `--section.key value` in the order given; see `load_request`.
  std::vector<named_text> overrides;
  /// The command that the user called, and its own options, not quoted: lines for the user repeat
  /// them.
  std::string command = "run";
  std::vector<std::string> own_words = {};
  /// Further ones that are of this process alone, so that no line for the user repeats them.
  std::vector<named_text> own_overrides = {};
};

struct resume_request {
  std::string directory;
  resume_mode mode = resume_mode::automatic;
  bool strict = false;
  /// Configurations to be tried as well: a JSON object, or a list of them; empty: none.
  std::string add;
  std::vector<named_text> overrides;
};

struct rerun_request {
  std::string directory;
  /// Nothing: the best.
  std::optional<trial_id> trial;
  std::vector<named_text> overrides;
};

struct ask_tell_request {
  std::string file;
  bool resume = false;
  /// Where to converse by HTTP; nothing: on stdin and stdout.
  std::optional<peer_address> http;
  /// How long clients by HTTP may be silent about a trial before another one gets it. 0: for ever.
  std::chrono::nanoseconds lease{std::chrono::minutes{10}};
  /// `--section.key value` in the order given; see `load_request`.
  std::vector<named_text> overrides;
};

struct attach_request {
  std::string experiment;
  head_addresses head;
  /// Empty: the default directory.
  std::string certs;
  bool insecure_plaintext = false;
  std::string cluster = "default";
  bool strict = false;
};

/// One process of several that a launcher starts with the same words.
struct up_request {
  /// What the leading process runs.
  run_request run;
  /// Nothing: as the launcher's environment tells.
  std::optional<std::uint64_t> rank;
  std::optional<std::uint64_t> size;
  /// Directory on storage that all processes share; empty: beside the experiment's.
  std::string rendezvous;
  /// Address of the head, in the place of a directory; certificates are then given.
  std::optional<peer_address> meet_at;
  /// What each process offers, and how it works for the head.
  worker_request worker;
};

struct launch_request {
  /// What this machine leads.
  run_request run;
  /// Machines, as `ssh_targets_from` reads them; empty: those of `[cluster] hosts`.
  std::string hosts;
  /// The program that connects, with its first words. [not empty]
  std::vector<std::string> ssh;
  /// A program that is there already; empty: this one is copied.
  std::string program;
  /// Where each worker makes its directory; empty: in the machine's directory for temporary files.
  std::string work;
  /// Whether workers dial this machine, in the place of a forwarded port.
  bool is_direct = false;
  /// Whether to run without machines that fail.
  bool is_partial = false;
  /// Options of `worker` for each of them.
  std::vector<std::string> worker_options;
  /// Whether a cluster is to stand there, instead of an experiment to run.
  bool keeps = false;
  /// With `keeps`: where its experiments and its state live; empty: as the file says, or `results`.
  std::string storage;
  /// With `keeps`: whether this machine runs trials, too.
  bool local = true;
};

/// Ends what `launch --keep` left standing.
struct down_request {
  std::string storage = "results";
  /// At once, instead of in order.
  bool is_now = false;
};

struct simulate_request {
  std::string file;
  /// [>= 1]
  std::uint64_t nodes = 1;
  /// Offer of each node; resources left out: enough for one trial.
  offered_request offers;
  /// Nothing: the experiment's seed.
  std::optional<std::uint64_t> seed;
  /// Duration of an iteration where the table has none.
  std::chrono::nanoseconds iteration_time{std::chrono::seconds{1}};
  /// Longest delay of any message.
  std::chrono::nanoseconds latency{0};
  /// Mean time between failures of a node. 0: it never fails.
  std::chrono::nanoseconds node_mtbf{0};
  std::chrono::nanoseconds node_repair{std::chrono::minutes{5}};
  /// Chance that an iteration fails. [0 to 1]
  double trial_failure = 0;
  /// Target value of the first objective; the time when it is reached is reported.
  std::optional<double> target;
  bool strict = false;
  std::vector<named_text> overrides;
};

/// What an experiment that ran would have come to under other rules.
struct whatif_request {
  std::string directory;
  /// Alternatives: a scheduler and its options, as they were written.
  std::vector<std::string> schedulers;
  /// Nothing: the nodes that the experiment had.
  std::optional<std::uint64_t> nodes;
  /// Offer of each of `nodes`; resources left out: enough for one trial.
  offered_request offers;
  /// Further keys, for all alternatives.
  std::vector<named_text> overrides;
};

} // namespace tune::cli

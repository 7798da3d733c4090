/// Every type that is sent between actors of one process and never leaves it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/wire.hpp"
#include "tune/core/cluster/allocation_terms.hpp"
#include "tune/core/experiment/experiment.hpp"
#include "tune/core/trial/program_attempt.hpp"
#include "tune/io/artifacts/artifact_rules.hpp"
#include "tune/io/checkpoint/attempt_directory.hpp"
#include "tune/io/checkpoint/commit_checkpoint.hpp"
#include "tune/io/checkpoint/gather_exports.hpp"
#include "tune/io/store/store_item.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tune {

struct job;

/// Something happened that the experiment must know.
struct news {
  event_body what;
  /// Whether it is an answer that the scheduler deferred when it answered its turn.
  bool was_deferred = false;
};

/// Requests of a client, in order, as events that clients cause. See `experiment::weigh`.
struct client_orders {
  std::vector<event_body> what;
  /// Receives the verdict on each request once that is on disk, or the reason why there is none.
  /// Called once, by the runner between messages, so it must be quick and hand it on.
  std::function<void(expected<std::vector<order_verdict>>)> answer;
};

/// One turn of the runner, for the scheduler: facts in log order, then questions.
struct scheduler_turn {
  std::vector<scheduler_fact> facts;
  std::vector<cmd::judge> judge;
  std::vector<cmd::choose> choose;
  std::vector<cmd::resolve_stall> stalls;
};

/// One turn of the runner, for the searcher.
struct searcher_turn {
  std::vector<searcher_fact> facts;
  std::vector<ask> asks;
};

/// One turn of the runner, for the recorder.
struct record_turn {
  std::vector<store_item> items;
};

/// All events up to `seq` are on disk.
struct durable_up_to {
  sequence seq = 0;
};

/// The recorder cannot write any more.
struct storage_failed {
  error why;
};

/// A trial's request to the cluster.
struct lease_request {
  trial_id trial;
  resource_request what;
  /// Whether to wait where no node known now could ever grant it.
  bool wait = false;
  /// Labels that the trainable's node must bear.
  node_labels labels = {};
  /// A further label, required as long as some node that bears it could ever grant the request; may
  /// be empty.
  std::string best = {};
};
/// Asks whether a trial with such a request could ever start on the nodes that are there.
struct fit_question {
  resource_request what;
  node_labels labels = {};
};
struct lease_cancel {
  trial_id trial;
};
/// Describes what waiting requests of a runner need that no node can ever grant; empty: nothing any
/// more.
struct requests_unmet {
  std::string text;
};
struct lease_refused {
  trial_id trial;
  std::string why;
};

/// A notice for whoever began the experiment.
struct remark {
  std::string text;
  /// Subject: only the first remark of an experiment on each subject is shown; empty: every one is
  /// shown.
  std::string about = {};
};

/// A node offers its resources.
struct node_offer {
  std::string node;
  resources capacity;
  /// Labels of the node: names for its abilities that nodes and requests agree on.
  node_labels labels;
  /// The session under which its silence is noticed; 0: it lives in this process.
  std::uint64_t session = 0;
  /// Id of the worker's process, so that one that comes back is recognised.
  std::string worker = {};
  node_inventory has = {};
  node_route route = {};
  /// Names of its GPUs by index; see `node_settings`.
  std::vector<std::string> devices = {};
};
/// Nothing has been heard of the node of this session for too long.
struct node_silent {
  std::uint64_t session = 0;
  std::string why;
};

/// A node asks for a job that a launch named.
struct job_wanted {
  std::string id;
};
/// The suffix of a rank's output files: empty for rank 0, whose output files are those of the
/// trial.
[[nodiscard]] inline std::string rank_suffix(std::uint32_t rank) {
  return rank == 0 ? std::string{} : ".rank" + std::to_string(rank);
}
/// Identifies a program's output: attempts are numbered by each experiment for itself.
struct output_key {
  std::string job;
  attempt_key attempt;
  std::uint32_t rank = 0;
  friend bool operator<(const output_key& a, const output_key& b) {
    return std::tie(a.job, a.attempt.epoch, a.attempt.counter, a.rank)
           < std::tie(b.job, b.attempt.epoch, b.attempt.counter, b.rank);
  }
};
/// A program begins to print into these files, which must reach the head.
struct output_opened {
  output_key whose;
  std::uint64_t trial = 0;
  std::filesystem::path out;
  std::filesystem::path err;
};
/// The output files may have grown.
struct output_grew {
  output_key whose;
};
/// The output is complete.
struct output_closed {
  output_key whose;
};
/// All of the output is at the head, or why it is not.
struct output_settled {
  std::string why;
};

/// Asks for an attempt to be prepared: its checkpoint is brought here and checked.
struct prepare_attempt {
  attempt_claim who;
  /// The experiment's directory on this node.
  std::filesystem::path directory;
  /// Directory of its checkpoints in memory; empty: none.
  std::filesystem::path in_memory = {};
};
/// The attempt can begin, or why it cannot.
struct attempt_prepared {
  /// The directory below which the attempt writes its checkpoints: that of the experiment, on this
  /// node or where the head keeps it.
  std::filesystem::path checkpoints;
  /// The checkpoint that it is restored from; empty: from scratch.
  std::filesystem::path restore;
  std::string why;
  /// Whether the checkpoint is at fault.
  bool is_bad = false;
  /// If the checkpoint is not at fault: see `launch_declined`.
  bool is_passing = false;
};
/// A directory that an attempt writes into is not needed any more.
struct drop_directory {
  attempt_claim who;
  attempt_directory where;
};
/// A trainable handed over a directory of its own, which is to be copied into a draft.
struct copy_draft {
  attempt_claim who;
  std::filesystem::path from;
  /// The draft; created by the receiver.
  attempt_directory to;
  checkpoint_limits limits = {};
};
struct draft_copied {
  /// Why it was not copied; empty if it was.
  std::string why;
};
/// A checkpoint has been written and is to be made safe.
struct keep_draft {
  attempt_claim who;
  checkpoint_draft what;
  /// Directory used in place of `what.experiment` if there is no room in memory; empty: the
  /// checkpoint is not meant for memory.
  std::filesystem::path on_disk = {};
  /// Limit of everything that the job has in this node's memory. [bytes]
  std::uint64_t room = 0;
};
/// The checkpoint is safe where its head looks for it, or why it is not.
struct draft_kept {
  safe_checkpoint what;
  std::string why;
  /// Whether it exceeds the limits, so that another try will fail as well.
  bool is_too_much = false;
};
/// An attempt is over: its exports become a draft.
struct gather_exported {
  attempt_claim who;
  exported_files what;
};
struct exports_gathered {
  gathered_exports what;
};
/// An attempt is over: the artifacts in its directory are to be brought to the head.
struct keep_artifacts {
  attempt_claim who;
  /// The trial's directory on this node.
  std::filesystem::path directory;
  artifact_rules rules = {};
  /// See `listing_artifacts`.
  std::vector<std::string> except = {};
};
/// The artifacts are at the head.
struct artifacts_kept {
  /// Why they, or some of them, are not; empty: there is nothing to tell.
  std::string why;
};
/// The attempt was ended by force: its saves under way fail, and half-written files are removed.
struct saves_dropped {
  static constexpr const char* why = program_attempt::dropped_text;
  attempt_claim who;
};
/// Removes a paused trial's checkpoint from this node's memory, or all that a job has there, or
/// those of all jobs.
struct forget_paused {
  /// Id of the job; empty: all jobs.
  std::string job;
  /// The job's part of the memory: see `pause_directory`; or all of it.
  std::filesystem::path in_memory;
  /// The checkpoint's location as in `on::saved`; empty: all.
  std::string location;
};
/// Nothing of the attempt runs here any more.
struct attempt_left {
  attempt_claim who;
  std::filesystem::path checkpoints;
};

/// The job, ready to be worked for, or why it is not.
struct job_ready {
  std::shared_ptr<const job> what;
  std::string why;
  /// See `launch_declined`.
  bool is_passing = false;
};

/// The state of a running experiment, for display.
struct runner_status {
  experiment_view view;
  instant at{0};
  /// Running trials, oldest first, at most as many as were asked for.
  struct row {
    trial_id trial;
    config_ptr config;
    std::shared_ptr<const report> last;
    instant since{0};
  };
  std::vector<row> running;
  /// Trials made so far.
  std::uint64_t trials = 0;
  std::uint64_t results = 0;
  /// Describes what trials wait for that no node has; empty: nothing.
  std::string waits_for = {};
};

/// The end of an experiment.
struct run_summary {
  experiment_status status = experiment_status::done;
  std::string why;
  experiment_view view;
  instant elapsed{0};
  /// Set where the storage failed.
  std::string storage_error;
};

} // namespace tune

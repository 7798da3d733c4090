/// Every type that is sent between actors of different processes: those of attempts here, those of
/// nodes in node_messages.hpp. Those that never leave a process are in local_messages.hpp.
///
/// Type ids are only ever appended.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"
#include "tune/actors/node_messages.hpp"
#include "tune/actors/value_codec.hpp"
#include "tune/core/cluster/node_route.hpp"
#include "tune/core/experiment/command.hpp"
#include "tune/core/experiment/event.hpp"
#include "tune/core/resource/placement.hpp"
#include "tune/core/trial/program_attempt.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tune {

/// A configuration or a set of metrics: shared in the process, bytes on the wire.
struct shared_object {
  std::shared_ptr<const object> content;
};

template <class Inspector>
auto inspect(Inspector& f, shared_object& x) {
  return inspect_as_bytes(
      f, "shared_object", x,
      [](const shared_object& y) {
        return y.content == nullptr ? std::string{} : encode(*y.content);
      },
      [](const std::string& bytes, shared_object& y) {
        if (bytes.empty()) {
          y.content = nullptr;
          return true;
        }
        auto read = decode_object(bytes);
        if (!read)
          return false;
        y.content = std::make_shared<const object>(std::move(*read));
        return true;
      });
}

/// The attempt that a message belongs to; messages of an old attempt are dropped.
struct attempt_key {
  std::uint32_t epoch = 0;
  std::uint64_t counter = 0;

  attempt_key() = default;
  attempt_key(attempt_id id) : epoch{id.epoch}, counter{id.counter} {}
  [[nodiscard]] attempt_id id() const { return {epoch, counter}; }
  operator attempt_id() const { return id(); }
};

template <class Inspector>
auto inspect(Inspector& f, attempt_key& x) {
  return inspect_fields(f, "attempt_key", x, field("epoch", x.epoch), field("counter", x.counter));
}

/// The description of one of its bundles that an attempt is given.
struct bundle_info {
  std::string node;
  /// Address at which the nodes of the other bundles reach it; see `addresses_of`. Filled in by the
  /// CLUSTER, like the devices.
  std::string address;
  f64 cpus = 0;
  f64 gpus = 0;
  std::uint64_t memory = 0;
  /// Indices of the GPUs on the node, and the node's names for them.
  std::vector<std::uint32_t> indices;
  std::vector<std::string> devices;
};

template <class Inspector>
auto inspect(Inspector& f, bundle_info& x) {
  return inspect_fields(f, "bundle_info", x, field("node", x.node), field("address", x.address),
                        field("cpus", x.cpus), field("gpus", x.gpus), field("memory", x.memory),
                        field("indices", x.indices), field("devices", x.devices));
}

/// Everything a node needs to start an attempt or one of its ranks.
struct launch_order {
  std::uint64_t trial = 0;
  attempt_key attempt;
  std::uint64_t lease = 0;
  /// Id of the experiment's `job`.
  std::string job;
  shared_object config;
  /// Indices of the GPUs granted, as `CUDA_VISIBLE_DEVICES` wants them.
  std::vector<std::uint32_t> gpus;
  f64 cpus = 1;
  f64 gpu_amount = 0;
  std::uint64_t memory = 0;
  /// Checkpoint directory relative to the experiment's; empty: from scratch.
  std::string restore_from;
  std::uint64_t iteration = 0;
  std::int64_t time_total_ns = 0;
  /// Proves to the head that it launched the attempt there: see `launch_token_of`.
  std::string launch_token;
  /// Counts the launches of the cluster on this node, from 1: see `node_inventory`.
  std::uint64_t turn = 0;
  /// The session of the node that the order is meant for; 0 on the head's own. In another session
  /// the order has no effect.
  std::uint64_t session = 0;
  /// All bundles of the attempt, in order.
  std::vector<bundle_info> bundles = {};
  /// Number of ranks, one per bundle; 0: a single process has all bundles.
  std::uint32_t ranks = 0;
  /// The rank that this order launches. Rank 0 reports and saves.
  std::uint32_t rank = 0;
  /// Port on the node of rank 0 where the ranks meet; 0: that node is to choose it.
  std::uint16_t port = 0;
  /// The trial has come to its end: the attempt only makes its exports.
  bool ends = false;
  /// The head before this one launched the attempt. Known to the head alone.
  bool is_awaited = false;
  /// See `cmd::launch`.
  shared_object costs = {};
  /// See `cmd::launch`.
  bool lacks_objective = false;
};

template <class Inspector>
auto inspect(Inspector& f, launch_order& x) {
  return inspect_fields(
      f, "launch_order", x, field("trial", x.trial), field("attempt", x.attempt),
      field("lease", x.lease), field("job", x.job), field("config", x.config),
      field("gpus", x.gpus), field("cpus", x.cpus), field("gpu_amount", x.gpu_amount),
      field("memory", x.memory), field("restore_from", x.restore_from),
      field("iteration", x.iteration), field("time_total_ns", x.time_total_ns),
      field("launch_token", x.launch_token), field("turn", x.turn), field("session", x.session),
      field("bundles", x.bundles), field("ranks", x.ranks), field("rank", x.rank),
      field("port", x.port), field("ends", x.ends), field("costs", x.costs),
      field("lacks_objective", x.lacks_objective));
}

/// Identifies the attempt that asks for something about checkpoints, in the terms of its launch.
struct attempt_claim {
  std::string job;
  std::uint64_t trial = 0;
  attempt_key attempt;
  /// The rank that speaks; 0 where the attempt has no ranks.
  std::uint32_t rank = 0;
  std::string restore_from;
  std::string launch_token;

  attempt_claim() = default;
  explicit attempt_claim(const launch_order& of)
      : job{of.job}
      , trial{of.trial}
      , attempt{of.attempt}
      , rank{of.rank}
      , restore_from{of.restore_from}
      , launch_token{of.launch_token} {}
};

template <class Inspector>
auto inspect(Inspector& f, attempt_claim& x) {
  return inspect_fields(f, "attempt_claim", x, field("job", x.job), field("trial", x.trial),
                        field("attempt", x.attempt), field("rank", x.rank),
                        field("restore_from", x.restore_from),
                        field("launch_token", x.launch_token));
}

/// The trainable's process or thread runs, or has begun its exports.
struct attempt_started {
  attempt_key attempt;
  std::int64_t pid = 0;
  /// Port where its ranks meet; 0: there are none.
  std::uint16_t port = 0;
  /// See `on::started`.
  bool exports = false;
};

template <class Inspector>
auto inspect(Inspector& f, attempt_started& x) {
  return inspect_fields(f, "attempt_started", x, field("attempt", x.attempt), field("pid", x.pid),
                        field("port", x.port), field("exports", x.exports));
}

/// A report of the trainable; the trial adds its own id.
struct attempt_report {
  attempt_key attempt;
  std::uint64_t number = 0;
  std::uint64_t iteration = 0;
  std::int64_t time_this_iter_ns = 0;
  std::int64_t time_total_ns = 0;
  std::int64_t timestamp_ms = 0;
  std::int64_t pid = 0;
  bool done = false;
  bool has_checkpoint = false;
  shared_object metrics;
  /// Remarks for people, in pairs: the subject, then the text.
  std::vector<std::string> remarks = {};
  /// The trial trained on without the answer, since its head was away.
  bool trained_on = false;
};

template <class Inspector>
auto inspect(Inspector& f, attempt_report& x) {
  return inspect_fields(
      f, "attempt_report", x, field("attempt", x.attempt), field("number", x.number),
      field("iteration", x.iteration), field("time_this_iter_ns", x.time_this_iter_ns),
      field("time_total_ns", x.time_total_ns), field("timestamp_ms", x.timestamp_ms),
      field("pid", x.pid), field("done", x.done), field("has_checkpoint", x.has_checkpoint),
      field("metrics", x.metrics), field("remarks", x.remarks), field("trained_on", x.trained_on));
}
TUNE_INSPECT_ENUM(answer_kind)

/// The answer to a trainable's report `number`.
struct attempt_answer {
  attempt_key attempt;
  std::uint64_t number = 0;
  answer_kind kind = answer_kind::go_on;
  /// Reports up to this iteration need no answer.
  std::uint64_t until = 0;
  /// The checkpoint to write, for the two kinds of save.
  std::uint64_t checkpoint = 0;
  /// See `cmd::save`.
  bool in_memory = false;
  bool exports = false;
};

template <class Inspector>
auto inspect(Inspector& f, attempt_answer& x) {
  return inspect_fields(f, "attempt_answer", x, field("attempt", x.attempt),
                        field("number", x.number), field("kind", x.kind), field("until", x.until),
                        field("checkpoint", x.checkpoint), field("in_memory", x.in_memory),
                        field("exports", x.exports));
}

/// A checkpoint is complete and safe on disk, or in this node's memory.
struct attempt_saved {
  attempt_key attempt;
  /// Number of the checkpoint; 0: it was handed over unasked.
  std::uint64_t checkpoint = 0;
  std::uint64_t iteration = 0;
  std::int64_t time_total_ns = 0;
  /// As in `on::saved`.
  std::string location;
  std::uint64_t bytes = 0;
};

template <class Inspector>
auto inspect(Inspector& f, attempt_saved& x) {
  return inspect_fields(f, "attempt_saved", x, field("attempt", x.attempt),
                        field("checkpoint", x.checkpoint), field("iteration", x.iteration),
                        field("time_total_ns", x.time_total_ns), field("location", x.location),
                        field("bytes", x.bytes));
}

struct attempt_save_failed {
  attempt_key attempt;
  /// This and the next three fields as in `on::save_failed`.
  std::uint64_t checkpoint = 0;
  std::string why;
  std::uint64_t iteration = 0;
  bool unable = false;
};

template <class Inspector>
auto inspect(Inspector& f, attempt_save_failed& x) {
  return inspect_fields(f, "attempt_save_failed", x, field("attempt", x.attempt),
                        field("checkpoint", x.checkpoint), field("why", x.why),
                        field("iteration", x.iteration), field("unable", x.unable));
}

/// The exports of a trainable lie in a directory that is safe on disk, or there are none; see
/// `on::exported`. The three lists are of one length.
struct attempt_exported {
  attempt_key attempt;
  std::string location;
  std::uint64_t bytes = 0;
  std::vector<std::string> formats;
  std::vector<std::string> paths;
  std::vector<std::string> whys;
};

template <class Inspector>
auto inspect(Inspector& f, attempt_exported& x) {
  return inspect_fields(f, "attempt_exported", x, field("attempt", x.attempt),
                        field("location", x.location), field("bytes", x.bytes),
                        field("formats", x.formats), field("paths", x.paths),
                        field("whys", x.whys));
}

/// The attempt is over; its process or thread is gone.
struct attempt_ended {
  attempt_key attempt;
  /// An `end_class`.
  std::uint8_t how = 0;
  std::string detail;
  bool has_status = false;
  std::int32_t exit_status = 0;
  /// See `on::ended`.
  bool came_late = false;
  /// As in `attempt_report`.
  std::vector<std::string> remarks = {};
  /// See `on::ended`.
  shared_object costs = {};
};

template <class Inspector>
auto inspect(Inspector& f, attempt_ended& x) {
  return inspect_fields(f, "attempt_ended", x, field("attempt", x.attempt), field("how", x.how),
                        field("detail", x.detail), field("has_status", x.has_status),
                        field("exit_status", x.exit_status), field("came_late", x.came_late),
                        field("remarks", x.remarks), field("costs", x.costs));
}

/// Ends the attempt: 0 stop, 1 release, 2 kill (`halt_mode`).
struct attempt_halt {
  attempt_key attempt;
  std::uint8_t how = 0;
  /// See `cmd::halt`.
  bool exports = false;
};

template <class Inspector>
auto inspect(Inspector& f, attempt_halt& x) {
  return inspect_fields(f, "attempt_halt", x, field("attempt", x.attempt), field("how", x.how),
                        field("exports", x.exports));
}

/// Confirms the numbered messages of an attempt on another node up to `upto`: the attempt proxy
/// need not keep them.
struct words_heard {
  attempt_key attempt;
  std::uint64_t upto = 0;
};

template <class Inspector>
auto inspect(Inspector& f, words_heard& x) {
  return inspect_fields(f, "words_heard", x, field("attempt", x.attempt), field("upto", x.upto));
}

} // namespace tune

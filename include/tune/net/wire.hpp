/// Every type that is sent between nodes about files, and its form on the wire.
///
/// Type ids are only ever appended (tune/net/actors.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/wire.hpp"
#include "tune/io/files/file_manifest.hpp"
#include "tune/io/files/laid_files.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace tune {

// -- Between package client and package server: these cross the wire. Numbers are the package
// client's; an answer bears
//    the number of its question, and one whose number is not expected any more is dropped.

/// What is this job?
struct job_request {
  std::uint64_t number = 0;
  std::string job;
};

template <class Inspector>
auto inspect(Inspector& f, job_request& x) {
  return inspect_fields(f, "job_request", x, field("number", x.number), field("job", x.job));
}

/// The job's record, and the content that is its manifest as JSON.
struct job_found {
  std::uint64_t number = 0;
  std::string record;
  std::string manifest_hash;
  std::uint64_t manifest_size = 0;
};

template <class Inspector>
auto inspect(Inspector& f, job_found& x) {
  return inspect_fields(f, "job_found", x, field("number", x.number), field("record", x.record),
                        field("manifest_hash", x.manifest_hash),
                        field("manifest_size", x.manifest_size));
}

/// There is no such job.
struct job_failed {
  std::uint64_t number = 0;
  std::string why;
};

template <class Inspector>
auto inspect(Inspector& f, job_failed& x) {
  return inspect_fields(f, "job_failed", x, field("number", x.number), field("why", x.why));
}

/// A piece of a content, please.
struct chunk_request {
  std::uint64_t number = 0;
  /// SHA-256 of the whole content.
  std::string hash;
  std::uint64_t offset = 0;
  /// Bytes; fewer only come where the content ends. [1 .. max_chunk_bytes]
  std::uint32_t size = 0;
};

template <class Inspector>
auto inspect(Inspector& f, chunk_request& x) {
  return inspect_fields(f, "chunk_request", x, field("number", x.number), field("hash", x.hash),
                        field("offset", x.offset), field("size", x.size));
}

/// The piece.
struct chunk {
  std::uint64_t number = 0;
  std::string hash;
  std::uint64_t offset = 0;
  /// The content ends with it.
  bool last = false;
  std::string bytes;
};

template <class Inspector>
auto inspect(Inspector& f, chunk& x) {
  return inspect_fields(f, "chunk", x, field("number", x.number), field("hash", x.hash),
                        field("offset", x.offset), field("last", x.last), field("bytes", x.bytes));
}

/// The piece cannot be had, now or later.
struct chunk_failed {
  std::uint64_t number = 0;
  std::string hash;
  std::string why;
};

template <class Inspector>
auto inspect(Inspector& f, chunk_failed& x) {
  return inspect_fields(f, "chunk_failed", x, field("number", x.number), field("hash", x.hash),
                        field("why", x.why));
}

/// What a package server puts into one message at most.
inline constexpr std::uint32_t max_chunk_bytes = 1024 * 1024;
/// Bytes of a job's record, which travels in one message.
inline constexpr std::size_t max_record_bytes = 4 * 1024 * 1024;

// -- Between the output of a remote trial and its head: these cross the wire.

/// The two streams of a program.
enum class output_stream : std::uint8_t { out, err };
TUNE_INSPECT_ENUM(output_stream)

/// A piece of what one attempt printed.
struct output_piece {
  /// The sender's, for the answer.
  std::uint64_t number = 0;
  std::string job;
  std::uint64_t trial = 0;
  attempt_key attempt;
  output_stream stream = output_stream::out;
  /// From the beginning of the attempt. [bytes]
  std::uint64_t offset = 0;
  std::string bytes;
  /// Of the attempt's processes.
  std::uint32_t rank = 0;
};

template <class Inspector>
auto inspect(Inspector& f, output_piece& x) {
  return inspect_fields(f, "output_piece", x, field("number", x.number), field("job", x.job),
                        field("trial", x.trial), field("attempt", x.attempt),
                        field("stream", x.stream), field("offset", x.offset),
                        field("bytes", x.bytes), field("rank", x.rank));
}

struct piece_taken {
  std::uint64_t number = 0;
  /// Why it is not in the file; empty if it is. No more will be taken of this stream.
  std::string why;
};

template <class Inspector>
auto inspect(Inspector& f, piece_taken& x) {
  return inspect_fields(f, "piece_taken", x, field("number", x.number), field("why", x.why));
}

// -- Between a worker's checkpoints and their head: these cross the wire. Numbers are the worker's,
//    one for each question and each checkpoint on its way; what bears a number that is not expected
//    any more is dropped. A checkpoint travels as a stream:
//    tune/io/checkpoint/checkpoint_stream.hpp.

/// Where does the head keep the experiment?
struct storage_question {
  std::uint64_t number = 0;
  attempt_claim who;
};

template <class Inspector>
auto inspect(Inspector& f, storage_question& x) {
  return inspect_fields(f, "storage_question", x, field("number", x.number), field("who", x.who));
}

struct storage_answer {
  std::uint64_t number = 0;
  /// The experiment's directory, and what lies in it: who finds that there shares the storage.
  std::string directory;
  std::string token;
  std::string why;
};

template <class Inspector>
auto inspect(Inspector& f, storage_answer& x) {
  return inspect_fields(f, "storage_answer", x, field("number", x.number),
                        field("directory", x.directory), field("token", x.token),
                        field("why", x.why));
}

/// A `stream_outline`, as it travels.
struct outline_message {
  std::string manifest_hash;
  std::uint64_t manifest_size = 0;
  std::uint64_t bytes = 0;
};

template <class Inspector>
auto inspect(Inspector& f, outline_message& x) {
  return inspect_fields(f, "outline_message", x, field("manifest_hash", x.manifest_hash),
                        field("manifest_size", x.manifest_size), field("bytes", x.bytes));
}

/// An attempt has written a checkpoint: the head may ask for its pieces.
struct checkpoint_offer {
  std::uint64_t number = 0;
  attempt_claim who;
  /// Which one of the attempt. 0: no checkpoint, but what the attempt wrote beside.
  std::uint64_t sequence = 0;
  outline_message stream;
};

template <class Inspector>
auto inspect(Inspector& f, checkpoint_offer& x) {
  return inspect_fields(f, "checkpoint_offer", x, field("number", x.number), field("who", x.who),
                        field("sequence", x.sequence), field("stream", x.stream));
}

/// It is safe at the head, or why it is not.
struct checkpoint_settled {
  std::uint64_t number = 0;
  std::string why;
};

template <class Inspector>
auto inspect(Inspector& f, checkpoint_settled& x) {
  return inspect_fields(f, "checkpoint_settled", x, field("number", x.number), field("why", x.why));
}

/// An attempt is to go on from the checkpoint that its claim names.
struct checkpoint_wanted {
  std::uint64_t number = 0;
  attempt_claim who;
};

template <class Inspector>
auto inspect(Inspector& f, checkpoint_wanted& x) {
  return inspect_fields(f, "checkpoint_wanted", x, field("number", x.number), field("who", x.who));
}

/// The worker may ask for its pieces, or why not.
struct checkpoint_found {
  std::uint64_t number = 0;
  outline_message stream;
  std::string why;
  /// The checkpoint is at fault.
  bool is_bad = false;
  /// The head lacks something for now, descriptors for instance: neither checkpoint nor node is at
  /// fault.
  bool is_passing = false;
};

template <class Inspector>
auto inspect(Inspector& f, checkpoint_found& x) {
  return inspect_fields(f, "checkpoint_found", x, field("number", x.number),
                        field("stream", x.stream), field("why", x.why), field("is_bad", x.is_bad),
                        field("is_passing", x.is_passing));
}

/// The worker wants no more of what it offered or asked for.
struct checkpoint_dropped {
  std::uint64_t number = 0;
};

template <class Inspector>
auto inspect(Inspector& f, checkpoint_dropped& x) {
  return inspect_fields(f, "checkpoint_dropped", x, field("number", x.number));
}

/// A piece of a checkpoint that the other side has, please.
struct piece_wanted {
  std::uint64_t number = 0;
  std::uint64_t offset = 0;
  /// [1 .. max_chunk_bytes]
  std::uint32_t size = 0;
};

template <class Inspector>
auto inspect(Inspector& f, piece_wanted& x) {
  return inspect_fields(f, "piece_wanted", x, field("number", x.number), field("offset", x.offset),
                        field("size", x.size));
}

struct checkpoint_piece {
  std::uint64_t number = 0;
  std::uint64_t offset = 0;
  std::string bytes;
  /// Why it cannot be had, and no other either; empty if it is here.
  std::string why;
  /// Whoever was asked lacks something for now: see `checkpoint_found`.
  bool is_passing = false;
};

template <class Inspector>
auto inspect(Inspector& f, checkpoint_piece& x) {
  return inspect_fields(f, "checkpoint_piece", x, field("number", x.number),
                        field("offset", x.offset), field("bytes", x.bytes), field("why", x.why),
                        field("is_passing", x.is_passing));
}

// -- Signs of life: these cross the wire.

/// A node lives, and hears its head, or not.
struct heartbeat {
  /// Its ticket.
  std::uint64_t session = 0;
  /// Its lease has run out: it waits to be told what may go on.
  bool is_frozen = false;
};

template <class Inspector>
auto inspect(Inspector& f, heartbeat& x) {
  return inspect_fields(f, "heartbeat", x, field("session", x.session),
                        field("is_frozen", x.is_frozen));
}

// -- Within one process.

/// A job that a package server shall give out.
struct job_offer {
  /// Names a directory at the worker. [1 to 128 of letters, digits, '-' and '_']
  std::string job;
  /// What a node must know of the job besides its files; opaque here.
  std::string record;
  file_manifest manifest;
  /// Where the manifest's files are.
  std::filesystem::path root;
};

/// The directory of a job on the head.
struct job_place {
  std::string job;
  std::filesystem::path directory;
  /// Of each of its checkpoints.
  checkpoint_limits limits = {};
  /// Of what comes beside them.
  artifact_rules artifacts = {};
};

/// The job is over at its head.
struct job_withdrawn {
  std::string job;
};

/// Brings all that a job needs to this node.
struct fetch_job {
  std::string job;
};

/// Who fetched the job works for it no more. One for each `fetch_job`.
struct job_dropped {
  std::string job;
};

/// A job that is on this node, or why it is not.
struct fetched_job {
  std::string job;
  std::string record;
  /// Where the files are.
  std::filesystem::path directory;
  /// Empty on success; else nothing but this, its kind and `job` is meaningful.
  std::string why;
  /// `ec::unreadable`: the files are not, or no longer, what was offered; `ec::storage`: the disk
  /// here; `ec::shortage`: this machine has no descriptor for them now; `ec::unreachable`: whoever
  /// has them does not give them.
  ec kind = ec::unreachable;
  /// What lies in `directory`.
  std::shared_ptr<const laid_files> files = {};
};

} // namespace tune

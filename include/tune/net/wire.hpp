/// All types about files that are sent between nodes, and their form on the wire.
///
/// Type ids are only ever appended (tune/net/actors.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/wire.hpp"
#include "tune/io/artifacts/artifact_rules.hpp"
#include "tune/io/checkpoint/checkpoint_limits.hpp"
#include "tune/io/files/file_manifest.hpp"
#include "tune/io/files/laid_files.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace tune {

// -- Between package client and package server: these cross the wire. Numbers are the package
//       client's; an answer bears the number of its question, and one whose number is not expected
//       any more is dropped.

/// Asks for a job.
struct job_request {
  std::uint64_t number = 0;
  std::string job;
};

template <class Inspector>
auto inspect(Inspector& f, job_request& x) {
  return inspect_fields(f, "job_request", x, field("number", x.number), field("job", x.job));
}

/// Answer: the job's record, and hash and size of its manifest as JSON.
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

/// Answer: there is no such job.
struct job_failed {
  std::uint64_t number = 0;
  std::string why;
};

template <class Inspector>
auto inspect(Inspector& f, job_failed& x) {
  return inspect_fields(f, "job_failed", x, field("number", x.number), field("why", x.why));
}

/// Asks for a piece of a content.
struct chunk_request {
  std::uint64_t number = 0;
  /// SHA-256 of the whole content.
  std::string hash;
  std::uint64_t offset = 0;
  /// Bytes; fewer are sent only where the content ends. [1 .. max_chunk_bytes]
  std::uint32_t size = 0;
};

template <class Inspector>
auto inspect(Inspector& f, chunk_request& x) {
  return inspect_fields(f, "chunk_request", x, field("number", x.number), field("hash", x.hash),
                        field("offset", x.offset), field("size", x.size));
}

/// Answer: the piece.
struct chunk {
  std::uint64_t number = 0;
  std::string hash;
  std::uint64_t offset = 0;
  /// True if the content ends with this piece.
  bool last = false;
  std::string bytes;
};

template <class Inspector>
auto inspect(Inspector& f, chunk& x) {
  return inspect_fields(f, "chunk", x, field("number", x.number), field("hash", x.hash),
                        field("offset", x.offset), field("last", x.last), field("bytes", x.bytes));
}

/// Answer: the piece is not available, now or later.
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

/// Largest piece that a package server puts into one message.
inline constexpr std::uint32_t max_chunk_bytes = 1024 * 1024;
/// Largest record of a job, which travels in one message.
inline constexpr std::size_t max_record_bytes = 4 * 1024 * 1024;

// -- Between the output of a remote trial and its head: these cross the wire.

/// The two streams of a program.
enum class output_stream : std::uint8_t { out, err };
TUNE_INSPECT_ENUM(output_stream)

/// Largest piece of what an attempt printed. [bytes]
inline constexpr std::size_t output_piece_bytes = 256 * 1024;

/// A piece of what one attempt printed; an empty one that asks nothing is the end of its stream.
struct output_piece {
  /// Number chosen by the sender, repeated in the answer.
  std::uint64_t number = 0;
  std::string job;
  std::uint64_t trial = 0;
  attempt_key attempt;
  output_stream stream = output_stream::out;
  /// Position from the beginning of the attempt. [bytes]
  std::uint64_t offset = 0;
  std::string bytes;
  /// Rank of the printing process within the attempt.
  std::uint32_t rank = 0;
  /// Asks where the attempt begins in the head's file; nothing is written.
  bool is_question = false;
  /// The answer to that question, so that the next head knows how much of a piece, whose answer was
  /// lost with the head before it, is in the file already. [bytes]
  std::uint64_t begin = 0;
};

template <class Inspector>
auto inspect(Inspector& f, output_piece& x) {
  return inspect_fields(f, "output_piece", x, field("number", x.number), field("job", x.job),
                        field("trial", x.trial), field("attempt", x.attempt),
                        field("stream", x.stream), field("offset", x.offset),
                        field("bytes", x.bytes), field("rank", x.rank),
                        field("is_question", x.is_question), field("begin", x.begin));
}

struct piece_taken {
  std::uint64_t number = 0;
  /// Why the piece is not in the file; empty if it is. No more is taken of this stream then.
  std::string why;
  /// Position of the attempt's first byte in the file, modulo 2^64: a file that was replaced may
  /// lack the attempt's first bytes.
  std::uint64_t begin = 0;
};

template <class Inspector>
auto inspect(Inspector& f, piece_taken& x) {
  return inspect_fields(f, "piece_taken", x, field("number", x.number), field("why", x.why),
                        field("begin", x.begin));
}

// -- Between a worker's checkpoints and their head: these cross the wire. Numbers are the worker's,
//       one for each question and each checkpoint on its way; a message whose number is not
//    expected
//       any more is dropped. A checkpoint travels as a stream:
//       tune/io/checkpoint/checkpoint_stream.hpp.

/// Asks where the head keeps the experiment.
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
  /// The experiment's directory, and a token in it: a worker that finds the token there shares the
  /// storage.
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

/// Offers a checkpoint that an attempt has written: the head may ask for its pieces.
struct checkpoint_offer {
  std::uint64_t number = 0;
  attempt_claim who;
  /// Number of the checkpoint within the attempt. 0: artifacts instead of a checkpoint.
  std::uint64_t sequence = 0;
  outline_message stream;
};

template <class Inspector>
auto inspect(Inspector& f, checkpoint_offer& x) {
  return inspect_fields(f, "checkpoint_offer", x, field("number", x.number), field("who", x.who),
                        field("sequence", x.sequence), field("stream", x.stream));
}

/// The offered checkpoint is safe at the head, or why it is not.
struct checkpoint_settled {
  std::uint64_t number = 0;
  std::string why;
};

template <class Inspector>
auto inspect(Inspector& f, checkpoint_settled& x) {
  return inspect_fields(f, "checkpoint_settled", x, field("number", x.number), field("why", x.why));
}

/// Asks for the checkpoint that the claim names, from which an attempt is to go on.
struct checkpoint_wanted {
  std::uint64_t number = 0;
  attempt_claim who;
};

template <class Inspector>
auto inspect(Inspector& f, checkpoint_wanted& x) {
  return inspect_fields(f, "checkpoint_wanted", x, field("number", x.number), field("who", x.who));
}

/// Answer: the worker may ask for pieces of the checkpoint, or why not.
struct checkpoint_found {
  std::uint64_t number = 0;
  outline_message stream;
  std::string why;
  /// True if the checkpoint is at fault.
  bool is_bad = false;
  /// True if the head lacks something for now, descriptors for instance: neither checkpoint nor
  /// node is at fault.
  bool is_passing = false;
};

template <class Inspector>
auto inspect(Inspector& f, checkpoint_found& x) {
  return inspect_fields(f, "checkpoint_found", x, field("number", x.number),
                        field("stream", x.stream), field("why", x.why), field("is_bad", x.is_bad),
                        field("is_passing", x.is_passing));
}

/// The worker no longer needs what it offered or asked for.
struct checkpoint_dropped {
  std::uint64_t number = 0;
};

template <class Inspector>
auto inspect(Inspector& f, checkpoint_dropped& x) {
  return inspect_fields(f, "checkpoint_dropped", x, field("number", x.number));
}

/// Asks for a piece of a checkpoint that the other side has.
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
  /// Why neither this piece nor any other is available; empty if the piece is here.
  std::string why;
  /// True if whoever was asked lacks something for now: see `checkpoint_found`.
  bool is_passing = false;
};

template <class Inspector>
auto inspect(Inspector& f, checkpoint_piece& x) {
  return inspect_fields(f, "checkpoint_piece", x, field("number", x.number),
                        field("offset", x.offset), field("bytes", x.bytes), field("why", x.why),
                        field("is_passing", x.is_passing));
}

// -- Signs of life: these cross the wire.

/// Sign of life of a node, which says whether the node hears its head.
struct heartbeat {
  /// Ticket of the node.
  std::uint64_t session = 0;
  /// True if the node's lease has run out: it waits to be told what may go on.
  bool is_frozen = false;
};

template <class Inspector>
auto inspect(Inspector& f, heartbeat& x) {
  return inspect_fields(f, "heartbeat", x, field("session", x.session),
                        field("is_frozen", x.is_frozen));
}

// -- Within one process.

/// A job for a package server to give out.
struct job_offer {
  /// Id of the job; names a directory at the worker. [1 to 128 of letters, digits, '-' and '_']
  std::string job;
  /// Information that a node needs besides the job's files; opaque here.
  std::string record;
  file_manifest manifest;
  /// Directory of the manifest's files.
  std::filesystem::path root;
};

/// The directory of a job on the head.
struct job_place {
  std::string job;
  std::filesystem::path directory;
  /// Limits of each checkpoint of the job.
  checkpoint_limits limits = {};
  /// Rules for artifacts of the job.
  artifact_rules artifacts = {};
  /// Limit on each output file of a trial. [bytes]
  std::uint64_t output_cap = 64 * 1024 * 1024;
};

/// The job is over at its head.
struct job_withdrawn {
  std::string job;
};

/// Asks to bring all that a job needs to this node.
struct fetch_job {
  std::string job;
};

/// The fetched job is no longer used. Sent once for each `fetch_job`.
struct job_dropped {
  std::string job;
};

/// A job that is on this node, or why it is not.
struct fetched_job {
  std::string job;
  std::string record;
  /// Directory of the files.
  std::filesystem::path directory;
  /// Empty on success; otherwise only this, `kind` and `job` are meaningful.
  std::string why;
  /// `ec::unreadable`: the files are not, or no longer, what was offered; `ec::storage`: the disk
  /// here failed; `ec::shortage`: this machine has no descriptor for them now; `ec::unreachable`:
  /// whoever has the files does not send them.
  ec kind = ec::unreachable;
  /// Files in `directory`.
  std::shared_ptr<const laid_files> files = {};
};

} // namespace tune

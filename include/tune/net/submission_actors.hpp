/// Interfaces and messages between clients and a standing head, and within the head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/actors.hpp"
#include "tune/net/client_messages.hpp"

#include <cstdint>
#include <string>

namespace tune {

// -- Between client and head: these cross the wire. Texts are JSON: tune/net/client_messages.hpp.

/// An experiment for the head: a `submission_message`.
struct submission {
  /// Number chosen by the client, repeated in the answer.
  std::uint64_t number = 0;
  std::string text;
};

template <class Inspector>
auto inspect(Inspector& f, submission& x) {
  return inspect_fields(f, "submission", x, field("number", x.number), field("text", x.text));
}

/// A question of a client: a `client_request`.
struct client_question {
  std::uint64_t number = 0;
  std::string text;
};

template <class Inspector>
auto inspect(Inspector& f, client_question& x) {
  return inspect_fields(f, "client_question", x, field("number", x.number), field("text", x.text));
}

/// The answer to the submission or question of this number.
struct client_answer {
  std::uint64_t number = 0;
  std::string text;
};

template <class Inspector>
auto inspect(Inspector& f, client_answer& x) {
  return inspect_fields(f, "client_answer", x, field("number", x.number), field("text", x.text));
}

/// A `remote_command` for the head. Answered by one `remote_output`, as is each `output_wanted`.
struct command_wanted {
  /// The client's; the command is called by it until it has ended.
  std::uint64_t number = 0;
  std::string text;
};

template <class Inspector>
auto inspect(Inspector& f, command_wanted& x) {
  return inspect_fields(f, "command_wanted", x, field("number", x.number), field("text", x.text));
}

/// The client is ready for the next piece of a command's output.
struct output_wanted {
  std::uint64_t number = 0;
};

template <class Inspector>
auto inspect(Inspector& f, output_wanted& x) {
  return inspect_fields(f, "output_wanted", x, field("number", x.number));
}

/// Some output of a command; empty where there was none for a while.
struct remote_output {
  std::uint64_t number = 0;
  /// Any bytes, for stdout; and for stderr.
  std::string out;
  std::string err;
  /// The command has ended, with this exit status.
  bool has_ended = false;
  std::int32_t status = 0;
  /// The command was not carried out: the code of an `error`, whose text is `err`; 0: it was.
  std::int32_t refused = 0;
};

template <class Inspector>
auto inspect(Inspector& f, remote_output& x) {
  return inspect_fields(f, "remote_output", x, field("number", x.number), field("out", x.out),
                        field("err", x.err), field("has_ended", x.has_ended),
                        field("status", x.status), field("refused", x.refused));
}

/// The experiment is over and on disk, and its name is free again.
struct experiment_ended {
  std::uint64_t key = 0;
  /// How the experiment ended; opaque here.
  std::string text;
  /// True if rows can be asked for.
  bool has_rows = false;
};

template <class Inspector>
auto inspect(Inspector& f, experiment_ended& x) {
  return inspect_fields(f, "experiment_ended", x, field("key", x.key), field("text", x.text),
                        field("has_rows", x.has_rows));
}

/// A client that was welcomed with this ticket asks for the submission server.
struct submission_wanted {
  std::uint64_t ticket = 0;
};

template <class Inspector>
auto inspect(Inspector& f, submission_wanted& x) {
  return inspect_fields(f, "submission_wanted", x, field("ticket", x.ticket));
}

/// A FOLLOWER is a client that is told about its experiment.
using follower_actor = typed_actor<
    // Answers to its submission and its questions.
    caf::result<void>(client_answer),
    // Once per submission that was taken.
    caf::result<void>(experiment_ended),
    // To its commands.
    caf::result<void>(remote_output)>;

/// The SUBMISSION SERVER takes experiments from clients and answers questions about them. One per
/// standing head.
using submission_server_actor = typed_actor<
    // Fetches the job from the client's package server and runs it. Answers once it runs, or why
    // not.
    caf::result<void>(submission, package_server_actor, follower_actor),
    // Answers in the same order.
    caf::result<void>(client_question, follower_actor),
    // Carries a command out, and goes on with one.
    caf::result<void>(command_wanted, follower_actor),
    caf::result<void>(output_wanted, follower_actor)>;

/// The NODE REGISTRY of a standing head, as clients that were welcomed see it.
using entrance_actor = extend<node_registry_actor,
                              // Answers with the submission server.
                              caf::result<submission_server_actor>(submission_wanted)>;

// -- Within the head.

/// Result of starting an experiment.
struct start_result {
  /// Answer for the client: a `submission_taken`, or an error.
  std::string text;
  bool is_taken = false;
  /// Name of the experiment: differs from the one asked for if the head adds a number.
  std::string experiment = {};
};

/// A JOB SUPERVISOR runs one experiment for the submission server: it may block, and only the
/// submission server knows it. Told to go when nobody follows the experiment any more.
using job_supervisor_actor = typed_actor<
    // Begins; the submission server is told of the end by `experiment_ended`.
    caf::result<start_result>(run_atom),
    // Answers in JSON.
    caf::result<std::string>(client_request),
    // Leaves off in order, since the head goes.
    caf::result<void>(leave_atom)>;

/// A COMMAND RUNNER carries out one command for a client: it may block, and only the submission
/// server knows it. Told to go when nobody wants to hear of it any more.
using command_runner_actor = typed_actor<
    // Answers with the next piece of output, as soon as there is any, or after a second.
    caf::result<remote_output>(tick_atom)>;

/// The SUBMISSION SERVER as its own process sees it.
using submission_server_local_actor = extend<submission_server_actor,
                                             // Sent by a job supervisor.
                                             caf::result<void>(experiment_ended),
                                             // Takes no more experiments; lets all leave off;
                                             // answers when they have.
                                             caf::result<std::uint64_t>(drain_atom),
                                             // Goes on with the experiments of the head before
                                             // this one; answers when each runs, or cannot.
                                             caf::result<std::uint64_t>(run_atom),
                                             // Its own timer's.
                                             caf::result<void>(tick_atom)>;

} // namespace tune

CAF_BEGIN_TYPE_ID_BLOCK(tune_submission_types, caf::id_block::tune_net_types::end)
// Types that cross the wire.
CAF_ADD_TYPE_ID(tune_submission_types, (tune::submission))
CAF_ADD_TYPE_ID(tune_submission_types, (tune::client_question))
CAF_ADD_TYPE_ID(tune_submission_types, (tune::client_answer))
CAF_ADD_TYPE_ID(tune_submission_types, (tune::experiment_ended))
CAF_ADD_TYPE_ID(tune_submission_types, (tune::command_wanted))
CAF_ADD_TYPE_ID(tune_submission_types, (tune::output_wanted))
CAF_ADD_TYPE_ID(tune_submission_types, (tune::remote_output))
CAF_ADD_TYPE_ID(tune_submission_types, (tune::submission_wanted))
CAF_ADD_TYPE_ID(tune_submission_types, (tune::follower_actor))
CAF_ADD_TYPE_ID(tune_submission_types, (tune::submission_server_actor))
CAF_END_TYPE_ID_BLOCK(tune_submission_types)

// Types that never leave the process.
TUNE_BEGIN_LOCAL_TYPES(tune_submission_local)
TUNE_LOCAL_TYPE(tune_submission_local, tune::start_result)
TUNE_LOCAL_TYPE(tune_submission_local, tune::client_request)
TUNE_LOCAL_HANDLE(tune_submission_local, tune::entrance_actor)
TUNE_END_LOCAL_TYPES(tune_submission_local)

/// Who speaks which messages between clients and a standing head, and within it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/actors.hpp"
#include "tune/net/client_words.hpp"

#include <cstdint>
#include <string>

namespace tune {

// -- Between client and head: these cross the wire. Texts are JSON: tune/net/client_words.hpp.

/// An experiment for the head; a `submission_words`.
struct submission {
  /// The client's, for the answer.
  std::uint64_t number = 0;
  std::string text;
};

template <class Inspector>
auto inspect(Inspector& f, submission& x) {
  return inspect_fields(f, "submission", x, field("number", x.number), field("text", x.text));
}

/// A `client_request`.
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

/// An experiment is over, on disk, and its name free again.
struct experiment_ended {
  std::uint64_t key = 0;
  /// How; opaque here.
  std::string text;
  /// Whether rows are there to be asked for.
  bool has_rows = false;
};

template <class Inspector>
auto inspect(Inspector& f, experiment_ended& x) {
  return inspect_fields(f, "experiment_ended", x, field("key", x.key), field("text", x.text),
                        field("has_rows", x.has_rows));
}

/// Who was welcomed with this ticket wants to speak with the front.
struct front_wanted {
  std::uint64_t ticket = 0;
};

template <class Inspector>
auto inspect(Inspector& f, front_wanted& x) {
  return inspect_fields(f, "front_wanted", x, field("ticket", x.ticket));
}

/// A FOLLOWER is a client's ear.
using follower_actor = typed_actor<
    // To its submission and its questions.
    caf::result<void>(client_answer),
    // Once per submission that was taken.
    caf::result<void>(experiment_ended)>;

/// The FRONT takes experiments from clients and tells of them. One per standing head.
using front_actor = typed_actor<
    // Fetches the job from the client's depot and runs it. Answers once it runs, or why not.
    caf::result<void>(submission, depot_actor, follower_actor),
    // Answers in the same order.
    caf::result<void>(client_question, follower_actor)>;

/// The DOOR of a standing head, as those see it who were welcomed as clients.
using entrance_actor = extend<door_actor,
                              // Answers whom to speak with.
                              caf::result<front_actor>(front_wanted)>;

// -- Within the head.

/// What came of the beginning of an experiment.
struct stewardship {
  /// For the client: a `submission_taken`, or an error.
  std::string text;
  bool is_taken = false;
  /// What the experiment is called: another than was asked for where the head numbers it.
  std::string experiment = {};
};

/// A STEWARD runs one experiment for the front: it may block, and only the front knows it. Told to
/// go when nobody wants to hear of it any more.
using steward_actor = typed_actor<
    // Begins; its front hears of the end, as `experiment_ended`.
    caf::result<stewardship>(run_atom),
    // Answers in JSON.
    caf::result<std::string>(client_request),
    // Leaves off in order, since the head goes.
    caf::result<void>(leave_atom)>;

/// The FRONT as its own process sees it.
using front_desk_actor = extend<front_actor,
                                // From a steward.
                                caf::result<void>(experiment_ended),
                                // Takes no more; has all experiments leave off; answers when they
                                // have.
                                caf::result<std::uint64_t>(drain_atom)>;

} // namespace tune

CAF_BEGIN_TYPE_ID_BLOCK(tune_front_types, caf::id_block::tune_net_types::end)
// These cross the wire.
CAF_ADD_TYPE_ID(tune_front_types, (tune::submission))
CAF_ADD_TYPE_ID(tune_front_types, (tune::client_question))
CAF_ADD_TYPE_ID(tune_front_types, (tune::client_answer))
CAF_ADD_TYPE_ID(tune_front_types, (tune::experiment_ended))
CAF_ADD_TYPE_ID(tune_front_types, (tune::front_wanted))
CAF_ADD_TYPE_ID(tune_front_types, (tune::follower_actor))
CAF_ADD_TYPE_ID(tune_front_types, (tune::front_actor))
CAF_END_TYPE_ID_BLOCK(tune_front_types)

// These never leave the process.
TUNE_BEGIN_LOCAL_TYPES(tune_front_local)
TUNE_LOCAL_TYPE(tune_front_local, tune::stewardship)
TUNE_LOCAL_TYPE(tune_front_local, tune::client_request)
TUNE_LOCAL_HANDLE(tune_front_local, tune::entrance_actor)
TUNE_END_LOCAL_TYPES(tune_front_local)

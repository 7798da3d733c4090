/// Who speaks which messages between nodes: the interfaces of the net's actors on one page.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/net/wire.hpp"

namespace tune {

/// A JOB TAKER is the side of a PACKAGE CLIENT that a PACKAGE SERVER answers to.
using job_taker_actor = typed_actor<
    // What it asked for, with the number of its question.
    caf::result<void>(job_found), caf::result<void>(job_failed), caf::result<void>(chunk),
    caf::result<void>(chunk_failed)>;

/// A PACKAGE SERVER gives out jobs and the contents that they need. One per head.
using package_server_actor = typed_actor<
    // Answers with `job_found` or `job_failed`.
    caf::result<void>(job_request, job_taker_actor),
    // Answers with `chunk` or `chunk_failed`.
    caf::result<void>(chunk_request, job_taker_actor)>;

/// The PACKAGE SERVER as its own process sees it: no peer can change what it gives out.
using package_server_local_actor
    = extend<package_server_actor,
             // Gives this job out from now on. Answers why not, or nothing.
             caf::result<std::string>(job_offer),
             // Forgets it. Who is fetching it fails.
             caf::result<void>(job_withdrawn)>;

/// A PACKAGE CLIENT brings jobs to its node. One per worker.
using package_client_actor = typed_actor<
    // Brings the job and its files from the package server; answers when all is there, or why it is
    // not. It always answers: a silent package server costs its patience, a lost one nothing.
    caf::result<fetched_job>(fetch_job, package_server_actor),
    // Removes the job's directory once all who fetched it have dropped it.
    caf::result<void>(job_dropped)>;

/// An OUTPUT SENDER has pieces of output on their way to a head. One per worker.
using output_sender_actor = typed_actor<
    // The piece is in the file; the next may come.
    caf::result<void>(piece_taken)>;

/// An OUTPUT SERVER takes what remote trials print into their directories. One per head.
using output_server_actor = typed_actor<
    // Answers with `piece_taken`.
    caf::result<void>(output_piece, output_sender_actor)>;

/// The OUTPUT SERVER as its own process sees it.
using output_server_local_actor = extend<output_server_actor,
                                         // Trials of this job print here from now on.
                                         caf::result<void>(job_place),
                                         // Nothing more is taken of it.
                                         caf::result<void>(job_withdrawn)>;

/// A CHECKPOINT PEER is the side of a worker's checkpoint client that a CHECKPOINT SERVER answers
/// to.
using checkpoint_peer_actor
    = typed_actor<caf::result<void>(storage_answer),
                  // Of what it offered.
                  caf::result<void>(piece_wanted), caf::result<void>(checkpoint_settled),
                  // Of what it wants.
                  caf::result<void>(checkpoint_found), caf::result<void>(checkpoint_piece)>;

/// A CHECKPOINT SERVER takes the checkpoints of remote trials into their experiments' directories,
/// and gives them out. One per head.
using checkpoint_server_actor = typed_actor<
    // Answers with `storage_answer`.
    caf::result<void>(storage_question, checkpoint_peer_actor),
    // Asks for pieces, with as many under way as there is credit; then `checkpoint_settled`.
    caf::result<void>(checkpoint_offer, checkpoint_peer_actor),
    // Answers with `checkpoint_found`.
    caf::result<void>(checkpoint_wanted, checkpoint_peer_actor),
    caf::result<void>(checkpoint_dropped, checkpoint_peer_actor),
    // Answers with `checkpoint_piece`.
    caf::result<void>(piece_wanted, checkpoint_peer_actor),
    // What it asked for.
    caf::result<void>(checkpoint_piece, checkpoint_peer_actor)>;

/// The CHECKPOINT SERVER as its own process sees it.
using checkpoint_server_local_actor
    = extend<checkpoint_server_actor,
             // Trials of this job keep their checkpoints here from now on.
             caf::result<void>(job_place),
             // Nothing more is taken or given of it.
             caf::result<void>(job_withdrawn)>;

/// A HEARTBEAT MONITOR hears the heartbeats of nodes, and nothing else: they wait for no other
/// message. One per head.
using heartbeat_monitor_actor = typed_actor<
    // Answers whether the head counts on the node.
    caf::result<bool>(heartbeat)>;

/// The HEARTBEAT MONITOR as its own process sees it. It tells the cluster of nodes that fell
/// silent.
using heartbeat_monitor_local_actor = extend<heartbeat_monitor_actor,
                                             // The node of this ticket comes in.
                                             caf::result<void>(enter_atom, std::uint64_t),
                                             // Nobody waits for it any more. Answers how long it
                                             // was silent at the longest [ms].
                                             caf::result<std::uint64_t>(leave_atom, std::uint64_t)>;

/// Whom a node speaks with at its head.
struct head_links {
  cluster_for_nodes_actor cluster;
  package_server_actor package_server;
  output_server_actor output_server;
  checkpoint_server_actor checkpoint_server = {};
  /// None: nobody watches for silence.
  heartbeat_monitor_actor heartbeat_monitor = {};
};

template <class Inspector>
auto inspect(Inspector& f, head_links& x) {
  return inspect_fields(
      f, "head_links", x, field("cluster", x.cluster), field("package_server", x.package_server),
      field("output_server", x.output_server), field("checkpoint_server", x.checkpoint_server),
      field("heartbeat_monitor", x.heartbeat_monitor));
}

/// A NODE REGISTRY lets workers in: what a head publishes. Its first message is the same in all
/// versions, so that builds that differ can still tell each other so.
using node_registry_actor = typed_actor<
    // Takes a `hello` as JSON, answers with a `hello_answer` as JSON.
    caf::result<std::string>(hello_atom, std::string),
    // With the ticket of a welcome: answers whom the node speaks with.
    caf::result<head_links>(enter_atom, std::uint64_t),
    // The node of this ticket is ready, or back, with what it still has.
    caf::result<void>(enter_atom, std::uint64_t, node_actor, node_inventory)>;

} // namespace tune

CAF_BEGIN_TYPE_ID_BLOCK(tune_net_types, caf::id_block::tune_types::end)
// These cross the wire.
CAF_ADD_TYPE_ID(tune_net_types, (tune::job_request))
CAF_ADD_TYPE_ID(tune_net_types, (tune::job_found))
CAF_ADD_TYPE_ID(tune_net_types, (tune::job_failed))
CAF_ADD_TYPE_ID(tune_net_types, (tune::chunk_request))
CAF_ADD_TYPE_ID(tune_net_types, (tune::chunk))
CAF_ADD_TYPE_ID(tune_net_types, (tune::chunk_failed))
CAF_ADD_TYPE_ID(tune_net_types, (tune::job_taker_actor))
CAF_ADD_TYPE_ID(tune_net_types, (tune::package_server_actor))
CAF_ADD_TYPE_ID(tune_net_types, (tune::output_piece))
CAF_ADD_TYPE_ID(tune_net_types, (tune::piece_taken))
CAF_ADD_TYPE_ID(tune_net_types, (tune::output_sender_actor))
CAF_ADD_TYPE_ID(tune_net_types, (tune::output_server_actor))
CAF_ADD_TYPE_ID(tune_net_types, (tune::head_links))
CAF_ADD_TYPE_ID(tune_net_types, (tune::node_registry_actor))
CAF_ADD_TYPE_ID(tune_net_types, (tune::storage_question))
CAF_ADD_TYPE_ID(tune_net_types, (tune::storage_answer))
CAF_ADD_TYPE_ID(tune_net_types, (tune::checkpoint_offer))
CAF_ADD_TYPE_ID(tune_net_types, (tune::checkpoint_settled))
CAF_ADD_TYPE_ID(tune_net_types, (tune::checkpoint_wanted))
CAF_ADD_TYPE_ID(tune_net_types, (tune::checkpoint_found))
CAF_ADD_TYPE_ID(tune_net_types, (tune::checkpoint_dropped))
CAF_ADD_TYPE_ID(tune_net_types, (tune::piece_wanted))
CAF_ADD_TYPE_ID(tune_net_types, (tune::checkpoint_piece))
CAF_ADD_TYPE_ID(tune_net_types, (tune::checkpoint_peer_actor))
CAF_ADD_TYPE_ID(tune_net_types, (tune::checkpoint_server_actor))
CAF_ADD_TYPE_ID(tune_net_types, (tune::heartbeat))
CAF_ADD_TYPE_ID(tune_net_types, (tune::heartbeat_monitor_actor))
CAF_END_TYPE_ID_BLOCK(tune_net_types)

// These never leave the process.
TUNE_BEGIN_LOCAL_TYPES(tune_net_local)
TUNE_LOCAL_TYPE(tune_net_local, tune::job_offer)
TUNE_LOCAL_TYPE(tune_net_local, tune::job_withdrawn)
TUNE_LOCAL_TYPE(tune_net_local, tune::job_place)
TUNE_LOCAL_TYPE(tune_net_local, tune::fetch_job)
TUNE_LOCAL_TYPE(tune_net_local, tune::fetched_job)
TUNE_LOCAL_TYPE(tune_net_local, tune::job_dropped)
TUNE_END_LOCAL_TYPES(tune_net_local)

/// Interfaces of the net's actors: the messages between nodes, on one page.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/net/wire.hpp"

namespace tune {

/// A JOB TAKER is the side of a PACKAGE CLIENT that a PACKAGE SERVER answers to.
using job_taker_actor = typed_actor<
    // The job asked for, or its pieces, with the number of the question.
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
             // Forgets the job; fetches under way fail.
             caf::result<void>(job_withdrawn)>;

/// A PACKAGE CLIENT brings jobs to its node. One per worker.
using package_client_actor = typed_actor<
    // Brings the job and its files from the package server; answers when all is there, or why it is
    // not. An answer always comes: a silent package server costs its patience, a lost one nothing.
    caf::result<fetched_job>(fetch_job, package_server_actor),
    // Removes the job's directory once all who fetched it have dropped it.
    caf::result<void>(job_dropped)>;

/// An OUTPUT SENDER sends pieces of output to a head. One per worker.
using output_sender_actor = typed_actor<
    // The piece is in the file; the next one may be sent.
    caf::result<void>(piece_taken)>;

/// An OUTPUT SERVER writes what remote trials print into their directories. One per head.
using output_server_actor = typed_actor<
    // Answers with `piece_taken`.
    caf::result<void>(output_piece, output_sender_actor)>;

/// The OUTPUT SERVER as its own process sees it.
using output_server_local_actor = extend<output_server_actor,
                                         // Trials of this job print here from now on.
                                         caf::result<void>(job_place),
                                         // Takes no more output of the job.
                                         caf::result<void>(job_withdrawn)>;

/// A CHECKPOINT PEER is the side of a worker's checkpoint client that a CHECKPOINT SERVER answers
/// to.
using checkpoint_peer_actor
    = typed_actor<caf::result<void>(storage_answer),
                  // About checkpoints that it offered.
                  caf::result<void>(piece_wanted), caf::result<void>(checkpoint_settled),
                  // About checkpoints that it wants.
                  caf::result<void>(checkpoint_found), caf::result<void>(checkpoint_piece)>;

/// A CHECKPOINT SERVER stores the checkpoints of remote trials in their experiments' directories,
/// and gives them out. One per head.
using checkpoint_server_actor = typed_actor<
    // Answers with `storage_answer`.
    caf::result<void>(storage_question, checkpoint_peer_actor),
    // Asks for pieces, with up to `credit` of them under way, and then answers with
    // `checkpoint_settled`.
    caf::result<void>(checkpoint_offer, checkpoint_peer_actor),
    // Answers with `checkpoint_found`.
    caf::result<void>(checkpoint_wanted, checkpoint_peer_actor),
    caf::result<void>(checkpoint_dropped, checkpoint_peer_actor),
    // Answers with `checkpoint_piece`.
    caf::result<void>(piece_wanted, checkpoint_peer_actor),
    // A piece that it asked for.
    caf::result<void>(checkpoint_piece, checkpoint_peer_actor)>;

/// The CHECKPOINT SERVER as its own process sees it.
using checkpoint_server_local_actor
    = extend<checkpoint_server_actor,
             // Trials of this job keep their checkpoints here from now on.
             caf::result<void>(job_place),
             // Takes and gives nothing more of the job.
             caf::result<void>(job_withdrawn)>;

/// A HEARTBEAT MONITOR receives the heartbeats of nodes and nothing else, so that these wait for no
/// other message. One per head.
using heartbeat_monitor_actor = typed_actor<
    // Answers whether the head still counts on the node.
    caf::result<bool>(heartbeat)>;

/// The HEARTBEAT MONITOR as its own process sees it. It tells the cluster which nodes fell silent.
using heartbeat_monitor_local_actor = extend<heartbeat_monitor_actor,
                                             // Starts to watch the node of this ticket.
                                             caf::result<void>(enter_atom, std::uint64_t),
                                             // Stops watching it. Answers how long its longest
                                             // silence was [ms].
                                             caf::result<std::uint64_t>(leave_atom, std::uint64_t)>;

/// Actors of a head that a node talks to.
struct head_links {
  cluster_for_nodes_actor cluster;
  package_server_actor package_server;
  output_server_actor output_server;
  checkpoint_server_actor checkpoint_server = {};
  /// Null: nobody watches for silence.
  heartbeat_monitor_actor heartbeat_monitor = {};
};

template <class Inspector>
auto inspect(Inspector& f, head_links& x) {
  return inspect_fields(
      f, "head_links", x, field("cluster", x.cluster), field("package_server", x.package_server),
      field("output_server", x.output_server), field("checkpoint_server", x.checkpoint_server),
      field("heartbeat_monitor", x.heartbeat_monitor));
}

/// A NODE REGISTRY lets workers in; it is the actor that a head publishes. Its first message is the
/// same in all versions, so that different builds can still tell each other that they differ.
using node_registry_actor = typed_actor<
    // Takes a `hello` as JSON, answers with a `hello_answer` as JSON.
    caf::result<std::string>(hello_atom, std::string),
    // For the ticket of a welcome: answers with the actors that the node talks to.
    caf::result<head_links>(enter_atom, std::uint64_t),
    // The node of this ticket is ready, or back, with what it still has.
    caf::result<void>(enter_atom, std::uint64_t, node_actor, node_inventory)>;

} // namespace tune

CAF_BEGIN_TYPE_ID_BLOCK(tune_net_types, caf::id_block::tune_types::end)
// Types that cross the wire.
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

// Types that never leave the process.
TUNE_BEGIN_LOCAL_TYPES(tune_net_local)
TUNE_LOCAL_TYPE(tune_net_local, tune::job_offer)
TUNE_LOCAL_TYPE(tune_net_local, tune::job_withdrawn)
TUNE_LOCAL_TYPE(tune_net_local, tune::job_place)
TUNE_LOCAL_TYPE(tune_net_local, tune::fetch_job)
TUNE_LOCAL_TYPE(tune_net_local, tune::fetched_job)
TUNE_LOCAL_TYPE(tune_net_local, tune::job_dropped)
TUNE_END_LOCAL_TYPES(tune_net_local)

/// The interfaces of all actors on one page: the messages that each of them handles.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/local_messages.hpp"

// Atoms come first: signatures use them.
CAF_BEGIN_TYPE_ID_BLOCK(tune_atoms, caf::first_custom_type_id)
CAF_ADD_ATOM(tune_atoms, tune, flush_atom, "flush")
CAF_ADD_ATOM(tune_atoms, tune, tick_atom, "tick")
CAF_ADD_ATOM(tune_atoms, tune, run_atom, "run")
CAF_ADD_ATOM(tune_atoms, tune, status_atom, "status")
CAF_ADD_ATOM(tune_atoms, tune, ping_atom, "ping")
CAF_ADD_ATOM(tune_atoms, tune, drain_atom, "drain")
CAF_ADD_ATOM(tune_atoms, tune, leave_atom, "leave")
CAF_ADD_ATOM(tune_atoms, tune, hello_atom, "hello")
CAF_ADD_ATOM(tune_atoms, tune, enter_atom, "enter")
CAF_END_TYPE_ID_BLOCK(tune_atoms)

namespace tune {

/// A TRAINABLE runs the user's code on its node. One per attempt; spawned by the NODE, which
/// monitors it; ends when the attempt is over.
using trainable_actor = typed_actor<
    // The answer to its last report.
    caf::result<void>(attempt_answer),
    // Ends the attempt, in order or at once.
    caf::result<void>(attempt_halt),
    // Liveness check: answers with the same number.
    caf::result<std::uint64_t>(ping_atom, std::uint64_t)>;

/// An ATTEMPT PROXY stands between the trainable of one attempt on another node and its TRIAL: the
/// TRIAL sees it as the trainable, the trainable as the TRIAL. It keeps each message until the
/// TRIAL has confirmed it. Spawned by the NODE.
using attempt_proxy_actor = extend<trainable_actor, caf::result<void>(words_heard)>;

/// A TRIAL is the head's end of the conversation with the trainables of one trial. Spawned by the
/// RUNNER when the trial is queued, told to go when the trial has ended.
using trial_actor = typed_actor<
    // From the runner: the trial's next attempt.
    caf::result<void>(launch_order), caf::result<void>(attempt_answer),
    caf::result<void>(attempt_halt),
    // From the node: the trainable of the attempt.
    caf::result<void>(attempt_key, trainable_actor),
    // From the trainable.
    caf::result<void>(attempt_started), caf::result<void>(attempt_report),
    caf::result<void>(attempt_saved), caf::result<void>(attempt_save_failed),
    caf::result<void>(attempt_exported), caf::result<void>(attempt_ended),
    // From an attempt proxy: the same, numbered. Answered with `words_heard` now and then.
    caf::result<void>(attempt_key, attempt_proxy_actor),
    caf::result<void>(std::uint64_t, attempt_started),
    caf::result<void>(std::uint64_t, attempt_report),
    caf::result<void>(std::uint64_t, attempt_saved),
    caf::result<void>(std::uint64_t, attempt_save_failed),
    caf::result<void>(std::uint64_t, attempt_exported),
    caf::result<void>(std::uint64_t, attempt_ended),
    // Answers once all earlier messages have been handed on.
    caf::result<std::uint64_t>(ping_atom, std::uint64_t)>;

/// A NODE owns one machine's resources and the trainables on it. One per process that offers
/// resources.
using node_actor = typed_actor<
    // Spawns the trainable of an attempt, which reports to the trial. A trainable that is already
    // there talks to this trial from now on.
    caf::result<void>(launch_order, trial_actor),
    // Ends all other leases: their attempts were placed anew.
    caf::result<void>(leases_kept),
    // Ends the attempt of a lease, or sees that it never begins.
    caf::result<void>(lease_revoked),
    // Forgets the job; if it is launched again, the node asks for it anew.
    caf::result<void>(job_over),
    // Removes the checkpoint of a paused trial from memory.
    caf::result<void>(pause_dropped),
    // Takes no more trials; goes when the running ones have ended.
    caf::result<void>(leave_atom),
    // Hands back and ends all running trials, and goes.
    caf::result<void>(drain_atom), caf::result<std::uint64_t>(ping_atom, std::uint64_t)>;

/// A CLUSTER FOR NODES is the CLUSTER as the nodes see it: it takes what they tell their head.
using cluster_for_nodes_actor = typed_actor<
    // The processes of the lease are gone.
    caf::result<void>(lease_over),
    // The node is not ready for the trial of this lease; comes before the end of attempt and lease.
    caf::result<void>(launch_declined),
    // The node wants no more trials.
    caf::result<void>(node_leaving)>;

/// The NODE as its own process sees it.
using node_local_actor = extend<node_actor,
                                // Makes a job known to the node.
                                caf::result<void>(job_ready),
                                // Rejoins the head in this session: messages of earlier sessions
                                // have no effect any more. Answers with what the node has of its
                                // head's launches.
                                caf::result<node_inventory>(enter_atom, std::uint64_t),
                                // Sets the head's actor to talk to from now on.
                                caf::result<void>(cluster_for_nodes_actor)>;

/// An OUTPUT CLIENT brings the output of programs to the head. One per worker.
using output_client_actor
    = typed_actor<caf::result<void>(output_opened), caf::result<void>(output_grew),
                  // Answers once all of the output is there.
                  caf::result<output_settled>(output_closed),
                  // The node gives up its trials: nothing more goes to the head.
                  caf::result<void>(leave_atom)>;

/// A JOB LOOKUP brings a node the description and files of an experiment. One per worker.
using job_lookup_actor = typed_actor<
    // Answers once the job and its files are there.
    caf::result<job_ready>(job_wanted),
    // The job is over, and nothing of it runs here any more.
    caf::result<void>(job_over)>;

/// A CHECKPOINT SERVICE looks after the checkpoints of a node, and may block on the disk. One per
/// job of the node; on workers one for all jobs, which also carries them to the head and back.
using checkpoint_service_actor = typed_actor<
    // Answers once the attempt can begin, or why it cannot.
    caf::result<attempt_prepared>(prepare_attempt),
    // Answers when the trainable may again write to the directory that it handed over.
    caf::result<draft_copied>(copy_draft),
    // Answers once the checkpoint is safe, or why it is not. In order within an attempt.
    caf::result<draft_kept>(keep_draft),
    // Answers once the exports are a draft, or there is nothing to make one of.
    caf::result<exports_gathered>(gather_exported),
    // Answers once the artifacts of the attempt are at its head, or why they are not.
    caf::result<artifacts_kept>(keep_artifacts),
    // Removes a directory the attempt began to write, or the drafts it left behind.
    caf::result<void>(drop_directory), caf::result<void>(attempt_left),
    // Nothing of the job runs here any more; its directory is removed.
    caf::result<void>(job_over), caf::result<void>(forget_paused),
    // Fails all saves of the attempt that are under way.
    caf::result<void>(saves_dropped),
    // The node gives up its trials: everything under way fails.
    caf::result<void>(leave_atom)>;

/// Resources were granted to a trial, on this node.
struct lease_granted {
  trial_id trial;
  lease what;
  node_actor where;
};

/// The RUNNER drives one experiment: it translates messages into events and commands into
/// messages, and decides nothing. One per experiment; owns trials.
using runner_actor = typed_actor<
    // Something happened.
    caf::result<void>(news),
    // A client wants something.
    caf::result<void>(client_orders),
    // From the cluster.
    caf::result<void>(lease_granted), caf::result<void>(lease_refused),
    caf::result<void>(requests_unmet),
    // From the recorder.
    caf::result<void>(durable_up_to), caf::result<void>(storage_failed),
    // From anybody working for the experiment: passed on to its observer.
    caf::result<void>(remark),
    // Starts the experiment; its observer is told when it is over and on disk.
    caf::result<void>(run_atom),
    // Answers with the present state, listing at most that many running trials.
    caf::result<runner_status>(status_atom, std::uint32_t),
    caf::result<std::uint64_t>(ping_atom, std::uint64_t)>;

/// The SCHEDULER judges running trials and chooses which to run. One per experiment. It answers the
/// runner with `news` when the answers are ready: all immediate answers about the reports and
/// stalls of a turn at once, each that takes longer by itself, as deferred.
using scheduler_actor = typed_actor<
    // The facts of one turn, then its questions.
    caf::result<void>(scheduler_turn, runner_actor)>;

/// The SEARCHER proposes configurations. One per experiment; answers like the scheduler.
using searcher_actor = typed_actor<caf::result<void>(searcher_turn, runner_actor)>;

/// The CLUSTER keeps the ledger of all nodes' resources. One per head.
using cluster_actor
    = extend<cluster_for_nodes_actor,
             // A node is there, is back, or changes its offer.
             caf::result<void>(node_offer, node_actor),
             // The node is lost, whatever its connection says.
             caf::result<void>(node_silent),
             // From a runner: passed on to the node of its lease, repeatedly if necessary.
             caf::result<void>(launch_order, trial_actor),
             // Tells all present nodes.
             caf::result<void>(job_over),
             // Tells that node, now or once it is back.
             caf::result<void>(pause_dropped),
             // Subscribes this runner to `news` of nodes.
             caf::result<void>(runner_actor), caf::result<void>(lease_request, runner_actor),
             caf::result<void>(lease_cancel, runner_actor),
             caf::result<cluster_status>(status_atom),
             // Passes it on to all runners.
             caf::result<void>(remark),
             // Answers why the trial could not start; empty: it could.
             caf::result<std::string>(fit_question),
             // Has all nodes hand back their trials and go; answers when the nodes are gone.
             caf::result<std::uint64_t>(drain_atom)>;

/// The JANITOR removes checkpoints that are doomed. One per experiment.
using janitor_actor = typed_actor<
    // Removes a checkpoint and tells the runner once it is gone.
    caf::result<void>(cmd::discard, runner_actor),
    // Answers when everything handed over is done.
    caf::result<std::string>(drain_atom)>;

/// A SINK follows the committed record at its own pace.
using sink_actor = typed_actor<caf::result<void>(durable_up_to),
                               // Answers once everything committed has been taken over.
                               caf::result<std::string>(drain_atom)>;

/// The RECORDER is the only writer of the database: it commits in groups and tells what is durable.
using recorder_actor
    = typed_actor<caf::result<void>(record_turn),
                  // Subscribes this runner and these sinks.
                  caf::result<void>(runner_actor), caf::result<void>(sink_actor),
                  // Answers when everything handed over is on disk, or why it is not.
                  caf::result<std::string>(drain_atom)>;

} // namespace tune

CAF_BEGIN_TYPE_ID_BLOCK(tune_types, caf::id_block::tune_atoms::end)
// Types that cross the wire.
CAF_ADD_TYPE_ID(tune_types, (tune::f64))
CAF_ADD_TYPE_ID(tune_types, (tune::shared_object))
CAF_ADD_TYPE_ID(tune_types, (tune::attempt_key))
CAF_ADD_TYPE_ID(tune_types, (tune::launch_order))
CAF_ADD_TYPE_ID(tune_types, (tune::attempt_started))
CAF_ADD_TYPE_ID(tune_types, (tune::attempt_report))
CAF_ADD_TYPE_ID(tune_types, (tune::answer_kind))
CAF_ADD_TYPE_ID(tune_types, (tune::attempt_answer))
CAF_ADD_TYPE_ID(tune_types, (tune::attempt_saved))
CAF_ADD_TYPE_ID(tune_types, (tune::attempt_save_failed))
CAF_ADD_TYPE_ID(tune_types, (tune::attempt_ended))
CAF_ADD_TYPE_ID(tune_types, (tune::attempt_halt))
CAF_ADD_TYPE_ID(tune_types, (tune::trainable_actor))
CAF_ADD_TYPE_ID(tune_types, (tune::trial_actor))
CAF_ADD_TYPE_ID(tune_types, (tune::node_actor))
CAF_ADD_TYPE_ID(tune_types, (tune::lease_over))
CAF_ADD_TYPE_ID(tune_types, (tune::lease_revoked))
CAF_ADD_TYPE_ID(tune_types, (tune::node_leaving))
CAF_ADD_TYPE_ID(tune_types, (tune::cluster_for_nodes_actor))
CAF_ADD_TYPE_ID(tune_types, (tune::job_over))
CAF_ADD_TYPE_ID(tune_types, (tune::launch_declined))
CAF_ADD_TYPE_ID(tune_types, (tune::words_heard))
CAF_ADD_TYPE_ID(tune_types, (tune::attempt_proxy_actor))
CAF_ADD_TYPE_ID(tune_types, (tune::node_inventory))
CAF_ADD_TYPE_ID(tune_types, (tune::leases_kept))
CAF_ADD_TYPE_ID(tune_types, (tune::attempt_exported))
CAF_ADD_TYPE_ID(tune_types, (tune::pause_dropped))
CAF_ADD_TYPE_ID(tune_types, (tune::bundle_info))
CAF_END_TYPE_ID_BLOCK(tune_types)

// Types that never leave the process.
TUNE_BEGIN_LOCAL_TYPES(tune_local)
TUNE_LOCAL_TYPE(tune_local, tune::news)
TUNE_LOCAL_TYPE(tune_local, tune::client_orders)
TUNE_LOCAL_TYPE(tune_local, tune::lease_granted)
TUNE_LOCAL_TYPE(tune_local, tune::lease_refused)
TUNE_LOCAL_TYPE(tune_local, tune::requests_unmet)
TUNE_LOCAL_TYPE(tune_local, tune::remark)
TUNE_LOCAL_TYPE(tune_local, tune::lease_request)
TUNE_LOCAL_TYPE(tune_local, tune::lease_cancel)
TUNE_LOCAL_TYPE(tune_local, tune::fit_question)
TUNE_LOCAL_TYPE(tune_local, tune::node_offer)
TUNE_LOCAL_TYPE(tune_local, tune::node_silent)
TUNE_LOCAL_TYPE(tune_local, tune::job_wanted)
TUNE_LOCAL_TYPE(tune_local, tune::job_ready)
TUNE_LOCAL_TYPE(tune_local, tune::output_opened)
TUNE_LOCAL_TYPE(tune_local, tune::output_grew)
TUNE_LOCAL_TYPE(tune_local, tune::output_closed)
TUNE_LOCAL_TYPE(tune_local, tune::output_settled)
TUNE_LOCAL_TYPE(tune_local, tune::prepare_attempt)
TUNE_LOCAL_TYPE(tune_local, tune::attempt_prepared)
TUNE_LOCAL_TYPE(tune_local, tune::copy_draft)
TUNE_LOCAL_TYPE(tune_local, tune::draft_copied)
TUNE_LOCAL_TYPE(tune_local, tune::keep_draft)
TUNE_LOCAL_TYPE(tune_local, tune::draft_kept)
TUNE_LOCAL_TYPE(tune_local, tune::attempt_left)
TUNE_LOCAL_TYPE(tune_local, tune::drop_directory)
TUNE_LOCAL_TYPE(tune_local, tune::gather_exported)
TUNE_LOCAL_TYPE(tune_local, tune::exports_gathered)
TUNE_LOCAL_TYPE(tune_local, tune::saves_dropped)
TUNE_LOCAL_TYPE(tune_local, tune::cluster_status)
TUNE_LOCAL_TYPE(tune_local, tune::durable_up_to)
TUNE_LOCAL_TYPE(tune_local, tune::storage_failed)
TUNE_LOCAL_TYPE(tune_local, tune::runner_status)
TUNE_LOCAL_TYPE(tune_local, tune::scheduler_turn)
TUNE_LOCAL_TYPE(tune_local, tune::searcher_turn)
TUNE_LOCAL_TYPE(tune_local, tune::record_turn)
TUNE_LOCAL_TYPE(tune_local, tune::cmd::discard)
TUNE_LOCAL_HANDLE(tune_local, tune::runner_actor)
TUNE_LOCAL_HANDLE(tune_local, tune::sink_actor)
TUNE_LOCAL_TYPE(tune_local, tune::forget_paused)
TUNE_LOCAL_TYPE(tune_local, tune::keep_artifacts)
TUNE_LOCAL_TYPE(tune_local, tune::artifacts_kept)
TUNE_END_LOCAL_TYPES(tune_local)

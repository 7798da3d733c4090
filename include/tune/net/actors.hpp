/// Who speaks which messages between nodes: the interfaces of the net's actors on one page.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/net/wire.hpp"

namespace tune {

/// A JOB TAKER is the side of a FETCHER that a DEPOT answers to.
using job_taker_actor = typed_actor<
    // What it asked for, with the number of its question.
    caf::result<void>(job_found), caf::result<void>(job_failed), caf::result<void>(chunk),
    caf::result<void>(chunk_failed)>;

/// A DEPOT gives out jobs and the contents that they need. One per head.
using depot_actor = typed_actor<
    // Answers with `job_found` or `job_failed`.
    caf::result<void>(job_request, job_taker_actor),
    // Answers with `chunk` or `chunk_failed`.
    caf::result<void>(chunk_request, job_taker_actor)>;

/// The DEPOT as its own process sees it: no peer can change what it gives out.
using depot_desk_actor = extend<depot_actor,
                                // Gives this job out from now on. Answers why not, or nothing.
                                caf::result<std::string>(job_offer),
                                // Forgets it. Who is fetching it fails.
                                caf::result<void>(job_withdrawn)>;

/// A FETCHER brings jobs to its node. One per worker.
using fetcher_actor = typed_actor<
    // Brings the job and its files from the depot; answers when all is there, or why it is not.
    // It always answers: a silent depot costs its patience, a lost one nothing.
    caf::result<fetched_job>(fetch_job, depot_actor)>;

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
CAF_ADD_TYPE_ID(tune_net_types, (tune::depot_actor))
CAF_END_TYPE_ID_BLOCK(tune_net_types)

// These never leave the process.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(tune::job_offer)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(tune::job_withdrawn)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(tune::fetch_job)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(tune::fetched_job)

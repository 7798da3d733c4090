/// The JOB LOOKUP: finds what a worker's node needs for an experiment of a given name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/job.hpp"
#include "tune/core/error.hpp"
#include "tune/net/actors.hpp"

#include <functional>
#include <memory>

namespace tune {

/// Makes a job from its record and files. May block.
using job_maker = std::function<expected<std::shared_ptr<const job>>(const fetched_job&)>;

/// Spawns the job lookup of one connection, on a thread of its own. It ends when it is told to go,
/// and then drops the jobs that it found: tell it when nothing runs on the node any more.
/// @param package_client Brings record and files from `package_server`.
[[nodiscard]] job_lookup_actor spawn_job_lookup(caf::actor_system& system,
                                                package_client_actor package_client,
                                                package_server_actor package_server,
                                                job_maker make);

/// Makes a job lookup that was spawned here ask this package server from now on.
void reconnect(const job_lookup_actor& whom, const package_server_actor& to);

} // namespace tune

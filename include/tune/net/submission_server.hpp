/// The SUBMISSION SERVER of a standing head: the actor that clients talk to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/queue_claim.hpp"
#include "tune/net/submission_actors.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tune {

/// An experiment to be run.
struct job_spec {
  std::uint64_t key = 0;
  submission_message words;
  /// Record and files, on this machine.
  fetched_job found;
  /// Who submitted it, as `submission_server_settings::identity_of` has it.
  std::string identity;
  submission_server_local_actor submission_server;
  /// It ran under the head before this one, and goes on. That it could not is told by the
  /// submission server, which tries it again.
  bool goes_on = false;
  queue_claim claim = {};
};

/// An experiment that ran under the head before this one when that died.
struct running_submission {
  submission_message words;
  fetched_job found;
  /// As in `job_spec`.
  std::string identity;
  queue_claim claim = {};
};

struct submission_server_settings {
  /// Spawns the job supervisor of an experiment, or says why none can be had now. Called from the
  /// submission server: must not block.
  std::function<expected<job_supervisor_actor>(job_spec)> hire;
  /// Brings records and files from clients.
  package_client_actor package_client;
  /// Told, in lines for people, of experiments that come or are refused; from an actor's thread.
  std::function<void(const std::string&)> say = [](const std::string&) {};
  /// Name of a node according to its certificate; empty: unknown, since none was shown. Whoever
  /// submitted an experiment may come back to it.
  std::function<std::string(const caf::node_id&)> identity_of
      = [](const caf::node_id&) { return std::string{}; };
  /// Spawns the runner of a client's command, or says why none can be had now; none: commands are
  /// refused. Called from the submission server: must not block. The text is who asks, as
  /// `identity_of` has it.
  std::function<expected<command_runner_actor>(remote_command, std::string)> carry_out = {};
  /// Experiments that it goes on with by itself, once it is told to.
  std::vector<running_submission> resumed = {};
};

/// Spawns a submission server. It ends when it is told to go, and its job supervisors with it.
///
/// It runs one experiment of a name at a time. Experiments go on when their clients go. Those of
/// the head before that cannot go on since something is in the way, a locked record for instance,
/// are tried again for as long as it lives.
[[nodiscard]] submission_server_local_actor
spawn_submission_server(caf::actor_system& system, submission_server_settings settings);

} // namespace tune

/// An experiment at a standing head, as its submission server knows it. Private to net.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/queue_claim.hpp"
#include "tune/net/submission_actors.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// A client that follows an experiment.
struct listener {
  follower_actor who;
  /// Number of the submission that is answered when the experiment runs.
  std::uint64_t number = 0;
  bool wants_rows = false;
  /// True if the client came back; the job supervisor does not know of it.
  bool attached = false;
};

/// An experiment, from its submission until nobody follows it any more.
struct submitted_job {
  submission_message words;
  /// Certificate's name of the submitter.
  std::string identity;
  std::vector<listener> listeners;
  /// Empty while the experiment's files are on their way, and between two tries to go on with it.
  std::optional<job_supervisor_actor> job_supervisor;
  bool is_taken = false;
  /// True once nothing of it runs, and its directory is free.
  bool is_over = false;
  /// Answer that was given when it was taken.
  std::string taken = {};
  queue_claim claim = {};
};

/// Ends the experiment's job supervisor, if it has one.
inline void dismiss(const submitted_job& x) {
  if (x.job_supervisor)
    caf::anon_send_exit(*x.job_supervisor, caf::exit_reason::user_shutdown);
}

/// The submission server as its own parts see it.
using submission_server_impl = extend<submission_server_local_actor,
                                      // Its own timer's: tries again to go on with the experiment
                                      // of this key.
                                      caf::result<void>(tick_atom, std::uint64_t)>;

/// The name that a client gives, with the one in its certificate.
inline std::string with_subject(const std::string& from, const std::string& identity) {
  return from + " (" + (identity.empty() ? "no certificate" : identity) + ")";
}

} // namespace tune

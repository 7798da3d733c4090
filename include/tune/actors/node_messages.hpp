/// The types that nodes and their head send to each other. Part of wire.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"
#include "tune/core/ids.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tune {

/// The launches and leases of its head that a node still has when it joins or rejoins.
struct node_inventory {
  /// Launches up to this one have reached the node.
  std::uint64_t turn = 0;
  /// Leases of these launches that are not over.
  std::vector<std::uint64_t> leases;
  /// The session in which this node joined first. It is another one for a worker that ended all of
  /// its trials and began anew.
  std::uint64_t incarnation = 0;
};

template <class Inspector>
auto inspect(Inspector& f, node_inventory& x) {
  return inspect_fields(f, "node_inventory", x, field("turn", x.turn), field("leases", x.leases),
                        field("incarnation", x.incarnation));
}

/// The head still counts on these leases of a node that joined, and on no others: their launches
/// are sent once more, so that the node knows which trial actors to talk to.
struct leases_kept {
  std::vector<std::uint64_t> leases;
  /// The head knows nothing of the node's past: checkpoints of paused trials in its memory are
  /// removed, too.
  bool is_new = false;
  /// The session in which the node joined.
  std::uint64_t session = 0;
};

template <class Inspector>
auto inspect(Inspector& f, leases_kept& x) {
  return inspect_fields(f, "leases_kept", x, field("leases", x.leases), field("is_new", x.is_new),
                        field("session", x.session));
}

/// The processes of a lease are gone: the lease is free.
struct lease_over {
  std::uint64_t lease = 0;

  lease_over() = default;
  lease_over(lease_id id) : lease{id.number} {}
};

template <class Inspector>
auto inspect(Inspector& f, lease_over& x) {
  return inspect_fields(f, "lease_over", x, field("lease", x.lease));
}

/// The node could not prepare what the trial of this lease needs. The lease ends as any other.
struct launch_declined {
  std::uint64_t lease = 0;
  /// Text for people; it names neither node nor trial.
  std::string why;
  /// Whether the node lacks something that it may have again in a moment by itself: processes,
  /// descriptors, memory.
  bool is_passing = false;
};

template <class Inspector>
auto inspect(Inspector& f, launch_declined& x) {
  return inspect_fields(f, "launch_declined", x, field("lease", x.lease), field("why", x.why),
                        field("is_passing", x.is_passing));
}

/// Nobody waits for the attempt of this lease any more: the node ends it, if it runs, and frees the
/// lease.
struct lease_revoked {
  std::uint64_t lease = 0;
};

template <class Inspector>
auto inspect(Inspector& f, lease_revoked& x) {
  return inspect_fields(f, "lease_revoked", x, field("lease", x.lease));
}

/// A node takes no more trials. The running ones go on until they end or are handed back.
struct node_leaving {
  std::string node;
};

template <class Inspector>
auto inspect(Inspector& f, node_leaving& x) {
  return inspect_fields(f, "node_leaving", x, field("node", x.node));
}

/// The experiment is over: nothing of it will be launched again, unless it is resumed.
struct job_over {
  std::string job;
};

template <class Inspector>
auto inspect(Inspector& f, job_over& x) {
  return inspect_fields(f, "job_over", x, field("job", x.job));
}

/// The checkpoint that a paused trial left in a node's memory is no longer needed.
struct pause_dropped {
  std::string node;
  /// Empty: all jobs.
  std::string job;
  /// The checkpoint's location as in `on::saved`; empty: all checkpoints that the job has there.
  std::string location;
};

template <class Inspector>
auto inspect(Inspector& f, pause_dropped& x) {
  return inspect_fields(f, "pause_dropped", x, field("node", x.node), field("job", x.job),
                        field("location", x.location));
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "reachable_actors.hpp"

#include "tune/net/submission_actors.hpp"

namespace tune {

namespace {

/// Messages that a TRIAL takes from attempt proxies; all others are its runner's.
using trial_for_attempt_proxies = typed_actor<caf::result<void>(attempt_key, attempt_proxy_actor),
                                              caf::result<void>(std::uint64_t, attempt_started),
                                              caf::result<void>(std::uint64_t, attempt_report),
                                              caf::result<void>(std::uint64_t, attempt_saved),
                                              caf::result<void>(std::uint64_t, attempt_save_failed),
                                              caf::result<void>(std::uint64_t, attempt_exported),
                                              caf::result<void>(std::uint64_t, attempt_ended)>;

/// Messages that an ATTEMPT PROXY takes from a trial.
using attempt_proxy_for_trials
    = typed_actor<caf::result<void>(attempt_answer), caf::result<void>(attempt_halt),
                  caf::result<void>(words_heard)>;

} // namespace

reachable_actors::reachable_actors(caf::actor_system& system) {
  // Actors of a head.
  may_receive<entrance_actor>(system, "tune.node_registry");
  may_receive<cluster_for_nodes_actor>(system, "tune.cluster");
  may_receive<package_server_actor>(system, "tune.package_server");
  may_receive<output_server_actor>(system, "tune.output_server");
  may_receive<checkpoint_server_actor>(system, "tune.checkpoint_server");
  may_receive<heartbeat_monitor_actor>(system, "tune.heartbeat_monitor");
  may_receive<trial_for_attempt_proxies>(system, "tune.trial");
  may_receive<submission_server_actor>(system, "tune.submission_server");
  // Actors of a worker; the package client is also one of a head.
  may_receive<node_actor>(system, "tune.node");
  may_receive<attempt_proxy_for_trials>(system, "tune.attempt_proxy");
  may_receive<job_taker_actor>(system, "tune.package_client");
  may_receive<output_sender_actor>(system, "tune.output_client");
  may_receive<checkpoint_peer_actor>(system, "tune.checkpoint_client");
  asks("tune.head_session");
  asks("tune.heartbeat_sender");
  // Actors of a client; its package server is named above.
  may_receive<follower_actor>(system, "tune.follower");
  asks("tune.follower");
  // Used to wait for answers outside of actors.
  asks("scoped_actor");
  // Answer to a request that has no other.
  answers_.insert(detail::wire_prefix);
}

template <class Handle>
void reachable_actors::may_receive(caf::actor_system& system, const char* who) {
  auto words = words_of<Handle>(system);
  answers_.insert(words.answered.begin(), words.answered.end());
  rows_[who].words.add(words);
}

void reachable_actors::asks(const char* who) {
  rows_[who].asks = true;
}

bool reachable_actors::may_receive(std::string_view who, const std::string& word) const {
  auto known = rows_.find(who);
  return known != rows_.end() && known->second.words.said.contains(word);
}

std::set<std::string> reachable_actors::names() const {
  std::set<std::string> result;
  for (const auto& [name, words] : rows_)
    result.insert(name);
  return result;
}

bool reachable_actors::may_be_answered(std::string_view who, const std::string& word) const {
  auto known = rows_.find(who);
  return known != rows_.end() && known->second.asks && answers_.contains(word);
}

} // namespace tune

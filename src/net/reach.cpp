// SPDX-License-Identifier: BSD-3-Clause
#include "reach.hpp"

#include "tune/net/front_actors.hpp"

namespace tune {

namespace {

/// Of a TRIAL, what an envoy says. The rest is its runner's.
using trial_for_envoys = typed_actor<caf::result<void>(attempt_key, envoy_actor),
                                     caf::result<void>(std::uint64_t, attempt_started),
                                     caf::result<void>(std::uint64_t, attempt_report),
                                     caf::result<void>(std::uint64_t, attempt_saved),
                                     caf::result<void>(std::uint64_t, attempt_save_failed),
                                     caf::result<void>(std::uint64_t, attempt_exported),
                                     caf::result<void>(std::uint64_t, attempt_ended)>;

/// Of an ENVOY, what a trial says.
using envoy_for_trials
    = typed_actor<caf::result<void>(attempt_answer), caf::result<void>(attempt_halt),
                  caf::result<void>(words_heard)>;

} // namespace

reach::reach(caf::actor_system& system) {
  // At a head.
  may_be_told<entrance_actor>(system, "tune.door");
  may_be_told<head_desk_actor>(system, "tune.cluster");
  may_be_told<depot_actor>(system, "tune.depot");
  may_be_told<inbox_actor>(system, "tune.inbox");
  may_be_told<vault_actor>(system, "tune.vault");
  may_be_told<watchman_actor>(system, "tune.watchman");
  may_be_told<trial_for_envoys>(system, "tune.trial");
  may_be_told<front_actor>(system, "tune.front");
  // At a worker; the fetcher is a head's, too.
  may_be_told<node_actor>(system, "tune.node");
  may_be_told<envoy_for_trials>(system, "tune.envoy");
  may_be_told<job_taker_actor>(system, "tune.fetcher");
  may_be_told<output_sender_actor>(system, "tune.output_courier");
  may_be_told<checkpoint_peer_actor>(system, "tune.checkpoint_courier");
  asks("tune.connector");
  asks("tune.pulse");
  // At a client; its depot is named above.
  may_be_told<follower_actor>(system, "tune.follower");
  asks("tune.follower");
  // What waits for answers outside of any actor.
  asks("scoped_actor");
  // Of a request that has no other answer.
  answers_.insert(detail::wire_prefix);
}

template <class Handle>
void reach::may_be_told(caf::actor_system& system, const char* who) {
  auto words = words_of<Handle>(system);
  answers_.insert(words.answered.begin(), words.answered.end());
  rows_[who].words.add(words);
}

void reach::asks(const char* who) {
  rows_[who].asks = true;
}

bool reach::may_be_told(std::string_view who, const std::string& word) const {
  auto known = rows_.find(who);
  return known != rows_.end() && known->second.words.said.contains(word);
}

std::set<std::string> reach::names() const {
  std::set<std::string> result;
  for (const auto& [name, words] : rows_)
    result.insert(name);
  return result;
}

bool reach::may_be_answered(std::string_view who, const std::string& word) const {
  auto known = rows_.find(who);
  return known != rows_.end() && known->second.asks && answers_.contains(word);
}

} // namespace tune

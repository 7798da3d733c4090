// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/system.hpp"

#include "tune/actors/caf_modules.hpp"
#include "tune/core/printable.hpp"
#include "tune/core/program_name.hpp"
#include "tune/net/caf_tls.hpp"
#include "tune/net/submission_actors.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <utility>

namespace tune {

namespace {

/// Connections of members that leave a third of the descriptors to other things, next to this many
/// strangers. [>= 8]
std::size_t connections_of(std::uint64_t descriptors, std::size_t strangers) {
  constexpr std::uint64_t least = 8;
  const auto for_connections = descriptors / 3 * 2;
  return std::max(for_connections > strangers ? for_connections - strangers : 0, least);
}

/// Nodes of which something is remembered: twice as many as there may be connections.
constexpr std::size_t most_notes = 2 * member_rules{}.most;

} // namespace

member_rules member_rules::of_this_process() {
  member_rules result;
  ::rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0)
    result.most = std::min(result.most, connections_of(limit.rlim_cur, stranger_rules{}.most));
  return result;
}

void init_net_types() {
  static std::once_flag once;
  std::call_once(once, [] {
    init_message_types();
    init_network();
    init_types<caf::id_block::tune_net_types, caf::id_block::tune_submission_types>();
  });
}

network_config::network_config(const transport& how, std::size_t threads,
                               const liveness_rules& liveness)
    : lost_after_{liveness.lost_after}, notes_{most_notes} {
  configure_net(*this, threads);
  if (how.identity)
    load_network(*this, how.identity->files, liveness.lost_after);
  else
    load_network(*this, liveness.lost_after);
  // What arrives is read by the thread that receives it: to wake another one takes longer.
  tune::set(*this, "middleman.workers", std::size_t{0});
  start_or_end(*this);
}

void network_config::complain(const std::string& what) const {
  constexpr std::chrono::seconds pause{10};
  std::lock_guard guard{mutex_};
  const auto now = std::chrono::steady_clock::now();
  if (told_ && now < *told_ + pause) {
    ++untold_;
    return;
  }
  const auto more = std::exchange(untold_, 0);
  told_ = now;
  // Written in one piece.
  std::cerr << program_name() + ": " + printable(what)
                   + (more == 0 ? "" : "; and so " + std::to_string(more) + " times more before")
                   + "\n";
}

void network_config::note_identity(const caf::node_id& node, std::string who) const {
  std::lock_guard guard{mutex_};
  notes_.on(node).identity = std::move(who);
}

std::string network_config::identity_of(const caf::node_id& node) const {
  std::lock_guard guard{mutex_};
  const auto* known = notes_.find(node);
  return known == nullptr ? std::string{} : known->identity;
}

void network_config::note_patience(const caf::node_id& node, instant lost_after) const {
  std::lock_guard guard{mutex_};
  notes_.on(node).lost_after = lost_after;
}

std::optional<instant> network_config::patience_of(const caf::node_id& node) const {
  std::lock_guard guard{mutex_};
  const auto* known = notes_.find(node);
  const auto has_told = known != nullptr && known->lost_after.count() > 0;
  return has_told ? std::optional{known->lost_after} : std::nullopt;
}

const network_config* network_config_of(caf::actor_system& system) {
  return dynamic_cast<const network_config*>(&system.config());
}

void configure_net(caf::actor_system_config& config, std::size_t threads) {
  init_net_types();
  configure(config, threads);
  add_types<caf::id_block::tune_net_types, caf::id_block::tune_submission_types>(config);
}

} // namespace tune

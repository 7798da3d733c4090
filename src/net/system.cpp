// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/system.hpp"

#include "tune/actors/caf_modules.hpp"
#include "tune/net/caf_tls.hpp"
#include "tune/net/front_actors.hpp"

#include <mutex>

namespace tune {

void init_net_types() {
  static std::once_flag once;
  std::call_once(once, [] {
    init_message_types();
    init_network();
    init_types<caf::id_block::tune_net_types, caf::id_block::tune_front_types>();
  });
}

network_config::network_config(const transport& how, std::size_t threads,
                               const liveness_rules& liveness) {
  configure_net(*this, threads);
  if (how.identity)
    load_network(*this, how.identity->files, liveness.lost_after);
  else
    load_network(*this, liveness.lost_after);
  start_or_end(*this);
}

void configure_net(caf::actor_system_config& config, std::size_t threads) {
  init_net_types();
  configure(config, threads);
  add_types<caf::id_block::tune_net_types, caf::id_block::tune_front_types>(config);
}

} // namespace tune

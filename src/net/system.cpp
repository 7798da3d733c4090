// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/system.hpp"

#include <mutex>

namespace tune {

void init_net_types() {
  static std::once_flag once;
  std::call_once(once, [] {
    init_message_types();
    init_types<caf::id_block::tune_net_types>();
  });
}

void configure_net(caf::actor_system_config& config, std::size_t threads) {
  init_net_types();
  configure(config, threads);
  add_types<caf::id_block::tune_net_types>(config);
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/gateway.hpp"

#include <utility>

namespace tune {

namespace {

struct gateway_state {
  static inline const char* name = "tune.gateway";

  std::unique_ptr<http::http_server> server;
  std::function<void()> closing;

  std::string close() {
    if (closing)
      std::exchange(closing, {})();
    if (server)
      server->stop();
    return {};
  }
};

gateway_actor::behavior_type
gateway(gateway_actor::stateful_pointer<gateway_state> self,
        const std::shared_ptr<std::unique_ptr<http::http_server>>& from,
        std::function<void()> closing) {
  auto& state = state_of(self);
  state.server = std::move(*from);
  state.closing = std::move(closing);
  return {
      [self, &state](drain_atom) {
        auto done = state.close();
        self->quit();
        return done;
      },
  };
}

} // namespace

gateway_actor spawn_gateway(caf::actor_system& system, std::unique_ptr<http::http_server> server,
                            std::function<void()> closing) {
  auto handed = std::make_shared<std::unique_ptr<http::http_server>>(std::move(server));
  return system.spawn<caf::detached>(gateway, std::move(handed), std::move(closing));
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/standalone_run.hpp"

#include <utility>

namespace tune {

standalone_run::standalone_run(caf::actor_system& system, run_parts parts,
                               experiment_actors_options how, bool works_here,
                               const std::function<void(const std::string&)>& broken)
    : services_{system, parts.node, works_here}
    , actors_{services_, std::move(parts), std::move(how)} {
  services_.when_broken(broken);
  actors_.when_broken(broken);
  services_.when_crippled(actors_.interrupter());
}

expected<peer_address> standalone_run::listen(listen_options port) {
  auto where = port.where;
  auto opened = services_.listen(std::move(port));
  if (!opened)
    return opened.error();
  where.port = *opened;
  return where;
}

void standalone_run::close() {
  actors_.dismiss();
  services_.close();
}

void standalone_run::await_farewell() {
  actors_.await_farewell();
  services_.await_farewell();
}

} // namespace tune

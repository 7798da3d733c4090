// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/standalone_run.hpp"

#include <utility>

namespace tune {

standalone_run::standalone_run(caf::actor_system& system, run_parts parts,
                               experiment_actors_options how, bool works_here,
                               const std::function<void(const std::string&)>& broken)
    : services_{system, parts.node, works_here, how.head}
    , actors_{services_, std::move(parts), std::move(how)} {
  services_.when_broken(broken);
  actors_.when_broken(broken);
  services_.when_crippled(actors_.interrupter());
}

expected<peer_address> standalone_run::listen(listen_options port) {
  prepare(std::move(port));
  return open();
}

void standalone_run::prepare(listen_options port) {
  where_ = port.where;
  services_.prepare(std::move(port));
}

expected<peer_address> standalone_run::open() {
  auto opened = services_.open();
  if (!opened)
    return opened.error();
  where_.port = *opened;
  return where_;
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

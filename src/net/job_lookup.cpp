// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/job_lookup.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tune {

namespace {

struct finder_state {
  static inline const char* name = "tune.job_lookup";

  job_maker make;
  package_client_actor package_client;
  package_server_actor package_server;

  [[nodiscard]] job_ready ready(const fetched_job& found) const {
    if (!found.why.empty())
      return {nullptr, found.why, found.kind == ec::shortage};
    auto made = make(found);
    if (!made)
      return {nullptr, to_text(made.error()), made.error().code == ec::shortage};
    return {*made, {}, false};
  }
};

using finder_impl = extend<job_lookup_actor, caf::result<void>(package_server_actor)>;

finder_impl::behavior_type finder(finder_impl::stateful_pointer<finder_state> self,
                                  package_client_actor package_client,
                                  package_server_actor package_server, job_maker make) {
  auto& state = state_of(self);
  state.package_client = std::move(package_client);
  state.package_server = std::move(package_server);
  state.make = std::move(make);
  // Jobs are dropped when this actor ends, which is when nothing runs on the node any more.
  auto asked = std::make_shared<std::vector<std::string>>();
  self->attach_functor([asked, whom = state.package_client] {
    for (auto& job : *asked)
      send_from_outside(whom, job_dropped{std::move(job)});
  });
  return {
      [self, &state, asked](const job_wanted& what) {
        asked->push_back(what.id);
        auto answer = self->make_response_promise<job_ready>();
        // The package client lives in this process and always answers, though it may take long,
        // since files may be large.
        request(self, state.package_client, caf::infinite, fetch_job{what.id}, state.package_server)
            .then([&state, answer](
                      const fetched_job& found) mutable { answer.deliver(state.ready(found)); },
                  [self, answer](const caf::error& why) mutable {
                    answer.deliver(job_ready{nullptr, render(self->system(), why), false});
                  });
        return answer;
      },
      [self, &state, asked](const job_over& what) {
        for (auto dropped = std::erase(*asked, what.job); dropped > 0; --dropped)
          send(self, state.package_client, job_dropped{what.job});
      },
      [&state](const package_server_actor& to) { state.package_server = to; },
  };
}

} // namespace

job_lookup_actor spawn_job_lookup(caf::actor_system& system, package_client_actor package_client,
                                  package_server_actor package_server, job_maker make) {
  return system.spawn<caf::detached>(finder, std::move(package_client), std::move(package_server),
                                     std::move(make));
}

void reconnect(const job_lookup_actor& whom, const package_server_actor& to) {
  send_from_outside(caf::actor_cast<finder_impl>(whom), to);
}

} // namespace tune

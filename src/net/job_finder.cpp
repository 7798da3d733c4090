// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/job_finder.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tune {

namespace {

struct finder_state {
  static inline const char* name = "tune.job_finder";

  job_maker make;
  fetcher_actor fetcher;
  depot_actor depot;

  [[nodiscard]] job_ready ready(const fetched_job& found) const {
    if (!found.why.empty())
      return {nullptr, found.why, found.kind == ec::shortage};
    auto made = make(found);
    if (!made)
      return {nullptr, to_text(made.error()), made.error().code == ec::shortage};
    return {*made, {}, false};
  }
};

using finder_impl = extend<job_finder_actor, caf::result<void>(depot_actor)>;

finder_impl::behavior_type finder(finder_impl::stateful_pointer<finder_state> self,
                                  fetcher_actor fetcher, depot_actor depot, job_maker make) {
  auto& state = state_of(self);
  state.fetcher = std::move(fetcher);
  state.depot = std::move(depot);
  state.make = std::move(make);
  // It goes when nothing runs on the node any more.
  auto asked = std::make_shared<std::vector<std::string>>();
  self->attach_functor([asked, whom = state.fetcher] {
    for (auto& job : *asked)
      send_from_outside(whom, job_dropped{std::move(job)});
  });
  return {
      [self, &state, asked](const job_wanted& what) {
        asked->push_back(what.id);
        auto answer = self->make_response_promise<job_ready>();
        // The fetcher lives here and always answers: in its own time, since files may be large.
        request(self, state.fetcher, caf::infinite, fetch_job{what.id}, state.depot)
            .then([&state, answer](
                      const fetched_job& found) mutable { answer.deliver(state.ready(found)); },
                  [self, answer](const caf::error& why) mutable {
                    answer.deliver(job_ready{nullptr, render(self->system(), why), false});
                  });
        return answer;
      },
      [self, &state, asked](const job_over& what) {
        for (auto dropped = std::erase(*asked, what.job); dropped > 0; --dropped)
          send(self, state.fetcher, job_dropped{what.job});
      },
      [&state](const depot_actor& to) { state.depot = to; },
  };
}

} // namespace

job_finder_actor spawn_job_finder(caf::actor_system& system, fetcher_actor fetcher,
                                  depot_actor depot, job_maker make) {
  return system.spawn<caf::detached>(finder, std::move(fetcher), std::move(depot), std::move(make));
}

void reconnect(const job_finder_actor& whom, const depot_actor& to) {
  send_from_outside(caf::actor_cast<finder_impl>(whom), to);
}

} // namespace tune

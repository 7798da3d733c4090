// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/sink.hpp"

#include "sink_rest.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tune {

namespace {

/// Pause between two tries at the end.
constexpr std::chrono::milliseconds pause_at_end{250};
/// Pauses before that, each twice as long as the last.
constexpr std::chrono::milliseconds least_pause{500};
constexpr std::chrono::milliseconds most_pause{30'000};

using sink_impl = extend<sink_actor, caf::result<void>(flush_atom)>;

bool may_pass(const error& why) {
  return why.code == ec::shortage || why.code == ec::unreachable;
}

struct sink_state {
  static inline const char* name = "tune.sink";

  catch_up_function catch_up;
  sink_manners manners;
  sink_rest rest;
  sink_impl::pointer self = nullptr;
  sequence committed = 0;
  sequence taken = 0;
  /// Whether a `flush_atom` is under way.
  bool flushing = false;
  /// Whether the last try failed by what may pass, and was told.
  bool is_away = false;
  std::chrono::milliseconds pause = least_pause;
  std::string broken;
  /// Whether `catch_up` has to be called once more, though nothing new was committed.
  bool owes_last_call = false;
  /// How many more times a failed `catch_up` is tried at the end.
  std::int64_t tries_left = 0;
  /// Requests that wait for the end.
  std::vector<caf::typed_response_promise<std::string>> waiting;

  void hear(sequence seq) {
    committed = std::max(committed, seq);
    if (flushing)
      return;
    // Queued behind all waiting messages, so that many commits are taken over at once.
    flushing = true;
    const auto me = caf::actor_cast<sink_impl>(self);
    if (const auto left = rest.left(std::chrono::steady_clock::now()); left.count() > 0)
      delayed_send(self, me, left, flush_atom_v);
    else
      send(self, me, flush_atom_v);
  }

  /// @param is_last Whether this is the last try.
  void flush(bool is_last) {
    flushing = false;
    if (!broken.empty() || (taken == committed && !owes_last_call))
      return;
    const auto began = std::chrono::steady_clock::now();
    auto done = catch_up(committed);
    rest.worked(began, std::chrono::steady_clock::now());
    if (done) {
      taken = committed;
      owes_last_call = false;
      come_back();
      return;
    }
    if (!may_pass(done.error()) || is_last) {
      broken = to_text(done.error());
      manners.on_failure(done.error());
    } else {
      stay_away(done.error());
    }
  }

  void come_back() {
    pause = least_pause;
    if (std::exchange(is_away, false) && manners.on_back)
      manners.on_back();
  }

  /// The record has everything: the next try takes it over.
  void stay_away(const error& why) {
    if (!manners.on_away)
      return;
    if (!std::exchange(is_away, true))
      manners.on_away(why);
    if (!waiting.empty())
      return;
    flushing = true;
    delayed_send(self, caf::actor_cast<sink_impl>(self), pause, flush_atom_v);
    pause = std::min(2 * pause, most_pause);
  }

  /// Nothing more comes. After a failure that may pass, tries again.
  void end() {
    flush(tries_left <= 0);
    if (broken.empty() && (taken != committed || owes_last_call)) {
      --tries_left;
      delayed_send(self, caf::actor_cast<sink_impl>(self), pause_at_end, flush_atom_v);
      return;
    }
    for (auto& asker : std::exchange(waiting, {}))
      asker.deliver(broken);
  }

  caf::typed_response_promise<std::string> drain() {
    auto asker = self->make_response_promise<std::string>();
    waiting.push_back(asker);
    // How the experiment ended is no event, but a sink of somebody else may want to hear of it.
    owes_last_call = owes_last_call || manners.on_away;
    if (waiting.size() == 1)
      end();
    return asker;
  }

  void go_on() {
    if (waiting.empty())
      flush(false);
    else
      end();
  }
};

sink_impl::behavior_type sink(sink_impl::stateful_pointer<sink_state> self,
                              catch_up_function catch_up, sink_manners manners) {
  auto& state = state_of(self);
  state.self = self;
  state.tries_left = manners.patience / pause_at_end;
  state.catch_up = std::move(catch_up);
  state.rest = sink_rest{manners.longest_rest};
  state.manners = std::move(manners);
  return {
      [&state](durable_up_to x) { state.hear(x.seq); },
      [&state](drain_atom) { return state.drain(); },
      [&state](flush_atom) { state.go_on(); },
  };
}

} // namespace

sink_actor spawn_sink(caf::actor_system& system, catch_up_function catch_up, sink_manners manners) {
  return system.spawn<caf::detached>(sink, std::move(catch_up), std::move(manners));
}

} // namespace tune

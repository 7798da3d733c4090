// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/sink.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace tune {

namespace {

/// Pause between two tries at the end.
constexpr std::chrono::milliseconds pause_at_end{250};

using sink_impl = extend<sink_actor, caf::result<void>(flush_atom)>;

struct sink_state {
  static inline const char* name = "tune.sink";

  catch_up_function catch_up;
  sink_impl::pointer self = nullptr;
  std::function<void(const error&)> on_failure;
  sequence committed = 0;
  sequence taken = 0;
  bool flushing = false;
  std::string broken;
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
    send(self, caf::actor_cast<sink_impl>(self), flush_atom_v);
  }

  /// @param is_last Whether this is the last try.
  void flush(bool is_last) {
    flushing = false;
    if (!broken.empty() || taken == committed)
      return;
    auto done = catch_up(committed);
    if (done) {
      taken = committed;
      return;
    }
    // The next commit tries again; the record still has everything.
    if (done.error().code == ec::shortage && !is_last)
      return;
    broken = to_text(done.error());
    on_failure(done.error());
  }

  /// Nothing more comes. After a shortage, tries again: it may pass in a moment.
  void end() {
    flush(tries_left <= 0);
    if (broken.empty() && taken != committed) {
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
                              catch_up_function catch_up,
                              std::function<void(const error&)> on_failure,
                              std::chrono::milliseconds patience) {
  auto& state = state_of(self);
  state.self = self;
  state.tries_left = patience / pause_at_end;
  state.catch_up = std::move(catch_up);
  state.on_failure = std::move(on_failure);
  return {
      [&state](durable_up_to x) { state.hear(x.seq); },
      [&state](drain_atom) { return state.drain(); },
      [&state](flush_atom) { state.go_on(); },
  };
}

} // namespace

sink_actor spawn_sink(caf::actor_system& system, catch_up_function catch_up,
                      std::function<void(const error&)> on_failure,
                      std::chrono::milliseconds patience) {
  return system.spawn<caf::detached>(sink, std::move(catch_up), std::move(on_failure), patience);
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/sink.hpp"

namespace tune {

namespace {

using sink_impl = extend<sink_actor, caf::result<void>(flush_atom)>;

struct sink_state {
  static inline const char* name = "tune.sink";

  catch_up_function catch_up;
  std::function<void(const error&)> on_failure;
  sequence committed = 0;
  sequence taken = 0;
  bool flushing = false;
  std::string broken;

  template <class Self>
  void hear(Self* self, sequence seq) {
    committed = std::max(committed, seq);
    if (flushing)
      return;
    // Behind all that waits already: many commits are taken over at once.
    flushing = true;
    send(self, caf::actor_cast<sink_impl>(self), flush_atom_v);
  }

  /// @param is_last Nothing more comes.
  void flush(bool is_last) {
    flushing = false;
    if (!broken.empty() || taken == committed)
      return;
    auto done = catch_up(committed);
    if (done) {
      taken = committed;
      return;
    }
    // The next commit tries again; the record has it all.
    if (done.error().code == ec::shortage && !is_last)
      return;
    broken = to_text(done.error());
    on_failure(done.error());
  }
};

sink_impl::behavior_type sink(sink_impl::stateful_pointer<sink_state> self,
                              catch_up_function catch_up,
                              std::function<void(const error&)> on_failure) {
  auto& state = state_of(self);
  state.catch_up = std::move(catch_up);
  state.on_failure = std::move(on_failure);
  return {
      [self, &state](durable_up_to x) { state.hear(self, x.seq); },
      [&state](drain_atom) {
        state.flush(true);
        return state.broken;
      },
      [&state](flush_atom) { state.flush(false); },
  };
}

} // namespace

sink_actor spawn_sink(caf::actor_system& system, catch_up_function catch_up,
                      std::function<void(const error&)> on_failure) {
  return system.spawn<caf::detached>(sink, std::move(catch_up), std::move(on_failure));
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/recorder.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace tune {

namespace {

// Sends itself a flush behind all turns that wait already.
using recorder_impl = extend<recorder_actor, caf::result<void>(flush_atom)>;

struct recorder_state {
  static inline const char* name = "tune.recorder";

  commit_function commit;
  recorder_impl::pointer self = nullptr;
  std::vector<store_item> pending;
  sequence last = 0;
  bool flushing = false;
  std::optional<error> broken;
  runner_actor runner;
  std::vector<sink_actor> sinks;

  void take(record_turn& turn) {
    if (broken)
      return;
    if (pending.empty())
      pending = std::move(turn.items);
    else
      std::move(turn.items.begin(), turn.items.end(), std::back_inserter(pending));
    if (!flushing) {
      flushing = true;
      send(self, caf::actor_cast<recorder_impl>(self), flush_atom_v);
    }
  }

  void flush() {
    flushing = false;
    if (broken || pending.empty())
      return;
    auto done = commit(pending);
    if (!done) {
      broken = done.error();
      if (runner)
        send_urgent(self, runner, storage_failed{*broken});
      return;
    }
    // The row of an older event may be the last item.
    for (const auto& item : pending)
      last = std::max(last, item.seq);
    pending.clear();
    if (runner)
      send_urgent(self, runner, durable_up_to{last});
    for (const auto& sink : sinks)
      send(self, sink, durable_up_to{last});
  }
};

recorder_impl::behavior_type recorder(recorder_impl::stateful_pointer<recorder_state> self,
                                      commit_function commit) {
  auto& state = state_of(self);
  state.self = self;
  state.commit = std::move(commit);
  return {
      [&state](record_turn& turn) { state.take(turn); },
      [&state](const runner_actor& runner) { state.runner = runner; },
      [self, &state](const sink_actor& sink) {
        state.sinks.push_back(sink);
        if (state.last > 0)
          send(self, sink, durable_up_to{state.last});
      },
      [&state](drain_atom) {
        state.flush();
        return state.broken ? to_text(*state.broken) : std::string{};
      },
      [&state](flush_atom) { state.flush(); },
  };
}

} // namespace

recorder_actor spawn_recorder(caf::actor_system& system, commit_function commit) {
  return system.spawn<caf::detached>(recorder, std::move(commit));
}

} // namespace tune

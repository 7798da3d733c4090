// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/connector.hpp"

#include "tune/actors/clocks.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

/// What came of dialing.
struct dialed {
  door_actor door;
  error why;
};

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_connector, 140)
TUNE_LOCAL_TYPE(tune_connector, tune::dialed)
TUNE_END_LOCAL_TYPES(tune_connector)

namespace tune {

namespace {

using connector_impl = extend<connector_actor, caf::result<void>(tick_atom, std::uint64_t)>;

/// Connecting blocks, and so it has a thread of its own. Only its connector knows it: see
/// docs/decisions/0005.
using dialer_actor = typed_actor<caf::result<dialed>(run_atom)>;

/// For each answer of a head that was reached.
constexpr auto answer_patience = std::chrono::seconds{10};

/// A connection from the welcome to its end.
struct session {
  door_actor door;
  head_links links;
  welcome by;
  node_actor node;
  job_finder_actor finder;
  output_desk_actor outputs;
  keeper_actor keeper;
};

struct dialer_state {
  static inline const char* name = "tune.dialer";
  door_dialer dial;
};

dialer_actor::behavior_type dialer(dialer_actor::stateful_pointer<dialer_state> self,
                                   door_dialer dial) {
  auto& state = state_of(self);
  state.dial = std::move(dial);
  return {
      [&state](run_atom) {
        auto door = state.dial();
        return door ? dialed{*door, {}} : dialed{{}, door.error()};
      },
  };
}

struct connector_state {
  static inline const char* name = "tune.connector";

  connector_settings settings;
  dialer_actor dialer;
  monitors watched;
  std::optional<session> with;
  std::chrono::milliseconds wait{0};
  std::chrono::steady_clock::time_point alone_since;
  /// Numbers the timers: one that was overtaken means nothing.
  std::uint64_t timer = 0;
  bool leaving = false;
  /// It had a head once.
  bool was_joined = false;
  /// The head is out of reach; the node is on its way out.
  bool is_lost = false;

  connector_observer& seen() { return *settings.observer; }

  template <class Self>
  void begin(Self* self) {
    wait = settings.first_wait;
    alone_since = self->clock().now();
    attempt(self);
  }

  // -- Coming in.

  template <class Self>
  void attempt(Self* self) {
    // It takes a bounded time, and lives here.
    request(self, dialer, caf::infinite, run_atom_v)
        .then([this, self](const dialed& result) { introduce(self, result); },
              [this, self](const caf::error& why) {
                retry(self, "cannot dial: " + render(self->system(), why));
              });
  }

  template <class Self>
  void introduce(Self* self, const dialed& to) {
    if (!to.door) {
      if (to.why.code == ec::refused)
        return end(self, {worker_end::kind::refused, to.why.detail});
      return retry(self, to.why.detail);
    }
    hello words{settings.build,
                settings.cluster,
                settings.node.name,
                settings.worker,
                wall_ms(),
                settings.node.capacity,
                offer_of(settings.node).labels};
    request(self, to.door, answer_patience, hello_atom_v, to_json(words))
        .then([this, self, door = to.door](const std::string& text) { hear(self, door, text); },
              [this, self](const caf::error& why) {
                retry(self, "the head does not answer: " + render(self->system(), why));
              });
  }

  template <class Self>
  void hear(Self* self, const door_actor& door, const std::string& text) {
    auto answer = hello_answer_from_json(text);
    if (!answer)
      return retry(self, "the head's answer makes no sense: " + answer.error().detail);
    if (const auto* no = std::get_if<rejection>(&*answer)) {
      if (no->try_again)
        return retry(self, no->why);
      return end(self, {worker_end::kind::refused, no->why});
    }
    if (leaving)
      return end(self, {worker_end::kind::left, {}});
    auto& by = std::get<welcome>(*answer);
    request(self, door, answer_patience, enter_atom_v, by.ticket)
        .then([this, self, door, by](const head_links& links) { enter(self, door, by, links); },
              [this, self](const caf::error& why) {
                retry(self, "the head does not answer: " + render(self->system(), why));
              });
  }

  template <class Self>
  void enter(Self* self, const door_actor& door, const welcome& by, const head_links& links) {
    is_lost = false;
    was_joined = true;
    auto node = settings.node;
    node.name = by.name;
    settings.furnish(node, links);
    auto& now = with.emplace(session{door, links, by, {}, node.finder, node.outputs, node.keeper});
    now.node = spawn_node(self->system(), std::move(node), links.desk);
    watched.watch(self, door, [this, self](const caf::error& why) {
      lose(self, text_of_loss("the head", why));
    });
    watched.watch(self, now.node, [this, self](const caf::error&) { close(self); });
    send(self, door, enter_atom_v, by.ticket, now.node);
    wait = settings.first_wait;
    seen().joined(by.name, by);
    if (leaving)
      leave_head(self);
  }

  template <class Call>
  void for_each_helper(Call call) const {
    if (with->finder)
      call(with->finder);
    if (with->outputs)
      call(with->outputs);
    if (with->keeper)
      call(with->keeper);
  }

  // -- Going.

  /// The head is gone: nobody will hear of what runs here.
  template <class Self>
  void lose(Self* self, const std::string& why) {
    if (!with || is_lost)
      return;
    is_lost = true;
    seen().lost(why);
    send(self, with->node, drain_atom_v);
  }

  /// The node is gone, and with it all that ran.
  template <class Self>
  void close(Self* self) {
    for_each_helper(
        [self](const auto& whom) { self->send_exit(whom, caf::exit_reason::user_shutdown); });
    with.reset();
    ++timer;
    alone_since = self->clock().now();
    if (leaving)
      return end(self, {worker_end::kind::left, {}});
    if (!is_lost)
      seen().lost("the head let this node go");
    if (settings.once)
      return end(self, {worker_end::kind::left, {}});
    retry(self, {});
  }

  template <class Self>
  void retry(Self* self, const std::string& why) {
    if (leaving)
      return end(self, {worker_end::kind::left, {}});
    auto alone = self->clock().now() - alone_since;
    if (!was_joined && settings.patience && alone + wait > *settings.patience)
      return end(self, {worker_end::kind::unreachable, why});
    seen().waits(why, wait);
    remind(self, wait);
    wait = std::min(2 * wait, settings.most_wait);
  }

  template <class Self>
  void remind(Self* self, std::chrono::milliseconds after) {
    delayed_send(self, caf::actor_cast<connector_impl>(self), after, tick_atom_v, ++timer);
  }

  template <class Self>
  void tick(Self* self, std::uint64_t which) {
    if (which != timer)
      return;
    if (with)
      send(self, with->node, drain_atom_v);
    else if (!leaving)
      attempt(self);
  }

  template <class Self>
  void leave(Self* self) {
    if (std::exchange(leaving, true)) {
      if (with)
        send(self, with->node, drain_atom_v);
      return;
    }
    if (with)
      return leave_head(self);
    ++timer;
    end(self, {worker_end::kind::left, {}});
  }

  /// The head gives it nothing more; what runs may end.
  template <class Self>
  void leave_head(Self* self) {
    send(self, with->links.desk, node_leaving{with->by.name});
    send(self, with->node, leave_atom_v);
    remind(self, settings.leave_grace);
  }

  template <class Self>
  void end(Self* self, const worker_end& how) {
    self->quit();
    if (auto observer = std::exchange(settings.observer, nullptr))
      observer->ended(how);
  }
};

connector_impl::behavior_type connector(connector_impl::stateful_pointer<connector_state> self,
                                        connector_settings settings) {
  auto& state = state_of(self);
  state.settings = std::move(settings);
  state.watched.init(self);
  const auto& dial = state.settings.dial;
  state.dialer = state.settings.own_thread ? self->spawn<caf::detached>(dialer, dial)
                                           : self->spawn(dialer, dial);
  take_along(self, state.dialer);
  return {
      [self, &state](run_atom) { state.begin(self); },
      [self, &state](leave_atom) { state.leave(self); },
      [self, &state](tick_atom, std::uint64_t which) { state.tick(self, which); },
  };
}

} // namespace

connector_actor spawn_connector(caf::actor_system& system, connector_settings settings) {
  return system.spawn(connector, std::move(settings));
}

} // namespace tune

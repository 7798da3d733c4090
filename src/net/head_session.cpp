// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/head_session.hpp"

#include "answer_verdict.hpp"
#include "dialer.hpp"
#include "joined_session.hpp"

#include "tune/actors/breaks.hpp"
#include "tune/actors/clocks.hpp"
#include "tune/actors/firm.hpp"
#include "tune/core/liveness/idle_limit.hpp"
#include "tune/core/liveness/retry_pace.hpp"
#include "tune/io/process/process_mark.hpp"
#include "tune/net/quiet_watch.hpp"
#include "tune/net/system.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

using head_session_impl = extend<head_session_actor, caf::result<void>(tick_atom, std::uint64_t),
                                 caf::result<void>(heartbeat_news),
                                 // Sent by the node: it may speak.
                                 caf::result<void>(leases_kept),
                                 // Sent by the node: something runs there, or nothing any more.
                                 caf::result<void>(bool),
                                 // Leaves if this stretch of idleness still lasts.
                                 caf::result<void>(leave_atom, std::uint64_t)>;

/// Limit for each answer of a head that was reached.
constexpr auto answer_patience = std::chrono::seconds{10};

/// See `hello::lost_after_ms`.
std::int64_t patience_in(caf::actor_system& system) {
  const auto* config = network_config_of(system);
  return config == nullptr
             ? 0
             : std::chrono::duration_cast<std::chrono::milliseconds>(config->lost_after()).count();
}

/// @param with The head that the worker looks for; none: any.
hello hello_of(const head_session_settings& x, const std::string& process, const node_route& route,
               const std::optional<joined_session>& with) {
  return {x.build,
          x.cluster,
          with ? with->by.name : x.node.name,
          x.worker,
          wall_ms(),
          x.node.capacity,
          offer_of(x.node).labels,
          process,
          route,
          x.node.gpus,
          with ? with->by.head : std::string{}};
}

struct head_session_state {
  static inline const char* name = "tune.head_session";

  head_session_settings settings;
  head_session_impl::pointer self = nullptr;
  std::string own_process = mark_of_this_process();
  dialer_actor dialer;
  monitors watched;
  std::optional<joined_session> with;
  retry_pace pace;
  idle_limit idleness;
  /// Number of the newest timer; older ones are ignored.
  std::uint64_t timer = 0;
  /// Number of the newest try; answers to older ones are ignored.
  std::uint64_t course = 0;
  bool leaving = false;
  /// True when the head is lost and the node is ending.
  bool is_lost = false;

  head_session_observer& seen() { return *settings.observer; }

  void start() {
    pace = {settings.first_wait, settings.most_wait, settings.patience};
    pace.begin(self->clock().now());
    note_load(false);
    attempt();
  }

  // -- Joining, or coming back.

  /// Wraps a handler such that it runs only if no other try has begun and one is still due.
  template <class Answer, class Call>
  auto in_course(Call call) {
    return [this, which = course, call](const Answer& x) {
      if (which == course)
        call(x);
    };
  }

  void attempt() {
    ++course;
    // The dialer lives in this process and takes a bounded time.
    request(self, dialer, caf::infinite, run_atom_v)
        .then(in_course<dialed>([this](const dialed& result) { introduce(result); }),
              in_course<caf::error>([this](const caf::error& why) {
                retry("cannot dial: " + render(self->system(), why));
              }));
  }

  void introduce(const dialed& to) {
    if (!to.node_registry) {
      if (to.why.code == ec::refused)
        return refuse(to.why.detail);
      return retry(to.why.detail);
    }
    auto words = hello_of(settings, own_process, to.route, with);
    words.lost_after_ms = patience_in(self->system());
    request(self, to.node_registry, answer_patience, hello_atom_v, to_json(words))
        .then(in_course<std::string>([this, node_registry = to.node_registry](
                                         const std::string& text) { hear(node_registry, text); }),
              in_course<caf::error>([this](const caf::error& why) {
                retry("the head does not answer: " + render(self->system(), why));
              }));
  }

  /// Handles a refusal that a retry would not change.
  void refuse(const std::string& why) {
    if (with)
      return lose(why);
    end({worker_end::kind::refused, why});
  }

  void hear(const node_registry_actor& node_registry, const std::string& text) {
    const auto what
        = judge_answer(hello_answer_from_json(text), with ? &with->by : nullptr, leaving);
    using enum answer_verdict::kind;
    switch (what.what) {
      case enter:
        return ask_to_enter(node_registry, what.by);
      case try_again:
        return retry(what.why);
      case give_up:
        return refuse(what.why);
      case leave:
        return end({worker_end::kind::left, {}});
    }
  }

  void ask_to_enter(const node_registry_actor& node_registry, const welcome& by) {
    if (const auto* config = network_config_of(self->system()))
      config->note_patience(caf::actor_cast<caf::strong_actor_ptr>(node_registry)->node(),
                            patience_from(by.lost_after_ms));
    // Taken before the request, since the head counts from its own, later receipt.
    auto began = settings.clock();
    request(self, node_registry, answer_patience, enter_atom_v, by.ticket)
        .then(in_course<head_links>([this, node_registry, by, began](const head_links& links) {
                with ? come_back(node_registry, by, links, began)
                     : enter(node_registry, by, links, began);
              }),
              in_course<caf::error>([this](const caf::error& why) {
                retry("the head does not answer: " + render(self->system(), why));
              }));
  }

  void enter(const node_registry_actor& node_registry, const welcome& by, const head_links& links,
             instant began) {
    is_lost = false;
    pace.succeed();
    auto node = settings.node;
    node.name = by.name;
    node.session = by.ticket;
    if (links.heartbeat_monitor && by.lost_after_ms > 0)
      node.gate = std::make_shared<session_fence>(settings.clock);
    node.when_open
        = [me = caf::actor_cast<head_session_impl>(self)] { send_from_outside(me, leases_kept{}); };
    node.when_busy
        = [me = caf::actor_cast<head_session_impl>(self)](bool x) { send_from_outside(me, x); };
    settings.furnish(node, links);
    auto& now = with.emplace(joined_session{
        node_registry, links, by, {}, node.finder, node.outputs, node.checkpoint_service});
    now.gate = node.gate;
    now.began = began;
    now.node = spawn_local_node(self->system(), std::move(node), links.cluster);
    with->begin_heartbeats(self, std::nullopt);
    watch_node_registry();
    watched.watch(self, now.node, [this](const caf::error& why) { close(why); });
    send(self, node_registry, enter_atom_v, by.ticket, node_actor{now.node},
         node_inventory{0, {}, by.ticket});
    seen().joined(by.name, by);
    if (leaving)
      leave_head();
  }

  void watch_node_registry() {
    watched.watch(self, with->node_registry, [this](const caf::error& why) {
      auto text = text_of_loss("the head", why);
      is_unreachable(why) ? part(text) : lose(text);
    });
  }

  // -- A head that is out of reach.

  /// Starts to look for the head; attempts go on, unheard.
  void part(const std::string& why) {
    if (!with || is_lost || with->is_away)
      return;
    if (!with->gate || leaving || is_gone_for_good())
      return lose(why);
    const auto wait = with->part(settings.clock());
    pace.restart();
    seen().away(why, std::chrono::duration_cast<std::chrono::milliseconds>(wait));
    // Not at once: a head that lets the node in and then does not count on it would cause a busy
    // loop.
    remind(std::min(pace.wait(), with->half_interval()));
  }

  /// Whether the head has ended, and none may take its place.
  [[nodiscard]] bool is_gone_for_good() const {
    return !with->outlives_head() && is_known_gone(with->by.process);
  }

  void take(const heartbeat_news& what) {
    if (!with || what.session != with->by.ticket || is_lost)
      return;
    if (what.what == session_lease::state::lost)
      lose(what.why);
    else
      part(what.why);
  }

  void come_back(const node_registry_actor& node_registry, const welcome& by,
                 const head_links& links, instant began) {
    with->is_found(node_registry, by, links, began);
    // Before the head can launch anything: what is unknown here is nowhere else.
    with->reconnect_finder();
    send(self, with->node, links.cluster);
    // The node lives in this process.
    request(self, with->node, caf::infinite, enter_atom_v, by.ticket)
        .then(in_course<node_inventory>([this](const node_inventory& has) { be_back(has); }),
              [](const caf::error&) {}); // The node is gone; its monitor reports that.
  }

  void be_back(const node_inventory& has) {
    with->is_away = false;
    with->returns = true;
    pace.restart();
    with->begin_heartbeats(self, with->lost_at);
    watch_node_registry();
    send(self, with->node_registry, enter_atom_v, with->by.ticket, node_actor{with->node}, has);
  }

  /// Goes on once the head has said what may continue.
  void go_on() {
    if (!with || is_lost || !std::exchange(with->returns, false))
      return;
    with->reconnect_helpers();
    seen().back();
  }

  // -- Leaving.

  /// Ends everything, since the head is gone and nobody will hear of what runs here.
  void lose(const std::string& why) {
    if (!with || is_lost)
      return;
    is_lost = true;
    ++course;
    ++timer;
    if (with->gate)
      with->gate->shut();
    seen().lost(why);
    send(self, with->node, drain_atom_v);
  }

  /// Cleans up after the node has ended, and with it all attempts.
  void close(const caf::error& why) {
    with->end_helpers(self);
    with->end_heartbeats(self);
    with.reset();
    ++course;
    ++timer;
    if (leaving)
      return end({worker_end::kind::left, {}});
    if (auto broken = text_of_break("this node", why); !broken.empty() && !is_lost)
      seen().lost(broken);
    else if (!is_lost)
      seen().lost("the head let this node go");
    if (settings.once)
      return end({worker_end::kind::left, {}});
    retry({});
  }

  /// Retries later; soon if attempts run here.
  void retry(const std::string& why) {
    if (with && is_gone_for_good())
      return lose(why);
    if (!with && leaving)
      return end({worker_end::kind::left, {}});
    if (!with && pace.is_exhausted(self->clock().now()))
      return end({worker_end::kind::unreachable, why});
    seen().waits(why, pace.wait());
    remind(pace.wait());
    with ? pace.lengthen(with->half_interval()) : pace.lengthen();
  }

  void remind(std::chrono::milliseconds after) {
    delayed_send(self, caf::actor_cast<head_session_impl>(self), after, tick_atom_v, ++timer);
  }

  void tick(std::uint64_t which) {
    if (which != timer)
      return;
    if (with && with->is_away)
      attempt();
    else if (with)
      send(self, with->node, drain_atom_v);
    else if (!leaving)
      attempt();
  }

  void note_load(bool is_busy) {
    if (auto stretch = idleness.note(is_busy); stretch && settings.idle_exit)
      delayed_send(self, caf::actor_cast<head_session_impl>(self), *settings.idle_exit,
                   leave_atom_v, *stretch);
  }

  void leave_if_idle(std::uint64_t stretch) {
    if (leaving || !idleness.is_over(stretch))
      return;
    seen().idle();
    leave();
  }

  void leave() {
    if (std::exchange(leaving, true)) {
      if (with)
        send(self, with->node, drain_atom_v);
      return;
    }
    if (with && with->is_away)
      return lose("the head is out of reach");
    if (with)
      return leave_head();
    ++course;
    ++timer;
    end({worker_end::kind::left, {}});
  }

  void leave_head() {
    with->announce_departure(self);
    remind(settings.leave_grace);
  }

  void end(const worker_end& how) {
    self->quit();
    if (auto observer = std::exchange(settings.observer, nullptr))
      observer->ended(how);
  }
};

head_session_impl::behavior_type
head_session(head_session_impl::stateful_pointer<head_session_state> self,
             head_session_settings settings) {
  auto& state = state_of(self);
  state.self = self;
  state.settings = std::move(settings);
  stand_firm(self);
  state.watched.init(self);
  state.dialer = spawn_dialer(self->system(), state.settings.dial, state.settings.route,
                              state.settings.own_thread);
  share_end(self, state.dialer);
  return {
      [&state](run_atom) { state.start(); },
      [&state](leave_atom) { state.leave(); },
      [&state](tick_atom, std::uint64_t which) { state.tick(which); },
      [&state](const heartbeat_news& x) { state.take(x); },
      [&state](const leases_kept&) { state.go_on(); },
      [&state](bool is_busy) { state.note_load(is_busy); },
      [&state](leave_atom, std::uint64_t stretch) { state.leave_if_idle(stretch); },
  };
}

} // namespace

head_session_actor spawn_head_session(caf::actor_system& system, head_session_settings settings) {
  return system.spawn(head_session, std::move(settings));
}

} // namespace tune

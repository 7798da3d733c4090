// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/head_session.hpp"

#include "heartbeat_sender.hpp"

#include "tune/actors/breaks.hpp"
#include "tune/actors/clocks.hpp"
#include "tune/actors/firm.hpp"
#include "tune/io/process/process_mark.hpp"
#include "tune/net/checkpoint_client.hpp"
#include "tune/net/job_lookup.hpp"
#include "tune/net/output_client.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

/// Result of dialling.
struct dialed {
  node_registry_actor node_registry;
  error why;
  node_route route;
};

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_head_session)
TUNE_LOCAL_TYPE(tune_head_session, tune::dialed)
TUNE_END_LOCAL_TYPES(tune_head_session)

namespace tune {

namespace {

using head_session_impl = extend<head_session_actor, caf::result<void>(tick_atom, std::uint64_t),
                                 caf::result<void>(heartbeat_news),
                                 // Sent by the node: it may speak.
                                 caf::result<void>(leases_kept)>;

/// Connects on a thread of its own, since that blocks. Only its head session knows it: see
/// docs/decisions/0005.
using dialer_actor = typed_actor<caf::result<dialed>(run_atom)>;

/// Limit for each answer of a head that was reached.
constexpr auto answer_patience = std::chrono::seconds{10};

/// A connection, from the welcome to its end.
struct session {
  node_registry_actor node_registry;
  head_links links;
  welcome by;
  node_local_actor node;
  job_lookup_actor finder;
  output_client_actor outputs;
  checkpoint_service_actor checkpoint_service;
  /// Null: nobody watches for silence.
  std::shared_ptr<session_fence> gate = {};
  heartbeat_sender_actor heartbeat_sender = {};
  /// Begin of the lease of this session.
  instant began{0};
  /// True while the head is out of reach and the node waits for it.
  bool is_away = false;
  /// True after the head was found again, until it has said what may go on.
  bool returns = false;
  /// Time at which the node stops waiting.
  instant lost_at{0};

  [[nodiscard]] liveness_rules rules() const {
    return {std::chrono::milliseconds{by.lost_after_ms}};
  }
};

struct dialer_state {
  static inline const char* name = "tune.dialer";
  head_dialer dial;
  std::function<node_route()> route;
};

dialer_actor::behavior_type dialer(dialer_actor::stateful_pointer<dialer_state> self,
                                   head_dialer dial, std::function<node_route()> route) {
  auto& state = state_of(self);
  state.dial = std::move(dial);
  state.route = std::move(route);
  return {
      [&state](run_atom) {
        auto node_registry = state.dial();
        if (!node_registry)
          return dialed{{}, node_registry.error(), {}};
        return dialed{*node_registry, {}, state.route ? state.route() : node_route{}};
      },
  };
}

struct head_session_state {
  static inline const char* name = "tune.head_session";

  head_session_settings settings;
  head_session_impl::pointer self = nullptr;
  std::string own_process = mark_of_this_process();
  dialer_actor dialer;
  monitors watched;
  std::optional<session> with;
  std::chrono::milliseconds wait{0};
  std::chrono::steady_clock::time_point alone_since;
  /// Number of the newest timer; older ones are ignored.
  std::uint64_t timer = 0;
  /// Number of the newest try; answers to older ones are ignored.
  std::uint64_t course = 0;
  bool leaving = false;
  /// True once the worker has joined a head.
  bool was_joined = false;
  /// True when the head is lost and the node is ending.
  bool is_lost = false;

  head_session_observer& seen() { return *settings.observer; }

  void start() {
    wait = settings.first_wait;
    alone_since = self->clock().now();
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
    hello words{settings.build,
                settings.cluster,
                settings.node.name,
                settings.worker,
                wall_ms(),
                settings.node.capacity,
                offer_of(settings.node).labels,
                own_process,
                to.route,
                settings.node.gpus};
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
    auto answer = hello_answer_from_json(text);
    if (!answer)
      return retry("the head's answer makes no sense: " + answer.error().detail);
    if (const auto* no = std::get_if<rejection>(&*answer)) {
      if (no->try_again)
        return retry(no->why);
      return refuse(no->why);
    }
    if (leaving && !with)
      return end({worker_end::kind::left, {}});
    auto& by = std::get<welcome>(*answer);
    // Another head knows nothing of what runs here, and the one that did is gone.
    if (with && by.head != with->by.head)
      return lose("another head leads");
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
    was_joined = true;
    auto node = settings.node;
    node.name = by.name;
    node.session = by.ticket;
    if (links.heartbeat_monitor && by.lost_after_ms > 0)
      node.gate = std::make_shared<session_fence>(settings.clock);
    node.when_open
        = [me = caf::actor_cast<head_session_impl>(self)] { send_from_outside(me, leases_kept{}); };
    settings.furnish(node, links);
    auto& now = with.emplace(
        session{node_registry, links, by, {}, node.finder, node.outputs, node.checkpoint_service});
    now.gate = node.gate;
    now.began = began;
    now.node = spawn_local_node(self->system(), std::move(node), links.cluster);
    begin_heartbeats(std::nullopt);
    watch_node_registry();
    watched.watch(self, now.node, [this](const caf::error& why) { close(why); });
    send(self, node_registry, enter_atom_v, by.ticket, node_actor{now.node},
         node_inventory{0, {}, by.ticket});
    wait = settings.first_wait;
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

  void begin_heartbeats(std::optional<instant> lost_at) {
    if (!with->gate)
      return;
    end_heartbeats();
    // Set before the head can say anything about this session.
    with->gate->set_end(with->began + with->rules().lease());
    with->heartbeat_sender
        = spawn_heartbeat_sender(self->system(),
                                 {with->by.ticket, with->rules(), with->began,
                                  with->links.heartbeat_monitor, with->gate, lost_at},
                                 caf::actor_cast<heartbeat_listener_actor>(self));
    send(self, with->heartbeat_sender, run_atom_v);
  }

  void end_heartbeats() {
    if (with->heartbeat_sender)
      self->send_exit(std::exchange(with->heartbeat_sender, heartbeat_sender_actor{}),
                      caf::exit_reason::user_shutdown);
  }

  // -- A head that is out of reach.

  /// Starts to look for the head; attempts go on, unheard.
  void part(const std::string& why) {
    if (!with || is_lost || with->is_away)
      return;
    if (!with->gate || leaving || is_known_gone(with->by.process))
      return lose(why);
    with->is_away = true;
    with->gate->shut();
    with->lost_at = settings.clock() + with->rules().lease() + with->rules().lost_after;
    wait = settings.first_wait;
    seen().away(why,
                std::chrono::duration_cast<std::chrono::milliseconds>(with->rules().lost_after));
    // Not at once: a head that lets the node in and then does not count on it would cause a busy
    // loop.
    remind(std::min(wait, half_interval()));
  }

  [[nodiscard]] std::chrono::milliseconds half_interval() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(with->rules().interval() / 2);
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
    with->node_registry = node_registry;
    with->links = links;
    with->by = by;
    with->began = began;
    send(self, with->node, links.cluster);
    // The node lives in this process.
    request(self, with->node, caf::infinite, enter_atom_v, by.ticket)
        .then(in_course<node_inventory>([this](const node_inventory& has) { be_back(has); }),
              [](const caf::error&) {}); // The node is gone; its monitor reports that.
  }

  void be_back(const node_inventory& has) {
    with->is_away = false;
    with->returns = true;
    wait = settings.first_wait;
    begin_heartbeats(with->lost_at);
    watch_node_registry();
    send(self, with->node_registry, enter_atom_v, with->by.ticket, node_actor{with->node}, has);
  }

  /// Goes on once the head has said what may continue.
  void go_on() {
    if (!with || is_lost || !std::exchange(with->returns, false))
      return;
    if (with->finder)
      reconnect(with->finder, with->links.package_server);
    if (with->outputs)
      reconnect(with->outputs, with->links.output_server);
    if (with->checkpoint_service)
      reconnect(with->checkpoint_service, with->links.checkpoint_server);
    seen().back();
  }

  template <class Call>
  void for_each_helper(Call call) const {
    if (with->finder)
      call(with->finder);
    if (with->outputs)
      call(with->outputs);
    if (with->checkpoint_service)
      call(with->checkpoint_service);
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
    for_each_helper(
        [this](const auto& whom) { self->send_exit(whom, caf::exit_reason::user_shutdown); });
    end_heartbeats();
    with.reset();
    ++course;
    ++timer;
    alone_since = self->clock().now();
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

  void retry(const std::string& why) {
    if (with)
      return retry_soon(why);
    if (leaving)
      return end({worker_end::kind::left, {}});
    auto alone = self->clock().now() - alone_since;
    if (!was_joined && settings.patience && alone + wait > *settings.patience)
      return end({worker_end::kind::unreachable, why});
    seen().waits(why, wait);
    remind(wait);
    wait = std::min(2 * wait, settings.most_wait);
  }

  /// Retries at short intervals, since attempts run here.
  void retry_soon(const std::string& why) {
    if (is_known_gone(with->by.process))
      return lose(why);
    seen().waits(why, wait);
    remind(wait);
    wait = std::max(settings.first_wait, std::min(2 * wait, half_interval()));
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

  /// Announces the departure: the head sends nothing more, and attempts may finish.
  void leave_head() {
    send(self, with->links.cluster, node_leaving{with->by.name});
    send(self, with->node, leave_atom_v);
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
  const auto& dial = state.settings.dial;
  const auto& route_of = state.settings.route;
  state.dialer = state.settings.own_thread ? self->spawn<caf::detached>(dialer, dial, route_of)
                                           : self->spawn(dialer, dial, route_of);
  share_end(self, state.dialer);
  return {
      [&state](run_atom) { state.start(); },
      [&state](leave_atom) { state.leave(); },
      [&state](tick_atom, std::uint64_t which) { state.tick(which); },
      [&state](const heartbeat_news& x) { state.take(x); },
      [&state](const leases_kept&) { state.go_on(); },
  };
}

} // namespace

head_session_actor spawn_head_session(caf::actor_system& system, head_session_settings settings) {
  return system.spawn(head_session, std::move(settings));
}

} // namespace tune

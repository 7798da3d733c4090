// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/scaler.hpp"

#include "tune/actors/firm.hpp"
#include "tune/actors/own_thread.hpp"
#include "tune/core/resource/told_demands.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

namespace tune {

namespace {

constexpr std::chrono::seconds between_looks{1};
/// A cluster that is busy answers later; nothing is lost by that.
constexpr std::chrono::seconds cluster_patience{30};

/// Makes one call, on its own thread, and ends.
using scaling_caller_actor = typed_actor<caf::result<void>(scaling_call, scaler_actor)>;

struct scaling_caller_state {
  static inline const char* name = "tune.scaling_caller";
};

std::string counted(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string joined(const std::vector<std::string>& names) {
  std::string result;
  for (const auto& x : names)
    result += (result.empty() ? "" : ", ") + x;
  return result;
}

/// "5 wanted, 2 there, 1 on its way".
std::string numbers_of(const scaling_call& x) {
  return std::to_string(x.wanted) + " wanted, " + std::to_string(x.now) + " there"
         + (x.asked > 0 ? ", " + std::to_string(x.asked) + " asked for before" : "");
}

/// "; 2 with gpu_model == A100".
std::string kinds_text(const scaling_call& x) {
  std::string result;
  for (const auto& kind : x.kinds) {
    if (const auto told = told_of(kind.demands); !told.require.empty())
      result += "; " + std::to_string(kind.more) + " with " + told.require;
  }
  return result;
}

std::string call_text(const scaling_call& x) {
  if (x.idle.empty())
    return "asks for " + counted(x.more, "worker") + ": " + numbers_of(x) + kinds_text(x);
  return "gives back " + joined(x.idle) + ", idle: " + numbers_of(x);
}

struct scaler_state {
  static inline const char* name = "tune.scaler";

  scaler_settings settings;
  scaler_actor::pointer self = nullptr;
  cluster_local_actor cluster;
  std::optional<scaling> rule;
  std::shared_ptr<std::atomic<bool>> stop = std::make_shared<std::atomic<bool>>(false);
  /// That of the last call.
  instant cooldown{0};
  /// What people were told of.
  std::uint64_t told_missed = 0;
  std::string told_too_large;

  ~scaler_state() { *stop = true; }

  [[nodiscard]] instant now() const {
    return std::chrono::duration_cast<instant>(self->clock().now().time_since_epoch());
  }

  void look() {
    delayed_send(self, caf::actor_cast<scaler_actor>(self), between_looks, tick_atom_v);
    request(self, cluster, cluster_patience, need_question{})
        .then([this](const cluster_need& x) { act(rule->look(x, now())); },
              [](const caf::error&) {});
  }

  void act(const scaling::action& what) {
    std::visit([this](const auto& x) { carry_out(x); }, what);
    publish();
  }

  void carry_out(std::monostate) {}

  void carry_out(const scaling::call& x) {
    cooldown = x.what.idle.empty() ? settings.rules.cooldown : settings.rules.down_cooldown;
    settings.say(call_text(x.what));
    auto caller = begin(x.what);
    if (!caller)
      heed({caller.error(), {}});
  }

  void carry_out(const scaling::hold& x) {
    request(self, cluster, cluster_patience, workers_held{x.workers})
        .then([this](const workers_held& held) { act(rule->held(held.workers, now())); },
              [this](const caf::error&) { act(rule->held({}, now())); });
  }

  void carry_out(const scaling::release& x) {
    settings.say("worker" + std::string{x.workers.size() == 1 ? " " : "s "} + joined(x.workers)
                 + (x.workers.size() == 1 ? " gets" : " get") + " trials again: " + x.why);
    send(self, cluster, workers_released{x.workers});
  }

  [[nodiscard]] expected<void> begin(const scaling_call& what);

  void heed(const scaling_result& x) {
    for (const auto& line : x.lines)
      settings.say("scale_command: " + line);
    const auto next = rule->called(x.how, now());
    if (!x.how) {
      const auto wait = std::max(cooldown, scaling::back_off(rule->state().failures));
      settings.say("scale_command failed: " + x.how.error().detail + "; tried again in "
                   + std::to_string(std::chrono::ceil<std::chrono::seconds>(wait).count()) + " s");
    }
    act(next);
  }

  void publish() {
    auto state = rule->state();
    if (state.missed > told_missed)
      settings.say(counted(state.missed - told_missed, "worker")
                   + " that scale_command was asked for did not come within scale_patience");
    told_missed = state.missed;
    if (state.too_large != told_too_large && !state.too_large.empty())
      settings.say("what waits is too large for the workers that scale_command brings: "
                   + state.too_large);
    told_too_large = state.too_large;
    std::optional<instant> since;
    if (state.last_call)
      since = now() - *state.last_call;
    settings.board->put({std::move(state), since});
  }
};

scaling_caller_actor::behavior_type
scaling_caller(scaling_caller_actor::stateful_pointer<scaling_caller_state> self,
               scaling_call_function call, std::shared_ptr<std::atomic<bool>> stop) {
  return {[self, call = std::move(call), stop = std::move(stop)](const scaling_call& what,
                                                                 const scaler_actor& whom) {
    send(self, whom, call(what, *stop));
    self->quit();
  }};
}

expected<void> scaler_state::begin(const scaling_call& what) {
  auto caller = spawn_with_thread(
      [this] { return self->system().spawn<caf::detached>(scaling_caller, settings.call, stop); });
  if (!caller)
    return caller.error();
  send(self, *caller, what, caf::actor_cast<scaler_actor>(self));
  return {};
}

scaler_actor::behavior_type scaler(scaler_actor::stateful_pointer<scaler_state> self,
                                   scaler_settings settings, cluster_local_actor cluster) {
  auto& state = state_of(self);
  state.self = self;
  state.rule.emplace(settings.rules);
  state.settings = std::move(settings);
  state.cluster = std::move(cluster);
  stand_firm(self);
  send(self, caf::actor_cast<scaler_actor>(self), tick_atom_v);
  return {
      [&state](tick_atom) { state.look(); },
      [&state](const scaling_result& x) { state.heed(x); },
  };
}

} // namespace

scaler_actor spawn_scaler(caf::actor_system& system, scaler_settings settings,
                          cluster_local_actor cluster) {
  return system.spawn(scaler, std::move(settings), std::move(cluster));
}

} // namespace tune

// Leads a program's own actor through an attempt. `step_orders` decides what to send it; this actor
// only sends and receives, and nothing that the other one says or does can end it.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/own_trainable.hpp"

#include "attempt_artifacts.hpp"
#include "attempt_drafts.hpp"
#include "attempt_exports.hpp"
#include "attempt_saves.hpp"
#include "error_text.hpp"
#include "trainables.hpp"

#include "tune/actors/clocks.hpp"
#include "tune/actors/firm.hpp"
#include "tune/core/trial/attempt_session.hpp"
#include "tune/core/trial/step_orders.hpp"
#include "tune/io/json.hpp"
#include "tune/trainable/drive.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tune {

namespace {

/// Longest time between the answer that an actor has ended and the down message of its monitor:
/// both come from this process.
constexpr std::chrono::seconds death_notice_takes{1};
/// Used in a tick in place of the number of a dismissal.
constexpr std::uint64_t end_of_suspicion = 0;

/// The number says which dismissal's grace is over.
using leader_impl = extend<trainable_actor, caf::result<void>(tick_atom, std::uint64_t)>;

step_orders::plan plan_of(const trainable_start& what, const own_trainable* how) {
  return {!what.restore.empty(), how != nullptr && how->can_save, exports_of(what).size(),
          what.order.ends};
}

struct leader_state {
  static inline const char* name = "tune.own_trainable";

  monitors watched;
  leader_impl::pointer self = nullptr;
  trainable_start what;
  std::shared_ptr<const own_trainable> how;
  step_orders rule{{}};
  own_trainable_actor own;
  attempt_session session{0, std::chrono::nanoseconds{0}, instant{0}};
  attempt_drafts drafts;
  attempt_saves saves;
  attempt_exports exports;
  attempt_artifacts artifacts;
  /// A save that waits until fewer checkpoints are on their way.
  std::optional<step_cmd::save> put_off;
  /// The order during which the actor may have ended, as an answer suggests.
  std::optional<std::string> suspect;
  /// The order that it last answered with an error, and the text of that error.
  std::optional<std::pair<std::string, std::string>> refused_by;
  /// Number of times the actor was told to end.
  std::uint64_t dismissals = 0;
  /// The end of the attempt; reported once all saves have ended.
  std::optional<attempt_ended> over;
  /// The end is being reported.
  bool gone = false;

  // -- From the trial.

  void answer(const attempt_answer& x) {
    session.allow(x.until);
    if (x.number != session.number() || !rule.awaits_answer())
      return;
    switch (x.kind) {
      case answer_kind::go_on:
        return carry_out(rule.go_on());
      case answer_kind::stop:
        return end_in_order(rule.stop(x.exports), x.exports);
      case answer_kind::save:
      case answer_kind::save_and_end: {
        const auto ends = x.kind == answer_kind::save_and_end;
        return end_in_order(rule.save({x.checkpoint, ends, x.in_memory}, x.exports), x.exports);
      }
    }
  }

  void halt(const attempt_halt& x) {
    const auto is_kill = x.how >= static_cast<std::uint8_t>(halt_mode::kill);
    if (artifacts.is_under_way() && is_kill)
      return artifacts.drop_soon(self);
    if (is_kill && !saves.is_idle())
      saves.drop_soon(self);
    const auto mode = is_kill ? halt_mode::kill : static_cast<halt_mode>(x.how);
    end_in_order(rule.halt(mode, x.exports), x.exports);
  }

  void end_in_order(const step_commands& all, bool with_exports) {
    if (with_exports)
      exports.begin();
    carry_out(all);
  }

  // -- Commands of the rule.

  void carry_out(const step_commands& all) {
    for (const auto& x : all)
      std::visit([&](const auto& y) { act(y); }, x);
  }

  void act(const step_cmd::set_up&) {
    // The actor may write to this directory; if it cannot be created, it is enough that writing
    // fails.
    const attempt_directory place{
        std::filesystem::path{"trials"} / to_text(trial_id{what.order.trial}), what.job->directory};
    request(self, what.maker, caf::infinite, directory_wanted{place})
        .then([this](const directory_made&) { set_up(); }, [this](const caf::error&) { set_up(); });
  }

  void set_up() {
    if (over)
      return;
    try {
      own = spawn();
    } catch (...) {
      return carry_out(rule.refused(current_exception_text()));
    }
    watched.watch(self, own, [this](const caf::error& why) { lose(why); });
    // Whatever ends this actor, nothing of the attempt runs on.
    self->attach_functor([whom = own] { caf::anon_send_exit(whom, caf::exit_reason::kill); });
    order(training_setup{what.order.config.content, context_of(what)});
  }

  own_trainable_actor spawn() {
    const auto& wanted = std::get<run_as_actor>(what.job->plan).trainable;
    if (how == nullptr || !how->spawn)
      throw std::runtime_error{"no actor named '" + wanted + "' is registered"};
    const auto context = context_of(what);
    auto result = how->spawn(self->system(), context);
    if (!result)
      throw std::runtime_error{"the actor '" + wanted + "' was not spawned"};
    if (!is_here(self, result) || &result.home_system() != &self->system())
      throw std::runtime_error{"the actor '" + wanted + "' lives in another actor system"};
    return result;
  }

  void act(const step_cmd::load&) { order(training_load{what.restore}); }

  void act(const step_cmd::begun&) {
    // A trial that goes on from a checkpoint reports its start; for others the first report shows
    // it.
    if (!what.order.restore_from.empty())
      send(self, what.trial, attempt_started{what.order.attempt, 0});
  }

  void act(const step_cmd::step&) {
    session.go_on(steady_now());
    request(self, own, caf::infinite, training_step{})
        .then([this](training_result x) { report(std::move(x.what)); },
              [this](const caf::error& why) { refuse(why); });
  }

  void act(const step_cmd::save& x) {
    if (saves.is_full()) {
      put_off = x;
      return;
    }
    drafts.begin(self, x.in_memory, [this](const std::string& why) {
      if (why.empty())
        order(training_save{drafts.directory()});
      else
        carry_out(rule.refused(why));
    });
  }

  void act(const step_cmd::keep& x) {
    const auto in_memory = drafts.is_in_memory();
    saves.keep(self, {x.checkpoint, session.iteration(), session.time_total().count(),
                      drafts.hand_over(), x.ends, in_memory});
  }

  void act(const step_cmd::not_kept& x) {
    put_off.reset();
    drafts.give_up(self);
    saves.refuse(self, x.checkpoint, x.why);
  }

  void act(const step_cmd::export_model& x) {
    const auto& format = what.job->exports[x.format];
    const attempt_directory place{export_name(what) / format, what.checkpoints};
    auto export_to = [this, format](const std::string& why) {
      if (why.empty())
        order_export(format);
      else
        carry_out(rule.refused(why));
    };
    request(self, what.maker, caf::infinite, directory_wanted{place})
        .then([export_to](const directory_made& made) { export_to(made.why); },
              [this, export_to](const caf::error& why) { export_to(render(self->system(), why)); });
  }

  void order_export(const std::string& format) {
    auto answer = [this](bool knows) {
      carry_out(knows ? rule.carried_out() : rule.refused("it does not know this format"));
    };
    request(self, own, caf::infinite, training_export{export_directory(what) / format, format})
        .then(answer, [this](const caf::error& error) { refuse(error); });
  }

  void act(const step_cmd::not_exported& x) { exports.fail(what.job->exports[x.format], x.why); }

  void act(const step_cmd::dismiss& x) {
    if (!own)
      return carry_out(rule.gone({}));
    caf::anon_send_exit(own, x.by_force ? caf::exit_reason::kill : caf::exit_reason::user_shutdown);
    delayed_send(self, caf::actor_cast<leader_impl>(self), what.job->kill_grace, tick_atom_v,
                 ++dismissals);
  }

  void act(const step_cmd::over& x) {
    put_off.reset();
    drafts.give_up(self);
    over.emplace();
    over->attempt = what.order.attempt;
    over->how = static_cast<std::uint8_t>(x.how);
    over->detail = x.why;
    go_if_settled();
  }

  // -- From the actor.

  /// Sends an order whose answer carries no data.
  template <class Order>
  void order(Order x) {
    request(self, own, caf::infinite, std::move(x))
        .then([this] { carry_out(rule.carried_out()); },
              [this](const caf::error& why) { refuse(why); });
  }

  void refuse(const caf::error& why) {
    // The down message reports the actor's own end with its cause; but perhaps it only passed on
    // the error that another actor has ended.
    if (why == caf::sec::request_receiver_down) {
      suspect = rule.doing();
      delayed_send(self, caf::actor_cast<leader_impl>(self), death_notice_takes, tick_atom_v,
                   end_of_suspicion);
      return;
    }
    const auto doing = rule.doing();
    if (why == caf::sec::unexpected_response)
      return carry_out(
          rule.refused("its actor answered a " + doing + " with another message than it has to"));
    if (why == caf::sec::unexpected_message)
      return carry_out(rule.refused("its actor does not know what a " + doing + " is"));
    // An actor that throws answers first, and ends then: the next order is under way by that time.
    refused_by = {doing, text_of(self->system(), why)};
    carry_out(rule.refused(refused_by->second));
  }

  /// If the actor had ended, its down message would have come by now.
  void clear_up_suspicion() {
    if (auto doing = std::exchange(suspect, std::nullopt))
      carry_out(rule.refused("its actor answered a " + *doing
                             + " with the error that another actor has ended"));
  }

  void lose(const caf::error& why) {
    suspect.reset();
    const auto cause = why ? text_of(self->system(), why) : std::string{};
    const auto has_thrown = refused_by && refused_by->second == cause;
    const auto doing = has_thrown ? refused_by->first : rule.doing();
    auto text = "its actor ended" + (doing.empty() ? std::string{} : " in its " + doing);
    if (why)
      text += ": " + cause;
    carry_out(rule.gone(std::move(text)));
  }

  void report(metrics said) {
    auto fit = fit_for_record(std::move(said));
    if (!fit)
      return carry_out(rule.refused(to_text(fit.error())));
    auto numbered = session.make(std::move(*fit), steady_now(), wall_ms());
    if (!numbered)
      return carry_out(rule.refused(numbered.error().detail));
    auto& made = *numbered;
    send(self, what.trial, message_of(what.order.attempt, made));
    carry_out(rule.stepped(made.done, !session.has_credit()));
  }

  // -- The end.

  /// A checkpoint is safe or has failed.
  void settle() {
    if (put_off)
      act(*std::exchange(put_off, std::nullopt));
    go_if_settled();
  }

  void go_if_settled() {
    if (gone || !over || !saves.is_idle())
      return;
    gone = true;
    const auto end = saves.judged(*over);
    exports.finish(self, end, drafts.next_name(), session.iteration(), [this, end] {
      artifacts.finish(self, end, [this](attempt_ended& told) {
        send(self, what.trial, std::move(told));
        self->quit();
      });
    });
  }

  /// The own actor's end does not end this one, even if they are linked or the message says so.
  void hear_exit(caf::exit_msg& told) {
    if (own && told.source == own.address())
      return lose(told.reason);
    if (is_from_here(self) && told.reason)
      self->quit(std::move(told.reason));
  }
};

leader_impl::behavior_type own_trainable_leader(leader_impl::stateful_pointer<leader_state> self,
                                                trainable_start what) {
  auto& state = state_of(self);
  state.self = self;
  state.what = std::move(what);
  const auto& order = state.what.order;
  const auto& name = std::get<run_as_actor>(state.what.job->plan).trainable;
  const auto& known = state.what.node->trainables;
  if (const auto* entry = known != nullptr ? known->find(name) : nullptr)
    state.how = entry->actor;
  state.rule = step_orders{plan_of(state.what, state.how.get())};
  state.session = attempt_session{order.iteration, std::chrono::nanoseconds{order.time_total_ns},
                                  steady_now()};
  state.drafts.init(state.what);
  state.saves.init(state.what, [&state](std::uint64_t) { state.settle(); });
  state.exports.init(state.what);
  if (state.what.order.ends)
    state.exports.begin();
  state.artifacts.init(state.what);
  stand_firm(self);
  self->set_exit_handler([&state](caf::exit_msg& told) { state.hear_exit(told); });
  state.watched.init(self);
  auto me = caf::actor_cast<leader_impl>(self);
  send(self, state.what.trial, order.attempt, trainable_actor{me});
  state.carry_out(state.rule.begin());
  return {
      [&state](const attempt_answer& x) { state.answer(x); },
      [&state](const attempt_halt& x) { state.halt(x); },
      [](ping_atom, std::uint64_t x) { return x; },
      [&state](tick_atom, std::uint64_t which) {
        if (which == end_of_suspicion)
          state.clear_up_suspicion();
        else if (which == state.dismissals)
          state.carry_out(state.rule.late());
      },
  };
}

} // namespace

void add_actor(trainable_registry& to, std::string name, own_trainable what, std::string summary) {
  const auto can_save = what.can_save;
  to.add_actor(std::move(name), std::make_shared<const own_trainable>(std::move(what)), can_save,
               std::move(summary));
}

trainable_actor spawn_own_trainable(caf::actor_system& system, trainable_start what) {
  return system.spawn(own_trainable_leader, std::move(what));
}

} // namespace tune

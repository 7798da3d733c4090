// A C++ trainable on a thread of its own. The actor never blocks: it passes answers through a gate.
// SPDX-License-Identifier: BSD-3-Clause
#include "attempt_artifacts.hpp"
#include "attempt_costs.hpp"
#include "attempt_exports.hpp"
#include "attempt_saves.hpp"
#include "not_ready.hpp"
#include "trainables.hpp"
#include "training_gate.hpp"

#include "tune/actors/clocks.hpp"
#include "tune/core/trial/attempt_session.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/commit_checkpoint.hpp"
#include "tune/io/json.hpp"
#include "tune/trainable/drive.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <stdexcept>

namespace tune {

namespace {

/// The thread's last message.
struct thread_done {
  attempt_ended how;
  /// The last iteration it reported.
  std::uint64_t iteration = 0;
  /// Whether it was the end of the trial; formats that were not exported, and why.
  bool exported = false;
  std::vector<std::pair<std::string, std::string>> not_exported = {};
  /// Names for the drafts it may still write; none where it never began.
  std::optional<checkpoint_names> names = {};
  /// Directories that the trainable handed over as checkpoints.
  std::vector<std::filesystem::path> handed_over = {};
};

/// No thread could be started for it.
struct thread_missing {
  int reason = 0;
};

/// The thread has written a checkpoint.
struct thread_saved {
  written_checkpoint what;
};

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_thread)
TUNE_LOCAL_TYPE(tune_thread, tune::thread_done)
TUNE_LOCAL_TYPE(tune_thread, tune::thread_missing)
TUNE_LOCAL_TYPE(tune_thread, tune::thread_saved)
TUNE_END_LOCAL_TYPES(tune_thread)

namespace tune {

namespace {

using thread_impl = extend<trainable_actor, caf::result<void>(thread_done),
                           caf::result<void>(thread_missing), caf::result<void>(thread_saved)>;

/// The trainable's link: sends to the trial, waits at the gate.
class gate_link : public trainable_link {
public:
  gate_link(const trainable_start& what, std::shared_ptr<training_gate> door, thread_impl actor)
      : what_{what}
      , door_{std::move(door)}
      , actor_{std::move(actor)}
      , session_{what.order.iteration, std::chrono::nanoseconds{what.order.time_total_ns},
                 steady_now()}
      , checkpoints_{checkpoints_of(what)}
      , costs_{what.order, what.job->reports_costs} {
    costs_.begin(steady_now());
  }

  void ready(bool) override {
    session_.go_on(steady_now());
    // A trial that goes on from a checkpoint reports its start; for others the first report shows
    // it.
    if (!what_.order.restore_from.empty())
      send_from_outside(what_.trial, attempt_started{what_.order.attempt, 0});
  }

  link_answer report(metrics what, bool done, const std::filesystem::path* checkpoint) override {
    auto fit = fit_for_record(std::move(what));
    if (!fit)
      throw std::invalid_argument{to_text(fit.error())};
    const auto now = steady_now();
    if (costs_.are_in_reports())
      costs_.join(*fit, clock_.read(), now);
    auto numbered = session_.make(std::move(*fit), now, wall_ms());
    if (!numbered)
      throw std::invalid_argument{numbered.error().detail};
    auto& made = *numbered;
    reported_ = true;
    // Copied now, since the trainable may write to it again; announced after the report that ranks
    // it.
    expected<void> copied;
    if (checkpoint != nullptr)
      copied = take_over(*checkpoint);
    auto out = message_of(what_.order.attempt, made);
    out.done = done || made.done;
    out.has_checkpoint = checkpoint != nullptr;
    send_from_outside(what_.trial, std::move(out));
    if (checkpoint != nullptr && copied)
      hand_on(unasked, false);
    else if (checkpoint != nullptr)
      tell_failed(unasked, copied.error().detail);
    if (session_.has_credit() && !door_->is_closed())
      return {};
    auto answer = door_->wait(made.number);
    session_.allow(answer.until);
    auto result = obey(answer);
    session_.go_on(steady_now());
    return result;
  }

  void saved(const std::filesystem::path&) override {
    hand_on(saving_, ends_);
    paused_ = ends_;
    session_.go_on(steady_now());
  }

  void save_failed(const std::filesystem::path&, std::string_view why) override {
    checkpoints_.abandon();
    give_up(saving_, std::string{why});
  }

  [[nodiscard]] export_order exports() override {
    const auto& formats = what_.job->exports;
    exports_ = !formats.empty() && (exports_ || what_.order.ends || door_->wants_exports());
    return exports_ ? export_order{export_directory(what_), formats} : export_order{};
  }

  void export_failed(std::string_view format, std::string_view why) override {
    not_exported_.emplace_back(format, why);
  }

  [[nodiscard]] bool should_stop() const override { return door_->is_closed(); }

  [[nodiscard]] bool reported() const { return reported_; }
  /// Whether it ended with a checkpoint, as it was told to.
  [[nodiscard]] bool paused() const { return paused_; }
  /// Everything the actor has to know about its end.
  [[nodiscard]] thread_done end_as(attempt_ended how) const {
    how.costs.content = to_record(costs_.of_attempt(clock_.read(), steady_now()));
    return {std::move(how), session_.iteration(), exports_,
            not_exported_,  checkpoints_.names(), handed_over_};
  }

private:
  /// Number of a checkpoint that the trainable hands over by itself.
  static constexpr std::uint64_t unasked = 0;

  const trainable_start& what_;
  std::shared_ptr<training_gate> door_;
  thread_impl actor_;
  attempt_session session_;
  checkpoint_directory checkpoints_;
  attempt_costs costs_;
  thread_clock clock_;
  std::uint64_t saving_ = 0;
  bool ends_ = false;
  bool in_memory_ = false;
  bool paused_ = false;
  bool reported_ = false;
  bool exports_ = false;
  std::vector<std::pair<std::string, std::string>> not_exported_;
  std::vector<std::filesystem::path> handed_over_;

  link_answer obey(const attempt_answer& answer) {
    if (answer.kind == answer_kind::go_on)
      return {};
    if (answer.kind == answer_kind::stop)
      return {link_answer::kind::stop, {}};
    saving_ = answer.checkpoint;
    ends_ = answer.kind == answer_kind::save_and_end;
    exports_ = exports_ || answer.exports;
    door_->begin_save();
    auto draft
        = checkpoints_.begin_in(answer.in_memory ? memory_of(what_) : std::filesystem::path{});
    if (!draft) {
      give_up(saving_, to_text(draft.error()));
      return {};
    }
    in_memory_ = draft->in_memory;
    return {ends_ ? link_answer::kind::pause : link_answer::kind::save, draft->path, exports_};
  }

  /// Copies a directory that was handed over, since the trainable may write to it again.
  expected<void> take_over(const std::filesystem::path& from) {
    door_->begin_save();
    if (std::find(handed_over_.begin(), handed_over_.end(), from) == handed_over_.end())
      handed_over_.push_back(from);
    in_memory_ = false;
    auto to = checkpoints_.begin();
    if (!to) {
      door_->end_save();
      return to.error();
    }
    auto copied = finish(copying_checkpoint(from, *to, what_.job->limits),
                         [this] { return !door_->is_abandoned(); });
    if (copied && *copied)
      return {};
    checkpoints_.abandon();
    door_->end_save();
    return copied ? *copied : error{ec::storage, saves_dropped::why};
  }

  void hand_on(std::uint64_t id, bool ends) {
    send_from_outside(actor_, thread_saved{{id, session_.iteration(), session_.time_total().count(),
                                            checkpoints_.hand_over(), ends, in_memory_}});
  }

  void give_up(std::uint64_t id, std::string why) {
    door_->end_save();
    tell_failed(id, std::move(why));
  }

  void tell_failed(std::uint64_t id, std::string why) {
    send_from_outside(what_.trial, attempt_save_failed{what_.order.attempt, id, std::move(why),
                                                       session_.iteration(), false});
  }
};

thread_done run(const trainable_start& what, const std::shared_ptr<training_gate>& door,
                const thread_impl& actor) {
  attempt_ended result;
  result.attempt = what.order.attempt;
  auto fail = [&](end_class how, std::string why) {
    result.how = static_cast<std::uint8_t>(how);
    result.detail = std::move(why);
  };
  gate_link link{what, door, actor};
  const auto& name = std::get<run_in_thread>(what.job->plan).trainable;
  const auto* entry = what.node->trainables->find(name);
  try {
    if (entry == nullptr)
      throw std::runtime_error{"no trainable named '" + name + "' is registered"};
    auto context = context_of(what);
    // The actor may write to this directory; if it cannot be created, it is enough that writing
    // fails.
    std::error_code ignored;
    std::filesystem::create_directories(context.directory, ignored);
    drive(*entry, *what.order.config.content, context, restore_path(what), link);
    auto as_told = door->is_closed() || link.paused();
    auto how = as_told ? end_class::stopped : end_class::finished;
    result.how = static_cast<std::uint8_t>(how);
  } catch (const restore_error& why) {
    fail(end_class::bad_checkpoint, why.what());
  } catch (const std::bad_alloc&) {
    fail(end_class::out_of_memory, current_exception_text());
  } catch (...) {
    fail(end_class::user_error, current_exception_text());
  }
  return link.end_as(std::move(result));
}

struct thread_state {
  static inline const char* name = "tune.trainable";

  trainable_start what;
  thread_impl::pointer self = nullptr;
  std::shared_ptr<training_gate> door = std::make_shared<training_gate>();
  attempt_saves saves;
  attempt_exports exports;
  attempt_artifacts artifacts;
  /// The end of the attempt; reported once all saves have ended.
  std::optional<attempt_ended> over;
  std::uint64_t iteration = 0;
  std::optional<checkpoint_names> names;
  /// The end is being reported.
  bool gone = false;

  // After a kill nobody can wait for the thread: it owns everything it needs, and ends at its next
  // report.
  ~thread_state() {
    door->abandon();
    door->close();
  }

  void halt(const attempt_halt& how) {
    if (artifacts.is_under_way() && static_cast<halt_mode>(how.how) == halt_mode::kill)
      return artifacts.drop_soon(self);
    door->close(how.exports);
    if (how.exports)
      exports.begin();
    if (static_cast<halt_mode>(how.how) != halt_mode::kill)
      return;
    door->abandon();
    if (!saves.is_idle())
      saves.drop_soon(self);
    attempt_ended result;
    result.attempt = what.order.attempt;
    result.how = static_cast<std::uint8_t>(end_class::killed);
    result.detail = "its thread did not end in time and was left to itself";
    end(std::move(result));
  }

  /// No fault of the trial's: its node hears of it, and tells the trial.
  void decline(int reason) {
    if (gone || over)
      return;
    gone = true;
    const auto is_passing = fault_of(reason) == ec::shortage;
    self->quit(to_caf({"cannot start a training thread: " + text_of_shortage(reason), is_passing}));
  }

  void keep(const written_checkpoint& which) {
    // Once the attempt is over its thread was abandoned, and nobody waits for the checkpoint.
    if (!over)
      saves.keep(self, which);
  }

  void end(const thread_done& what_now) {
    iteration = what_now.iteration;
    if (what_now.names)
      names = what_now.names;
    if (what_now.exported)
      exports.begin();
    for (const auto& directory : what_now.handed_over)
      artifacts.leave_out(directory);
    for (const auto& [format, why] : what_now.not_exported)
      exports.fail(format, why);
    end(what_now.how);
  }

  void end(attempt_ended how) {
    if (gone)
      return;
    if (!over)
      over = std::move(how);
    go_if_settled();
  }

  void go_if_settled() {
    if (gone || !over || !saves.is_idle())
      return;
    gone = true;
    const auto how = saves.judged(*over);
    exports.finish(self, how, names->next_draft(), iteration, [this, how] {
      artifacts.finish(self, how, [this](attempt_ended& told) {
        send(self, what.trial, std::move(told));
        self->quit();
      });
    });
  }
};

thread_impl::behavior_type thread_trainable(thread_impl::stateful_pointer<thread_state> self,
                                            trainable_start what,
                                            const std::shared_ptr<training_threads>& threads) {
  auto& state = state_of(self);
  state.self = self;
  state.what = std::move(what);
  state.exports.init(state.what);
  state.artifacts.init(state.what);
  state.names = names_of(state.what);
  state.saves.init(state.what, [self, &state](std::uint64_t) {
    state.door->end_save();
    state.go_if_settled();
  });
  // Sent before the thread can report: the trial must know whom to answer.
  auto me = caf::actor_cast<thread_impl>(self);
  send(self, state.what.trial, state.what.order.attempt, trainable_actor{me});
  // A thread that hangs must hold no actor that has one of its own: see docs/decisions/0005.
  auto start = state.what;
  start.checkpoint_service = checkpoint_service_actor{};
  auto begun = threads->run([start = std::move(start), door = state.door, me] {
    send_from_outside(me, run(start, door, me));
  });
  if (begun != 0)
    send(self, me, thread_missing{begun});
  return {
      [&state](const attempt_answer& answer) { state.door->open(answer); },
      [&state](const attempt_halt& how) { state.halt(how); },
      [](ping_atom, std::uint64_t x) { return x; },
      // After this the thread does nothing more for this attempt.
      [&state](const thread_done& x) { state.end(x); },
      [&state](const thread_missing& x) { state.decline(x.reason); },
      [&state](const thread_saved& x) { state.keep(x.what); },
  };
}

} // namespace

trainable_actor spawn_thread_trainable(caf::actor_system& system, trainable_start what,
                                       const std::shared_ptr<training_threads>& threads) {
  return system.spawn(thread_trainable, std::move(what), threads);
}

} // namespace tune

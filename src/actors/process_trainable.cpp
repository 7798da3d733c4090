// A program in a process of its own. The process service's thread hands its words over; the actor
// never waits for anything.
// SPDX-License-Identifier: BSD-3-Clause
#include "clocks.hpp"
#include "trainables.hpp"

#include "tune/core/trial/attempt_session.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/json.hpp"
#include "tune/io/process/host.hpp"
#include "tune/io/process/line_protocol.hpp"

#include <csignal>
#include <cstring>
#include <fstream>

namespace tune {

namespace {

/// News of the process service about one process.
struct process_news {
  struct started {
    pid_t pid = 0;
  };
  /// A line of the report descriptor.
  struct said {
    std::string line;
    bool truncated = false;
  };
  /// A report read from stdout; the rest of stdout waits.
  struct printed {
    object metrics;
  };
  std::variant<started, said, printed, exit_info> what;
};

} // namespace

} // namespace tune

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(tune::process_news)

namespace tune {

namespace {

using process_impl
    = extend<trainable_actor, caf::result<void>(process_news), caf::result<void>(tick_atom)>;

/// A program that was told to stop may still clean up for so long before it is signalled.
constexpr auto polite_wait = std::chrono::seconds{1};

/// Hands on what one process says. Called from the service's thread.
class courier : public process_listener {
public:
  courier(process_impl to, std::optional<metric_pattern> patterns)
      : to_{std::move(to)}, patterns_{std::move(patterns)} {}

  void started(pid_t pid) override {
    send_from_outside(to_, process_news{process_news::started{pid}});
  }

  line_flow report_line(std::string_view line, bool truncated) override {
    send_from_outside(to_, process_news{process_news::said{std::string{line}, truncated}});
    return line_flow::go_on;
  }

  line_flow stdout_line(std::string_view line, bool) override {
    auto report = patterns_->read(line);
    if (!report)
      return line_flow::go_on;
    send_from_outside(to_, process_news{process_news::printed{std::move(*report)}});
    return line_flow::hold;
  }

  void exited(const exit_info& how) override {
    if (patterns_ && !how.requested) {
      if (auto last = patterns_->finish())
        send_from_outside(to_, process_news{process_news::printed{std::move(*last)}});
    }
    send_from_outside(to_, process_news{how});
    to_ = nullptr;
  }

private:
  process_impl to_;
  std::optional<metric_pattern> patterns_;
};

std::string signal_name(int number) {
  const auto* name = ::sigabbrev_np(number);
  return name != nullptr ? std::string{"SIG"} + name : "signal " + std::to_string(number);
}

bool is_host(const trainable_start& what) {
  return std::holds_alternative<run_in_host>(what.node->plan);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string result;
  for (const auto& line : lines)
    result += "\n  " + line;
  return result;
}

struct process_state {
  static inline const char* name = "tune.process";

  trainable_start what;
  std::shared_ptr<process_service> processes;
  process_handle process;
  attempt_session session{0, std::chrono::nanoseconds{0}, instant{0}};
  std::optional<checkpoint_directory> checkpoints;
  std::int64_t pid = 0;
  bool by_pattern = false;
  bool saw_objective = false;
  /// It was told to end; how it ends is then no failure.
  bool ending = false;
  bool halted = false;
  /// It is not waited for any more: its last words say what it was doing.
  bool killed = false;
  bool waits = false;
  /// Checkpoint that it was asked for.
  std::optional<std::uint64_t> saving;
  bool ends_with_save = false;
  /// What it said about its own failure, and what it did against the protocol.
  std::optional<line::failure> failure;
  std::string breach;

  template <class Self>
  void take(Self* self, const process_news::started& x) {
    pid = x.pid;
    send(self, what.trial, attempt_started{what.order.attempt, pid});
    session.go_on(steady_now());
  }

  template <class Self>
  void take(Self* self, const process_news::printed& x) {
    // Lines are flat: only their texts may have to be mended.
    report(self, *fit_for_record(x.metrics), false, std::nullopt);
  }

  template <class Self>
  void take(Self* self, const process_news::said& x) {
    if (x.truncated)
      return violate("a report line was longer than allowed");
    auto said = read_report_line(x.line);
    if (!said)
      return violate(to_text(said.error()));
    if (auto* made = std::get_if<line::report>(&*said)) {
      report(self, std::move(made->metrics), made->done, made->checkpoint);
    } else if (const auto* kept = std::get_if<line::saved>(&*said)) {
      static_cast<void>(kept);
      finish_save(self);
    } else if (const auto* not_kept = std::get_if<line::save_failed>(&*said)) {
      fail_save(self, not_kept->why);
    } else if (auto* why = std::get_if<line::failure>(&*said)) {
      failure = std::move(*why);
    }
  }

  template <class Self>
  void take(Self* self, const exit_info& how) {
    attempt_ended over = judge_exit(how);
    over.attempt = what.order.attempt;
    send(self, what.trial, std::move(over));
    self->quit();
  }

  void violate(std::string why) {
    if (breach.empty())
      breach = std::move(why);
  }

  template <class Self>
  void report(Self* self, object metrics, bool done,
              const std::optional<std::filesystem::path>& checkpoint) {
    // It trains on although it was asked to save: it will not.
    if (saving)
      fail_save(self, "it reported again without having saved");
    saw_objective = saw_objective || find_path(metrics, what.node->objective) != nullptr;
    auto made = session.make(std::move(metrics), steady_now(), wall_ms());
    if (checkpoint)
      adopt(self, *checkpoint);
    attempt_report out;
    out.attempt = what.order.attempt;
    out.number = made.number;
    out.iteration = made.iteration;
    out.time_this_iter_ns = made.time_this_iter.count();
    out.time_total_ns = made.time_total.count();
    out.timestamp_ms = made.timestamp_ms;
    out.pid = pid;
    out.done = done || made.done;
    out.metrics = {std::move(made.metrics)};
    send(self, what.trial, std::move(out));
    waits = true;
    // It was told to end in the middle of its step: nobody else will answer.
    if (halted)
      stop(self);
    else if (session.has_credit())
      go_on();
  }

  void go_on() {
    waits = false;
    session.go_on(steady_now());
    if (by_pattern)
      processes->resume_output(process);
    else
      processes->answer(process, to_line(link_answer{}));
  }

  template <class Self>
  void answer(Self* self, const attempt_answer& x) {
    session.allow(x.until);
    if (x.number != session.number() || !waits)
      return;
    if (x.kind == answer_kind::stop || halted) {
      stop(self);
    } else if (x.kind == answer_kind::go_on) {
      go_on();
    } else {
      begin_save(self, x);
    }
  }

  template <class Self>
  void begin_save(Self* self, const attempt_answer& x) {
    auto directory = checkpoints->begin();
    auto ends = x.kind == answer_kind::save_and_end;
    saving = x.checkpoint;
    ends_with_save = ends;
    if (by_pattern || !directory) {
      fail_save(self, directory ? "this program cannot save" : to_text(directory.error()));
      if (!ends)
        go_on();
      return;
    }
    waits = false;
    ending = ends;
    using kind = link_answer::kind;
    processes->answer(process, to_line(link_answer{ends ? kind::pause : kind::save, *directory}));
  }

  template <class Self>
  void finish_save(Self* self) {
    if (!saving)
      return;
    auto done = checkpoints->commit();
    if (!done)
      return fail_save(self, to_text(done.error()));
    send(self, what.trial,
         attempt_saved{what.order.attempt, *saving, session.iteration(),
                       session.time_total().count(), done->location, done->bytes});
    saving.reset();
    session.go_on(steady_now());
    if (ends_with_save)
      arm(self);
  }

  template <class Self>
  void fail_save(Self* self, std::string why) {
    if (!saving)
      return;
    checkpoints->abandon();
    send(self, what.trial, attempt_save_failed{what.order.attempt, *saving, std::move(why)});
    saving.reset();
    // It had its answer and trains on, also where it was to pause.
    if (ends_with_save)
      ending = false;
    ends_with_save = false;
    session.go_on(steady_now());
  }

  template <class Self>
  void adopt(Self* self, const std::filesystem::path& from) {
    auto path = from.is_absolute() ? from : trial_directory(what) / from;
    auto done = checkpoints->adopt(path);
    if (done)
      send(self, what.trial,
           attempt_saved{what.order.attempt, 0, session.iteration(), session.time_total().count(),
                         done->location, done->bytes});
    else
      violate(to_text(done.error()));
  }

  /// In order: the program is told, and signalled only if it takes its time.
  template <class Self>
  void stop(Self* self) {
    ending = true;
    waits = false;
    if (by_pattern) {
      processes->end(process, what.node->kill_grace);
      return;
    }
    processes->answer(process, to_line(link_answer{link_answer::kind::stop, {}}));
    arm(self);
  }

  template <class Self>
  void arm(Self* self) {
    delayed_send(self, caf::actor_cast<process_impl>(self), polite_wait, tick_atom_v);
  }

  template <class Self>
  void halt(Self* self, const attempt_halt& how) {
    halted = true;
    ending = true;
    if (static_cast<halt_mode>(how.how) == halt_mode::kill) {
      killed = true;
      processes->end(process, what.node->kill_grace);
    } else if (waits || by_pattern) {
      stop(self);
    }
    // Else it is in the middle of a step: it hears of it at its next report.
  }

  [[nodiscard]] attempt_ended judge_exit(const exit_info& how) const;
  [[nodiscard]] std::string exit_text(const exit_info& how) const;
};

std::string process_state::exit_text(const exit_info& how) const {
  if (failure)
    return failure->text;
  if (how.out_of_memory)
    return "out of memory" + joined(how.stderr_lines);
  if (how.signal)
    return "ended by " + signal_name(*how.signal) + joined(how.stderr_lines);
  if (how.code && *how.code != 0)
    return "exited with status " + std::to_string(*how.code) + joined(how.stderr_lines);
  return {};
}

attempt_ended process_state::judge_exit(const exit_info& how) const {
  attempt_ended result;
  auto set = [&](end_class kind, std::string why = {}) {
    result.how = static_cast<std::uint8_t>(kind);
    result.detail = std::move(why);
  };
  if (how.code || how.signal) {
    result.has_status = true;
    result.exit_status = how.code ? *how.code : -*how.signal;
  }
  if (how.guard_lost) {
    set(end_class::node_lost, how.trouble);
  } else if (!how.trouble.empty()) {
    set(end_class::user_error, how.trouble);
  } else if (killed) {
    set(end_class::killed, exit_text(how));
  } else if (ending) {
    // However hard it was to end: that was our own doing.
    set(how.signal == SIGKILL && !how.requested ? end_class::killed : end_class::stopped);
  } else if (failure && failure->restore) {
    set(end_class::bad_checkpoint, failure->text);
  } else if (how.out_of_memory) {
    set(end_class::out_of_memory, exit_text(how));
  } else if (how.signal == SIGKILL || how.signal == SIGTERM) {
    set(end_class::killed, exit_text(how));
  } else if (how.signal || *how.code != 0) {
    set(end_class::user_error, exit_text(how));
  } else if (is_host(what)) {
    // A C++ trainable may end without a word: a trial without a result.
    set(end_class::finished, breach);
  } else if (!saw_objective && session.iteration() == what.order.iteration) {
    auto lines = how.stdout_lines.empty() ? how.stderr_lines : how.stdout_lines;
    set(end_class::user_error, "exited 0 but metric '" + what.node->objective + "' never appeared"
                                   + (breach.empty() ? "" : "; " + breach) + joined(lines));
  } else if (!saw_objective) {
    set(end_class::user_error,
        "exited 0 but metric '" + what.node->objective + "' never appeared in its reports");
  } else {
    set(end_class::finished, breach);
  }
  return result;
}

/// Makes the trial's directory and its params.json. @returns the file.
expected<std::filesystem::path> prepare(const trainable_start& what) {
  auto directory = trial_directory(what);
  std::error_code why;
  std::filesystem::create_directories(directory, why);
  if (why)
    return error{ec::storage, "cannot make " + directory.string() + ": " + why.message()};
  auto file = directory / "params.json";
  std::ofstream out{file, std::ios::trunc};
  out << to_json(*what.order.config.content) << '\n';
  out.close();
  if (!out)
    return error{ec::storage, "cannot write " + file.string()};
  return file;
}

process_order order_of(const trainable_start& what, const std::filesystem::path& params) {
  const auto& node = *what.node;
  auto context = context_of(what);
  auto environment
      = trial_environment(*what.order.config.content, context, params, restore_path(what));
  process_order result;
  if (is_host(what)) {
    result.argv = host_command(std::get<run_in_host>(node.plan).trainable);
    result.protocol = true;
  } else {
    const auto& plan = std::get<run_command>(node.plan);
    command_builtins builtins{context.directory.string(), plan.ini_dir, context.trial_id,
                              params.string()};
    result.argv = plan.command.render(*what.order.config.content, builtins);
    result.protocol = !plan.patterns;
    result.stdout_lines = plan.patterns.has_value();
    environment.insert(environment.end(), plan.environment.begin(), plan.environment.end());
  }
  // A trial without a GPU must see none, where there are some.
  if (!node.gpus.empty() || node.capacity.gpu.units > 0)
    environment.emplace_back("CUDA_VISIBLE_DEVICES", context.visible_devices);
  result.env = environment_with(environment);
  result.directory = context.directory;
  if (node.trial_files) {
    result.stdout_file = context.directory / "stdout";
    result.stderr_file = context.directory / "stderr";
  }
  result.output_cap = node.output_cap;
  result.grace = node.kill_grace;
  result.memory_limit = what.order.memory;
  result.tag = node.directory.string() + "#" + to_text(what.order.attempt.id());
  return result;
}

/// What was made ready before the actor began, or why it was not.
struct readiness {
  std::filesystem::path params;
  std::optional<metric_pattern_options> patterns;
  std::string trouble;
};

process_impl::behavior_type process_trainable(process_impl::stateful_pointer<process_state> self,
                                              trainable_start what,
                                              std::shared_ptr<process_service> processes,
                                              readiness ready) {
  auto& state = state_of(self);
  state.what = std::move(what);
  state.processes = std::move(processes);
  const auto& order = state.what.order;
  state.session = attempt_session{order.iteration, std::chrono::nanoseconds{order.time_total_ns},
                                  steady_now()};
  state.checkpoints.emplace(state.what.node->directory, trial_id{order.trial}, order.attempt);
  auto me = caf::actor_cast<process_impl>(self);
  send(self, state.what.trial, order.attempt, trainable_actor{me});
  state.by_pattern = ready.patterns.has_value();
  std::optional<metric_pattern> patterns;
  if (ready.patterns) {
    if (auto made = metric_pattern::make(*ready.patterns))
      patterns.emplace(std::move(*made));
    else
      ready.trouble = to_text(made.error());
  }
  if (ready.trouble.empty()) {
    state.process = state.processes->launch(order_of(state.what, ready.params),
                                            std::make_shared<courier>(me, std::move(patterns)));
  } else {
    exit_info never;
    never.trouble = ready.trouble;
    send(self, me, process_news{never});
  }
  return {
      [self, &state](const attempt_answer& x) { state.answer(self, x); },
      [self, &state](const attempt_halt& x) { state.halt(self, x); },
      [](ping_atom, std::uint64_t x) { return x; },
      [self, &state](const process_news& x) {
        std::visit([&](const auto& y) { state.take(self, y); }, x.what);
      },
      [&state](tick_atom) { state.processes->end(state.process, state.what.node->kill_grace); },
  };
}

} // namespace

trainable_actor spawn_process_trainable(caf::actor_system& system, trainable_start what,
                                        std::shared_ptr<process_service> processes) {
  readiness ready;
  if (auto file = prepare(what))
    ready.params = std::move(*file);
  else
    ready.trouble = to_text(file.error());
  if (const auto* plan = std::get_if<run_command>(&what.node->plan))
    ready.patterns = plan->patterns;
  return system.spawn(process_trainable, std::move(what), std::move(processes), std::move(ready));
}

} // namespace tune

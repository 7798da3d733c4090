/// The runner without actors: engine, rules and record in one thread.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/experiment/engine.hpp"
#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/search/searcher.hpp"
#include "tune/io/store/store_item.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tune {

/// The functions that a plain runner needs from its environment.
class plain_runner_ports {
public:
  virtual ~plain_runner_ports() = default;
  /// Experiment time; never goes back.
  [[nodiscard]] virtual instant now() const = 0;
  /// Makes all items durable, or none. @errors are final: nothing more may be done afterwards.
  [[nodiscard]] virtual expected<void> commit(std::span<const store_item> items) = 0;
  /// Warns people about something that is probably not intended.
  virtual void warn(const std::string& text) = 0;
};

/// The side that runs the trials. The runner calls it during its work; it must not call back
/// anything but `plain_runner::post_later`.
class trial_side {
public:
  virtual ~trial_side() = default;
  /// Carries out one of the commands that affect trials: place, cancel_place, release, launch,
  /// proceed, save, halt, discard.
  virtual void carry_out(const command& what) = 0;
  /// Takes note of an event that is in the log, from now or from an earlier head.
  virtual void see(const event& what) = 0;
  /// Takes note of why an attempt was told to end under an earlier head. After `see` of the event
  /// that it followed from.
  virtual void recall(const cmd::halt& what) = 0;
};

/// Answers the questions of one experiment's engine by its rules, at once and in the order in which
/// the runner actor takes prompt answers: the scheduler's, then the searcher's. The same input from
/// outside therefore gives the same log.
class plain_runner : private engine_ports {
public:
  /// @param world, trials Must outlive the runner.
  plain_runner(experiment machine, std::unique_ptr<scheduler> judge,
               std::unique_ptr<searcher> source, plain_runner_ports& world, trial_side& trials);
  plain_runner(const plain_runner&) = delete;
  plain_runner& operator=(const plain_runner&) = delete;

  /// Like `experiment::go_by`.
  void go_by(rule_change what) { loop_.go_by(std::move(what)); }
  /// Applies an event of an earlier head. Before `open`.
  void replay(const event& what);
  /// Begins, or continues from the replayed events, and settles. Attempts that ran under an earlier
  /// head stay open.
  /// @errors those of `plain_runner_ports::commit`.
  [[nodiscard]] expected<void> open(on::opened how);

  /// Takes an event without answering any question yet.
  void post(event_body what);
  /// Takes the events that are due by time, likewise without answers.
  void pass();
  /// Takes an event as soon as the runner has finished its current step.
  void post_later(event_body what) { later_.push_back(std::move(what)); }

  /// Does everything that follows from the posted events. All of it is on disk when this returns.
  /// @errors those of `plain_runner_ports::commit`; every later call returns the same error.
  [[nodiscard]] expected<void> settle();

  [[nodiscard]] const experiment& machine() const { return loop_.machine(); }
  /// How the experiment ended, once that is on disk.
  [[nodiscard]] const std::optional<cmd::finish>& finished() const { return finished_; }
  /// Why it left off before all was over, since a rule has failed, say; null: it did not.
  [[nodiscard]] const std::string* why_left_off() const {
    return finished_ && finished_->status == experiment_status::interrupted ? &finished_->why
                                                                            : nullptr;
  }

private:
  /// Questions to the rules that are answered in one turn.
  struct questions {
    std::vector<cmd::judge> judge;
    std::vector<cmd::resolve_stall> stalls;
    std::vector<cmd::choose> choose;
    std::vector<cmd::ask_searcher> asks;
    [[nodiscard]] bool empty() const {
      return judge.empty() && stalls.empty() && choose.empty() && asks.empty();
    }
  };

  engine loop_;
  std::unique_ptr<scheduler> judge_;
  std::unique_ptr<searcher> source_;
  plain_runner_ports& world_;
  trial_side& trials_;
  questions asked_;
  std::deque<event_body> later_;
  std::vector<store_item> items_;
  std::optional<error> broken_;
  std::optional<cmd::finish> finished_;

  void record(const event& what) override;
  void carry_out(const command& what) override;
  void recall(const cmd::halt& what) override { trials_.recall(what); }

  void carry(const cmd::log&) {}
  void carry(const cmd::warn& x) { world_.warn(x.text); }
  void carry(const cmd::ask_searcher& x) { asked_.asks.push_back(x); }
  void carry(const cmd::judge& x) { asked_.judge.push_back(x); }
  void carry(const cmd::choose& x) { asked_.choose.push_back(x); }
  void carry(const cmd::resolve_stall& x) { asked_.stalls.push_back(x); }
  void carry(const cmd::tell_scheduler& x);
  void carry(const cmd::tell_searcher& x);

  void work();
  void answer();
  template <class Rule, class F>
  void with(std::unique_ptr<Rule>& rule, const char* name, F f);
};

} // namespace tune

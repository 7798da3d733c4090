/// A conversation whose head is lost at random moments, and an executor that copes with it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "io/ask_tell/talk.hpp"

#include "tune/core/rng.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tune::samples {

/// Sends each request until an answer arrives. The head may be lost before it hears of the request,
/// while it carries out the consequences, or before its answer is read.
class flaky_talk {
public:
  /// The seed with which no head is lost.
  static constexpr std::uint64_t never = 0;

  flaky_talk(recipe how, std::uint64_t seed) : talk_{std::move(how)}, chance_{seed, "kills", 0} {
    calm_ = seed == never;
  }

  /// Repeats a request until it is answered.
  object say(const object& request) {
    for (;;) {
      if (auto answer = say_once(request))
        return *answer;
    }
  }
  /// Sends a request once. Empty if the head was lost; it is then unknown whether the head heard
  /// it.
  std::optional<object> say_once(const object& request) {
    if (calm_ || chance_.below(8) != 0)
      return talk_.tell(request);
    auto commits = chance_.below(5);
    if (commits > 0)
      break_off(request, commits);
    restart();
    return std::nullopt;
  }
  /// Advances the experiment's clock, which stands still while no head runs.
  void pass(instant time) { talk_.world.time += time; }

  [[nodiscard]] const memory_world& world() const { return talk_.world; }
  [[nodiscard]] const experiment& machine() const { return talk_.uut->machine(); }
  [[nodiscard]] std::uint64_t kills() const { return kills_; }

private:
  talk talk_;
  rng chance_;
  bool calm_ = false;
  std::uint64_t kills_ = 0;

  /// Loses the head after `commits` commits at most, and its answer in any case.
  void break_off(const object& request, std::uint64_t commits) {
    talk_.world.commits_left = commits - 1;
    static_cast<void>(talk_.tell(request));
  }
  /// Starts the next head, which may be lost before the executor can speak to it.
  void restart() {
    auto& world = talk_.world;
    do {
      ++kills_;
      world.full = false;
      world.commits_left.reset();
      if (chance_.below(4) == 0)
        world.commits_left = chance_.below(2);
      talk_.restart();
      // Start again if a commit failed; a failure still planned is cancelled.
    } while (world.full);
    world.commits_left.reset();
  }
};

/// Processes that are lost: the head alone, or the executor with it.
enum class losing : std::uint8_t { head_alone, executor_too };

/// An executor that relies on answers alone; a trial's losses depend on trial, configuration and
/// iteration. After a loss of its own it starts with nothing but what it is given.
class tuning {
public:
  static constexpr std::uint64_t iterations = 10;

  /// @param slots Number of trials that it trains side by side, in turn.
  tuning(recipe how, std::size_t slots, std::uint64_t seed, losing who = losing::head_alone)
      : slots_{slots}, who_{who}, with_{std::move(how), seed} {}

  void run() {
    for (auto turn = 0; turn < 3'000 && !over_; ++turn) {
      if (who_ == losing::head_alone)
        interfere(turn);
      while (running_.size() < slots_ && admit()) {}
      auto all = running_;
      for (const auto& [id, x] : all) {
        if (running_.contains(id))
          step(id);
      }
    }
  }

  [[nodiscard]] bool is_over() const { return over_; }
  [[nodiscard]] std::uint64_t kills() const { return with_.kills(); }
  [[nodiscard]] const memory_world& world() const { return with_.world(); }
  /// The answers it got, without attempt numbers and without repeated answers.
  [[nodiscard]] const std::vector<std::string>& answers() const { return answers_; }

private:
  struct course {
    std::int64_t attempt = 0;
    std::uint64_t iteration = 0;
    double x = 0;
  };

  std::size_t slots_;
  losing who_;
  flaky_talk with_;
  std::map<trial_id, course> running_;
  /// Trials and iterations at which the trial has failed; each fails there the first time only.
  std::set<std::pair<trial_id, std::uint64_t>> failed_;
  std::vector<std::string> answers_;
  bool over_ = false;

  static std::string text(const object& from, std::string_view name) {
    const auto* found = from.find(name);
    return found == nullptr ? std::string{} : to_text(*found);
  }
  static trial_id id_of(const object& from) {
    return {std::stoull(*from.find("trial")->as_string())};
  }

  object say(const object& request) {
    auto before = with_.world().disk.size();
    with_.pass(std::chrono::milliseconds{10});
    auto heard = who_ == losing::head_alone ? with_.say(request) : with_.say_once(request);
    if (!heard) {
      running_.clear();
      return {};
    }
    auto answer = *heard;
    // Only `add` may be refused, once the experiment is over.
    EXPECT_TRUE(text(answer, "op") != "fault" || text(request, "op") == "add")
        << to_json(request) << "\n"
        << to_json(answer);
    auto said_late = text(request, "op") == "report" && text(answer, "decision") != "continue"
                     && !has_report_since(before);
    auto shown = answer;
    shown.erase("attempt");
    shown.erase("others");
    if (!said_late)
      answers_.push_back(text(request, "op") + " " + text(request, "trial") + ": "
                         + to_json(shown));
    return answer;
  }

  /// Whether a report has been recorded since the disk held `before` items.
  [[nodiscard]] bool has_report_since(std::size_t before) const {
    const auto& disk = with_.world().disk;
    return std::any_of(disk.begin() + static_cast<std::ptrdiff_t>(before), disk.end(),
                       [](const store_item& x) {
                         const auto* what = std::get_if<event>(&x.what);
                         return what != nullptr && std::holds_alternative<on::reported>(what->what);
                       });
  }

  bool admit() {
    value::list running;
    for (const auto& [id, x] : running_)
      running.emplace_back(to_text(id));
    auto given = say({{"op", "ask"}, {"running", std::move(running)}});
    over_ = text(given, "reason") == "finished";
    if (text(given, "op") != "trial")
      return false;
    course x;
    x.attempt = *given.find("attempt")->as_int();
    if (const auto* from = given.find("from"))
      x.iteration = static_cast<std::uint64_t>(*from->as_object()->find("iteration")->as_int());
    x.x = given.find("config")->as_object()->find("x")->number().value_or(0);
    running_[id_of(given)] = x;
    return true;
  }

  /// Adds trials of its own, stops some, and asks questions.
  void interfere(int turn) {
    if (turn % 7 == 3 && turn < 30)
      say({{"op", "add"},
           {"key", "own " + std::to_string(turn)},
           {"config", object{{"x", static_cast<double>(turn % 50)}}}});
    if (turn % 11 == 8 && turn < 50 && !running_.empty()) {
      auto id = running_.begin()->first;
      running_.erase(id);
      hear(id, say({{"op", "stop"}, {"trial", to_text(id)}}));
    }
    if (turn % 5 == 0)
      say({{"op", turn % 2 == 0 ? "best" : "status"}});
  }

  void step(trial_id id) {
    auto& x = running_.at(id);
    auto next = x.iteration + 1;
    object said{{"op", "report"}, {"trial", to_text(id)}, {"attempt", x.attempt}};
    if (x.iteration == iterations) {
      said.set("op", "complete");
      running_.erase(id);
    } else if (who_ == losing::head_alone && (id.number * 5 + next) % 23 == 7
               && failed_.emplace(id, next).second) {
      said.set("op", "error");
      said.set("message", "boom");
      running_.erase(id);
    } else {
      x.iteration = next;
      said.set("metrics", metrics_of(id, x));
      if ((id.number + next) % 3 != 0)
        said.set("checkpoint", to_text(id) + "/" + std::to_string(next));
    }
    hear(id, say(said));
  }

  static object metrics_of(trial_id id, const course& x) {
    auto noise = static_cast<double>((id.number * 7919 + x.iteration * 104'729) % 97) / 97;
    auto loss = std::abs(x.x - 40) / static_cast<double>(x.iteration + 1) + 5 * noise;
    return {{"training_iteration", static_cast<std::int64_t>(x.iteration)},
            {"loss", loss},
            {"size", static_cast<double>(id.number * 13 % 7)}};
  }

  void hear(trial_id id, const object& answer) {
    if (text(answer, "op") == "decision" && text(answer, "decision") != "continue")
      running_.erase(id);
    const auto* others = answer.find("others");
    for (const auto& x : others == nullptr ? value::list{} : *others->as_list())
      running_.erase(id_of(*x.as_object()));
  }
};

/// All decisions in order, as text: configurations, verdicts with their reasons, and where trials
/// went on from and with what. Repetitions by a head that resumes are left out.
inline std::vector<std::string> decisions_of(const memory_world& world) {
  std::vector<std::string> result;
  std::map<trial_id, bool> runs;
  for (const auto& item : world.disk) {
    if (const auto* said = std::get_if<cmd::decision_taken>(&item.what)) {
      result.push_back(to_text(said->trial) + " at " + std::to_string(said->iteration) + ": "
                       + said->action + " " + to_json(said->reason));
    } else if (const auto* row = std::get_if<cmd::attempt_changed>(&item.what)) {
      // An interrupted trial that is placed anew goes on: for the scheduler nothing has happened.
      auto goes_on = !row->finished && std::exchange(runs[row->trial], true);
      if (row->finished)
        runs[row->trial] = row->how == end_class::interrupted;
      else if (!goes_on)
        result.push_back(to_text(row->trial) + " runs with " + to_json(*row->config)
                         + (row->donor ? " from " + to_text(*row->donor) : ""));
    } else if (const auto* what = std::get_if<event>(&item.what)) {
      const auto* made = std::get_if<on::suggested>(&what->what);
      const auto* list
          = made == nullptr ? nullptr : std::get_if<std::vector<suggestion>>(&made->what);
      if (list == nullptr)
        continue;
      for (const auto& x : *list)
        result.push_back("suggested " + to_json(*x.config));
    }
  }
  return result;
}

} // namespace tune::samples

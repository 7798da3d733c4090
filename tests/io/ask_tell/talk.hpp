/// A conversation for tests, without files: requests and answers as JSON, a disk in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/asking.hpp"
#include "tune/core/schedule/scheduler.hpp"
#include "tune/io/ask_tell/conversation.hpp"
#include "tune/io/json.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tune::samples {

/// Proposes `x = 0, 1, 2, …` until `count` are out; some are drawn ahead.
class list_searcher : public searcher {
public:
  explicit list_searcher(std::uint64_t count) : count_{count} {}
  [[nodiscard]] searcher_traits traits() const override {
    searcher_traits result;
    result.ahead = 4;
    result.exhaustible = true;
    result.prompt = true;
    return result;
  }
  void apply(const searcher_fact& what) override {
    const auto* x = std::get_if<suggested_fact>(&what.what);
    if (x == nullptr)
      return;
    if (const auto* list = std::get_if<std::vector<suggestion>>(&x->what))
      made_ += list->size();
  }
  [[nodiscard]] proposal propose(const ask& question) const override {
    if (made_ == count_)
      return exhausted{"all are out"};
    std::vector<suggestion> result;
    for (auto i = made_; i < count_ && result.size() < question.count; ++i)
      result.push_back(
          {std::make_shared<object>(object{{"x", static_cast<std::int64_t>(i)}}), "list"});
    return result;
  }
  void describe(fingerprint& into) const override { into.add(made_); }

private:
  std::uint64_t count_;
  std::uint64_t made_ = 0;
};

/// The parts of a run, which each head makes anew.
struct recipe {
  std::uint64_t trials = 3;
  experiment_settings settings = [] {
    experiment_settings result;
    result.objectives = {{"loss", false}};
    result.saves = save_ability::on_request;
    result.failures.max_consecutive_failures = 0;
    return result;
  }();
  std::function<std::unique_ptr<scheduler>()> judge = [] { return builtin("fifo"); };
  /// Null: a `list_searcher` with `trials` trials.
  std::function<std::unique_ptr<searcher>()> source = {};
  /// Number of heads at the beginning that are of an earlier version, and their scheduler.
  std::uint32_t older_heads = 0;
  std::function<std::unique_ptr<scheduler>()> older_judge = {};
  /// The space of added configurations.
  std::shared_ptr<const search_space> space
      = support::space_of({{"x", "randint(0, 100)"}, {"kind", "choice(a, b)"}});
  /// Ends a trial once the named metric is at least the number; empty: no such condition.
  std::vector<stop_line> stops = {};
  /// See `conversation_parts::lease`.
  std::chrono::nanoseconds lease{0};

  /// Makes a scheduler of the catalogue.
  static std::unique_ptr<scheduler> builtin(const std::string& name,
                                            const std::map<std::string, std::string>& how = {}) {
    auto all = builtin_schedulers();
    const auto* entry = all.find(name);
    auto made = entry->make(*options::parse(entry->known, how), {0, 1, false, nullptr, {}});
    return std::move(*made);
  }

  [[nodiscard]] experiment machine(const scheduler& by, const searcher& from) const {
    auto made = make_stoppers(stops);
    return experiment{settings, by.traits(), from.traits(), std::move(*made)};
  }
};

/// A disk in memory and a clock.
struct memory_world : conversation_ports {
  std::vector<store_item> disk;
  std::vector<std::string> warnings;
  instant time{0};
  /// Number of items on the disk after each commit.
  std::vector<std::size_t> commits;
  bool full = false;
  /// Commits until the disk is full; empty: it never is.
  std::optional<std::size_t> commits_left;

  [[nodiscard]] instant now() const override { return time; }
  [[nodiscard]] std::int64_t wall_ms() const override { return 1'000; }
  expected<void> commit(std::span<const store_item> items) override {
    full = full || commits_left == 0;
    if (full)
      return error{ec::storage, "the disk is full"};
    if (commits_left)
      --*commits_left;
    disk.insert(disk.end(), items.begin(), items.end());
    commits.push_back(disk.size());
    return {};
  }
  void warn(const std::string& text) override { warnings.push_back(text); }

  [[nodiscard]] std::vector<event> log() const {
    std::vector<event> result;
    for (const auto& x : disk) {
      if (const auto* what = std::get_if<event>(&x.what))
        result.push_back(*what);
    }
    return result;
  }
  template <class Body>
  [[nodiscard]] std::vector<Body> events() const {
    std::vector<Body> result;
    for (const auto& x : log()) {
      if (const auto* what = std::get_if<Body>(&x.what))
        result.push_back(*what);
    }
    return result;
  }
  template <class Row>
  [[nodiscard]] std::vector<Row> rows() const {
    std::vector<Row> result;
    for (const auto& x : disk) {
      if (const auto* what = std::get_if<Row>(&x.what))
        result.push_back(*what);
    }
    return result;
  }
};

/// A conversation and its disk.
class talk {
public:
  explicit talk(recipe how) : how_{std::move(how)} { begin(); }

  /// Simulates the loss of the head after all its answers; another head takes over.
  void restart() { begin(); }

  /// Sends a line. @returns the answer as a line.
  std::string say(const std::string& line) {
    auto request = object_from_json(line);
    if (!request)
      return "not JSON: " + line;
    auto answer = uut->answer(*request);
    return answer ? to_json(*answer) : "no answer: " + to_text(answer.error());
  }
  /// The answer as an object; empty if there is none.
  object tell(const object& request) {
    auto answer = uut->answer(request);
    return answer ? *answer : object{};
  }
  std::string ask() { return say(R"({"op":"ask"})"); }
  std::string report(int trial, int iteration, double loss, const std::string& more = "") {
    return say(R"({"op":"report","trial":")" + std::to_string(trial)
               + R"(","metrics":{"training_iteration":)" + std::to_string(iteration) + R"(,"loss":)"
               + to_json(value{loss}) + "}" + more + "}");
  }

  memory_world world;
  std::unique_ptr<conversation> uut;

private:
  recipe how_;
  std::uint32_t epoch_ = 0;

  void begin() {
    auto is_older = epoch_ < how_.older_heads;
    auto judge = is_older ? how_.older_judge() : how_.judge();
    auto source = how_.source ? how_.source() : std::make_unique<list_searcher>(how_.trials);
    auto machine = how_.machine(*judge, *source);
    uut = std::make_unique<conversation>(conversation_parts{std::move(machine), std::move(judge),
                                                            std::move(source), how_.space,
                                                            how_.settings.constraints, how_.lease},
                                         world);
    for (const auto& x : world.log())
      uut->replay(x);
    auto opened = uut->open({++epoch_, "test", "{}", how_.settings.seed, opening::executed,
                             is_older ? 0 : on::present_draws});
    EXPECT_TRUE(opened || world.full);
  }
};

} // namespace tune::samples

// SPDX-License-Identifier: BSD-3-Clause
#include "support/asking.hpp"

#include "tune/core/rng.hpp"
#include "tune/core/search/external/external.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <stdexcept>

namespace tune::external {
namespace {

using testing::HasSubstr;

/// What a process does when it is next asked something.
enum class fate : std::uint8_t { answers, dies, strays, refuses, waits, ends, complains };

/// State that all processes of a test share.
struct stage {
  std::deque<fate> fates;
  /// Messages that each process received, by type and number.
  std::vector<std::vector<std::string>> told;
  bool closed = false;
  std::string greeting;
  /// What a process that dies is said to have done.
  std::string death = "it died";
  std::vector<std::string> warnings;
};

/// A process in memory; its suggestions follow from all that it was told since it began.
class pupil final : public partner {
public:
  explicit pupil(stage& on) : on_{on} {}

  void enter() override {}
  void leave() override {}
  void begin() override {
    on_.told.emplace_back();
    said_.clear();
    known_ = fingerprint{};
  }
  void tell(const std::vector<object>& what) override {
    for (const auto& each : what)
      listen(each);
  }
  heard hear() override {
    if (said_.empty())
      return partner_lost{on_.death};
    auto result = std::move(said_.front());
    said_.pop_front();
    return result;
  }
  void warn(const std::string& text) override { on_.warnings.push_back(text); }
  void close(const std::function<std::vector<object>()>& last_words) override {
    if (!on_.told.empty())
      tell(last_words());
    on_.closed = true;
  }

private:
  stage& on_;
  std::deque<heard> said_;
  fingerprint known_;

  void listen(const object& what) {
    auto type = *what.find("type")->as_string();
    const auto* number = what.find("trial") != nullptr ? what.find("trial") : what.find("id");
    on_.told.back().push_back(type + (number != nullptr ? " " + to_text(*number) : ""));
    if (type == "begin") {
      on_.greeting.empty() ? say({{"tune", 1}}) : say({{"error", on_.greeting}});
    } else if (type == "suggest") {
      answer(*what.find("id")->as_int());
    } else if (type != "refused") {
      known_.add(what);
    }
  }
  void say(object what) { said_.emplace_back(line_heard{std::move(what)}); }
  void answer(std::int64_t id) {
    auto how = on_.fates.empty() ? fate::answers : on_.fates.front();
    if (!on_.fates.empty())
      on_.fates.pop_front();
    object result{{"id", id}};
    switch (how) {
      case fate::dies:
        return;
      case fate::strays:
        return say({{"hello", 1}});
      case fate::refuses:
        result.set("config", object{{"x", 2.0}});
        break;
      case fate::waits:
        result.set("wait", true);
        break;
      case fate::ends:
        result.set("none", true);
        break;
      case fate::complains:
        result.set("error", "out of ideas");
        break;
      case fate::answers:
        result.set("config", object{{"x", rng{known_.digest(), "pupil", 0}.unit()}});
        break;
    }
    say(std::move(result));
  }
};

std::unique_ptr<searcher> searcher_on(stage& on, std::vector<object> points = {},
                                      std::uint32_t max_restarts = 2) {
  searcher_context about{support::space_of({{"x", "uniform(0, 1)"}}), 7, 0, 1, std::move(points)};
  about.metrics = {{"loss", false}};
  about.partners = [&](const partner_terms&) -> expected<std::unique_ptr<partner>> {
    return std::unique_ptr<partner>{std::make_unique<pupil>(on)};
  };
  settings how;
  how.max_restarts = max_restarts;
  auto made = generator::make(how, about);
  EXPECT_TRUE(made);
  return std::move(*made);
}

/// Runs trials one after the other.
std::vector<std::string> run(support::asking& from, std::uint64_t count) {
  std::vector<std::string> result;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto trial = trial_id{from.trials()};
    auto answer = from.next(1);
    const auto* list = std::get_if<std::vector<suggestion>>(&answer);
    if (list == nullptr) {
      result.emplace_back("nothing");
      continue;
    }
    const auto& config = list->front().config;
    result.push_back(to_text(value{*config}));
    from.tell({trial, config, 1, 1, {-*config->find("x")->number()}, {}, outcome::completed});
  }
  return result;
}

std::vector<std::string> undisturbed(std::uint64_t count) {
  stage quiet;
  support::asking from{searcher_on(quiet)};
  return run(from, count);
}

using texts = std::vector<std::string>;

TEST(external_talk, tells_each_thing_once_in_its_order) {
  stage on;
  {
    support::asking uut{searcher_on(on)};
    run(uut, 3);
  }
  ASSERT_EQ(on.told.size(), 1U);
  EXPECT_EQ(on.told.front(),
            (texts{"begin", "suggest 1", "suggested 0", "complete 0", "suggest 2", "suggested 1",
                   "complete 1", "suggest 3", "suggested 2", "complete 2", "end"}));
  EXPECT_TRUE(on.closed);
}

TEST(external_talk, starts_nothing_before_it_is_asked) {
  stage on;
  searcher_on(on);
  EXPECT_TRUE(on.told.empty());
}

TEST(external_talk, suggests_the_same_after_a_death) {
  stage on;
  on.fates = {fate::answers, fate::answers, fate::dies, fate::answers, fate::strays};
  support::asking uut{searcher_on(on)};
  EXPECT_EQ(run(uut, 6), undisturbed(6));
  ASSERT_EQ(on.told.size(), 3U);
  EXPECT_EQ(on.told[1], (texts{"begin", "suggested 0", "complete 0", "suggested 1", "complete 1",
                               "suggest 3", "suggested 2", "complete 2", "suggest 4"}));
}

TEST(external_talk, goes_on_as_it_would_have_from_a_record) {
  stage first;
  support::asking before{searcher_on(first)};
  run(before, 4);
  stage second;
  auto next = searcher_on(second);
  for (const auto& fact : before.facts())
    next->apply(fact);
  auto answer = next->propose({5, 1, before.seq()});
  EXPECT_EQ(to_text(value{*std::get<std::vector<suggestion>>(answer).front().config}),
            undisturbed(5).back());
}

TEST(external_talk, asks_again_after_a_configuration_that_is_none_of_the_space) {
  stage on;
  on.fates = {fate::answers, fate::refuses, fate::refuses};
  support::asking uut{searcher_on(on)};
  EXPECT_EQ(run(uut, 3), undisturbed(3));
  ASSERT_EQ(on.told.size(), 1U);
  EXPECT_EQ(on.told.front(), (texts{"begin", "suggest 1", "suggested 0", "complete 0", "suggest 2",
                                    "refused 2", "suggest 2", "refused 2", "suggest 2",
                                    "suggested 1", "complete 1", "suggest 3"}));
}

TEST(external_talk, forgives_so_many_faults_between_good_answers) {
  stage on;
  on.fates
      = {fate::dies, fate::strays, fate::answers, fate::refuses, fate::complains, fate::answers};
  support::asking uut{searcher_on(on)};
  EXPECT_EQ(run(uut, 2).size(), 2U);
  on.fates = {fate::dies, fate::strays, fate::refuses};
  try {
    run(uut, 1);
    FAIL() << "it goes on";
  } catch (const std::runtime_error& why) {
    EXPECT_THAT(why.what(), HasSubstr("\"x\": 2 is not in uniform(0, 1)"));
    EXPECT_THAT(why.what(), HasSubstr("3 faults without a good answer"));
  }
}

TEST(external_talk, warns_of_the_first_process_that_is_begun_anew) {
  stage on;
  on.death = "the process ended with exit status 3; on stderr:\n  Traceback:\n  no bayes\n";
  on.fates = {fate::dies, fate::answers, fate::dies, fate::answers, fate::complains};
  support::asking uut{searcher_on(on)};
  run(uut, 4);
  ASSERT_EQ(on.told.size(), 4U);
  EXPECT_EQ(on.warnings,
            (texts{"the searcher's process is begun anew, 1 time so far: the process ended with "
                   "exit status 3; on stderr: no bayes; the next warning of it comes at the 10th "
                   "time"}));
}

TEST(external_talk, warns_of_the_tenth_process_that_is_begun_anew) {
  stage on;
  for (int i = 0; i < 12; ++i)
    on.fates.insert(on.fates.end(), {fate::dies, fate::answers});
  support::asking uut{searcher_on(on)};
  run(uut, 12);
  ASSERT_EQ(on.told.size(), 13U);
  EXPECT_EQ(on.warnings, (texts{"the searcher's process is begun anew, 1 time so far: it died; the "
                                "next warning of it comes at the 10th time",
                                "the searcher's process is begun anew, 10 times so far: it died; "
                                "the next warning of it comes at the 100th time"}));
}

TEST(external_talk, warns_of_the_first_configuration_that_is_none_of_the_space) {
  stage on;
  on.fates = {fate::refuses, fate::answers, fate::refuses, fate::refuses, fate::answers};
  support::asking uut{searcher_on(on)};
  run(uut, 3);
  EXPECT_EQ(on.warnings,
            (texts{"the searcher is asked once more, since it suggested what is none of the space: "
                   "\"x\": 2 is not in uniform(0, 1); of further ones it alone is told"}));
}

TEST(external_talk, warns_of_no_process_that_is_not_begun_anew) {
  stage on;
  on.fates = {fate::dies};
  support::asking uut{searcher_on(on, {}, 0)};
  EXPECT_THROW(run(uut, 1), std::runtime_error);
  stage other;
  other.fates = {fate::refuses};
  support::asking second{searcher_on(other, {}, 0)};
  EXPECT_THROW(run(second, 1), std::runtime_error);
  EXPECT_TRUE(on.warnings.empty());
  EXPECT_TRUE(other.warnings.empty());
}

TEST(external_talk, begins_no_process_anew_that_refuses_to_begin) {
  stage on;
  on.greeting = "no conditions, please";
  support::asking uut{searcher_on(on)};
  EXPECT_THROW(run(uut, 1), std::runtime_error);
  EXPECT_EQ(on.told.size(), 1U);
}

TEST(external_talk, takes_waiting_and_an_end_for_good_answers) {
  stage on;
  on.fates = {fate::waits, fate::dies, fate::dies, fate::waits, fate::dies, fate::ends};
  support::asking uut{searcher_on(on)};
  EXPECT_TRUE(std::holds_alternative<nothing_yet>(uut.next(1)));
  EXPECT_TRUE(std::holds_alternative<nothing_yet>(uut.next(1)));
  EXPECT_TRUE(std::holds_alternative<exhausted>(uut.next(1)));
  EXPECT_EQ(on.told.back(), (texts{"begin", "suggested 1", "suggested 2", "suggest 3"}));
}

TEST(external_talk, tries_the_points_first) {
  stage on;
  support::asking uut{searcher_on(on, {object{{"x", 0.5}}, object{}})};
  auto first = run(uut, 3);
  EXPECT_EQ(first.front(), "{x: 0.5}");
  ASSERT_EQ(on.told.size(), 1U);
  EXPECT_EQ(on.told.front(),
            (texts{"begin", "added 0", "complete 0", "added 1", "complete 1", "suggest 3"}));
}

TEST(external_talk, is_worked_out_beside_what_is_heard_meanwhile) {
  stage on;
  support::asking uut{searcher_on(on)};
  run(uut, 2);
  auto wanted = undisturbed(3).back();
  auto later = uut.uut().propose_later({3, 1, uut.seq()});
  ASSERT_TRUE(later);
  uut.tell(
      {{9}, std::make_shared<const object>(object{{"x", 0.5}}), 1, 0, {}, {}, outcome::failed});
  auto answer = later();
  EXPECT_EQ(to_text(value{*std::get<std::vector<suggestion>>(answer).front().config}), wanted);
}

TEST(external_talk, proposes_nothing_where_there_are_no_processes) {
  searcher_context about{support::space_of({{"x", "uniform(0, 1)"}}), 7, 0, 1, {}};
  auto uut = generator::make({}, about);
  ASSERT_TRUE(uut);
  EXPECT_TRUE(std::holds_alternative<nothing_yet>((*uut)->propose({1, 1, 0})));
  EXPECT_FALSE((*uut)->traits().recomputes);
}

TEST(external_talk, searches_no_grids) {
  searcher_context about{support::space_of({{"g", "grid(1, 2)"}}), 7, 0, 1, {}};
  EXPECT_THAT(generator::make({}, about).error().detail, HasSubstr("\"g\": external"));
}

TEST(external_options, are_checked) {
  searcher_context about{support::space_of({{"x", "uniform(0, 1)"}}), 7, 0, 1, {}};
  auto fault = [&](const std::map<std::string, std::string>& written) {
    auto made = support::make_searcher("external", about, written);
    return made ? std::string{"none"} : made.error().detail;
  };
  EXPECT_THAT(fault({}), HasSubstr("command: is missing"));
  EXPECT_THAT(fault({{"command", "x"}, {"answer_timeout", "0"}}), HasSubstr("answer_timeout"));
  EXPECT_THAT(fault({{"command", "x"}, {"max_restarts", "-1"}}), HasSubstr("max_restarts"));
  EXPECT_THAT(fault({{"command", "x"}, {"options", "[1]"}}), HasSubstr("options: must be"));
  EXPECT_EQ(fault({{"command", "x"}, {"options", "{\"sampler\": \"tpe\"}"}}), "none");
}

} // namespace
} // namespace tune::external

// Answered requests survive the loss of the head.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/ask_tell/puppet.hpp"

#include <gmock/gmock.h>

#include <set>

namespace tune {
namespace {

using samples::finished;
using samples::go_on_zero;
using samples::recipe;
using samples::scripted;
using samples::talk;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ask_tell, answers_nothing_that_is_not_on_disk) {
  talk uut{{}};
  uut.ask();
  uut.world.full = true;

  EXPECT_THAT(uut.report(0, 1, 1), StartsWith("no answer: "));
  uut.world.full = false;
  EXPECT_THAT(uut.report(0, 1, 1), StartsWith("no answer: "));
  EXPECT_THAT(uut.say(R"({"op":"status"})"), StartsWith("no answer: "));
  EXPECT_EQ(uut.world.events<on::reported>().size(), 0u);
}

TEST(ask_tell, commits_once_for_each_report_that_goes_on) {
  talk uut{{}};
  uut.ask();
  auto before = uut.world.commits.size();

  uut.report(0, 1, 1);
  uut.report(0, 2, 1, R"(,"checkpoint":"two")");

  EXPECT_EQ(uut.world.commits.size(), before + 2);
}

TEST(ask_tell, goes_on_with_running_trials_at_once) {
  talk uut{{}};
  uut.ask();
  uut.report(0, 1, 1);

  uut.restart();

  EXPECT_EQ(uut.report(0, 1, 1), go_on_zero);
  EXPECT_EQ(uut.say(R"({"op":"report","trial":"00000","attempt":1,"metrics":{"loss":1}})"),
            go_on_zero);
  auto reports = uut.world.events<on::reported>();
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[1].what->iteration, 2u);
  EXPECT_EQ(reports[1].what->number, 2u);
  EXPECT_EQ(reports[1].what->attempt, reports[0].what->attempt);
  EXPECT_THAT(uut.ask(), HasSubstr("00001"));
}

TEST(ask_tell, offers_running_trials_again_from_their_checkpoints) {
  talk uut{{}};
  uut.ask();
  uut.ask();
  uut.report(0, 3, 1, R"(,"checkpoint":"three")");
  uut.report(0, 4, 1);

  uut.restart();

  EXPECT_EQ(uut.ask(),
            R"({"op":"trial","trial":"00000","attempt":2,"config":{"x":0},"resume":true,)"
            R"("from":{"trial":"00000","iteration":3,"checkpoint":"three"}})");
  EXPECT_EQ(uut.ask(),
            R"({"op":"trial","trial":"00001","attempt":2,"config":{"x":1},"resume":false})");
  EXPECT_THAT(uut.ask(), HasSubstr("00002"));
  EXPECT_THAT(uut.report(0, 4, 1, R"(,"attempt":1)"), HasSubstr("superseded"));
  EXPECT_EQ(uut.report(0, 4, 1, R"(,"attempt":2)"), go_on_zero);
}

TEST(ask_tell, does_not_offer_what_the_executor_says_it_runs) {
  talk uut{{}};
  uut.ask();
  uut.ask();

  uut.restart();

  EXPECT_THAT(uut.say(R"({"op":"ask","running":["00001"]})"), HasSubstr("00000"));
  EXPECT_THAT(uut.ask(), HasSubstr("00002"));
  EXPECT_THAT(uut.report(1, 1, 1, R"(,"attempt":1)"), HasSubstr("continue"));
}

TEST(ask_tell, tells_again_of_others_that_the_executor_believes_to_run) {
  talk uut{scripted({{{1, 1}, {{{0}, stop{}, {{"why", "bad"}}}}}})};
  uut.ask();
  uut.ask();
  auto lost = uut.report(1, 1, 1);
  ASSERT_THAT(lost, HasSubstr(R"("others":[{"trial":"00000","decision":"stop","reason":"bad"}])"));

  uut.restart();

  EXPECT_THAT(uut.report(1, 1, 1), testing::Not(HasSubstr("others")));
  auto given = uut.say(R"({"op":"ask","running":["00000","00001"]})");
  EXPECT_THAT(given, HasSubstr(R"("trial":"00002")"));
  EXPECT_THAT(given, HasSubstr(R"("others":[{"trial":"00000","decision":"stop","reason":"bad"}])"));
  EXPECT_THAT(uut.say(R"({"op":"ask","running":["00001"]})"), testing::Not(HasSubstr("others")));
}

TEST(ask_tell, tells_nothing_old_of_a_trial_that_it_gives_anew) {
  recipe how = scripted({{{0, 1}, {{{0}, pause_trial{}, {{"why", "rung"}}}}}});
  how.trials = 1;
  talk uut{how};
  uut.ask();
  uut.report(0, 1, 1, R"(,"checkpoint":"one")");

  uut.restart();

  auto given = uut.say(R"({"op":"ask","running":["00000"]})");
  EXPECT_THAT(given, HasSubstr(R"("attempt":2)"));
  EXPECT_THAT(given, testing::Not(HasSubstr("others")));
}

TEST(ask_tell, offers_what_was_asked_for_in_the_same_order) {
  recipe how;
  how.settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1;
  talk uut{how};
  uut.ask();
  uut.say(R"({"op":"error","trial":"00000"})");

  uut.restart();

  EXPECT_THAT(uut.ask(), HasSubstr(R"("trial":"00001")"));
  uut.restart();
  EXPECT_THAT(uut.say(R"({"op":"ask","running":["00001"]})"), HasSubstr(R"("trial":"00002")"));
  EXPECT_THAT(uut.say(R"({"op":"ask","running":["00001","00002"]})"),
              HasSubstr(R"("trial":"00000")"));
}

TEST(ask_tell, repeats_decisions_of_an_earlier_head) {
  talk uut{scripted({{{0, 1}, {{{0}, pause_trial{}, {{"why", "rung"}}}}},
                     {{1, 1}, {{{1}, stop{}, {{"why", "bad"}}}}}})};
  uut.ask();
  uut.ask();
  auto paused = uut.report(0, 1, 1);
  auto stopped = uut.report(1, 1, 1);

  uut.restart();

  EXPECT_EQ(uut.report(0, 1, 1), paused);
  EXPECT_EQ(uut.report(1, 1, 1), stopped);
  EXPECT_THAT(stopped, HasSubstr("bad"));
}

TEST(ask_tell, repeats_why_a_condition_ended_a_trial) {
  recipe how;
  how.stops = {{"training_iteration", "2"}};
  talk uut{how};
  uut.ask();
  uut.report(0, 1, 1);
  const auto stopped = uut.report(0, 2, 1);
  ASSERT_THAT(stopped, HasSubstr(R"("reason":"training_iteration)"));

  uut.restart();

  EXPECT_EQ(uut.report(0, 2, 1), stopped);
}

TEST(ask_tell, repeats_why_a_condition_ended_all_trials) {
  recipe how;
  how.stops = {{"all_when", "loss < 0.1"}};
  talk uut{how};
  uut.ask();
  uut.ask();
  uut.report(1, 1, 1);
  const auto stopped = uut.report(0, 1, 0.05);
  const auto why = R"("decision":"stop","reason":"loss 0.05 < 0.1, which ends the experiment")";
  ASSERT_THAT(stopped, HasSubstr(why));
  const auto other = uut.report(1, 1, 1);
  ASSERT_THAT(other, HasSubstr("trial 00000 ends the experiment: "));

  uut.restart();

  // What it says of others is theirs to hear.
  EXPECT_THAT(uut.report(0, 1, 0.05), HasSubstr(why));
  EXPECT_EQ(uut.report(1, 1, 1), other);
}

TEST(ask_tell, repeats_why_a_client_stopped_a_trial) {
  talk uut{{}};
  uut.ask();
  uut.report(0, 1, 1);
  uut.say(R"({"op":"stop","trial":"00000"})");
  const auto stopped = uut.report(0, 1, 1);
  ASSERT_THAT(stopped, HasSubstr(R"("decision":"stop")"));

  uut.restart();

  EXPECT_EQ(uut.report(0, 1, 1), stopped);
}

TEST(ask_tell, is_finished_again_after_a_restart) {
  recipe how;
  how.trials = 1;
  talk uut{how};
  uut.ask();
  uut.report(0, 1, 0.5);
  uut.say(R"({"op":"complete","trial":"00000"})");

  uut.restart();

  EXPECT_EQ(uut.ask(), finished);
  EXPECT_THAT(uut.say(R"({"op":"best"})"), HasSubstr(R"("trial":"00000")"));
}

/// Simulates the loss of the head after each commit.
TEST(ask_tell, goes_on_from_wherever_the_log_ends) {
  auto how = scripted({{{0, 1}, {{{0}, pause_trial{}, {}}}}, {{1, 2}, {{{1}, stop{}, {}}}}});
  how.settings.max_concurrent = 2;
  talk first{how};
  auto drive = [](talk& x) {
    for (int i = 0; i < 100; ++i) {
      auto given = x.tell({{"op", "ask"}});
      if (given.find("reason") != nullptr && to_text(*given.find("reason")) == "finished")
        return i;
      const auto* id = given.find("trial");
      if (id == nullptr)
        continue;
      for (auto j = 0; j < 3; ++j) {
        auto said
            = x.tell({{"op", "report"}, {"trial", *id}, {"metrics", object{{"loss", j + 1}}}});
        if (to_text(*said.find("decision")) != "continue")
          break;
        if (j == 2)
          x.tell({{"op", "complete"}, {"trial", *id}});
      }
    }
    return 100;
  };
  ASSERT_LT(drive(first), 100);
  auto whole = first.world.disk;

  for (auto cut : first.world.commits) {
    talk uut{how};
    uut.world.disk.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut));
    uut.restart();

    ASSERT_LT(drive(uut), 100) << "cut after item " << cut;

    auto counts = uut.uut->machine().view().counts;
    EXPECT_EQ(counts[static_cast<std::size_t>(trial_status::terminated)], 3u) << cut;
    std::set<std::pair<attempt_id, std::uint64_t>> seen;
    for (const auto& x : uut.world.events<on::reported>())
      EXPECT_TRUE(seen.emplace(x.what->attempt, x.what->iteration).second) << cut;
  }
}

} // namespace
} // namespace tune

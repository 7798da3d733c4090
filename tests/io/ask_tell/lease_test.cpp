// Several executors take part in a conversation, and any of them may die.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/ask_tell/puppet.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using samples::go_on_zero;
using samples::ok;
using samples::recipe;
using samples::scripted;
using samples::talk;
using samples::waits;
using testing::HasSubstr;

recipe leased(std::uint64_t trials = 1) {
  recipe result;
  result.trials = trials;
  result.lease = std::chrono::seconds{10};
  return result;
}

TEST(ask_tell_lease, gives_a_silent_trial_anew_from_its_checkpoint) {
  talk uut{leased()};
  uut.ask();
  uut.report(0, 1, 1, R"(,"checkpoint":"one")");
  uut.world.time += std::chrono::seconds{9};
  EXPECT_EQ(uut.ask(), waits);
  uut.world.time += std::chrono::seconds{2};

  const auto given = uut.ask();

  EXPECT_THAT(given, HasSubstr(R"("trial":"00000","attempt":2)"));
  EXPECT_THAT(given, HasSubstr(R"("checkpoint":"one")"));
  auto ends = uut.world.events<on::ended>();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].how, end_class::node_lost);
  EXPECT_EQ(ends[0].detail, "nothing was heard of it for 10 s");
}

TEST(ask_tell_lease, tells_whoever_comes_back_late_to_stop) {
  talk uut{leased()};
  uut.ask();
  uut.world.time += std::chrono::seconds{11};
  EXPECT_THAT(uut.ask(), HasSubstr(R"("attempt":2)"));

  EXPECT_THAT(uut.say(R"({"op":"report","trial":0,"attempt":1,"metrics":)"
                      R"({"training_iteration":1,"loss":1}})"),
              HasSubstr(R"("decision":"stop")"));
  EXPECT_EQ(uut.world.events<on::reported>().size(), 0u);
  EXPECT_EQ(uut.say(R"({"op":"report","trial":0,"attempt":2,"metrics":)"
                    R"({"training_iteration":1,"loss":1}})"),
            go_on_zero);
}

TEST(ask_tell_lease, tells_whoever_says_late_that_it_runs_a_trial_to_stop) {
  talk uut{leased()};
  uut.ask();
  uut.world.time += std::chrono::seconds{11};
  uut.say(R"({"op":"status"})");

  EXPECT_THAT(uut.say(R"({"op":"alive","running":["00000"]})"),
              HasSubstr(R"("others":[{"trial":"00000","decision":"stop","reason":"superseded)"));
}

TEST(ask_tell_lease, is_kept_by_reports_and_signs_of_life) {
  talk uut{leased()};
  uut.ask();
  for (auto i = 1; i <= 3; ++i) {
    uut.world.time += std::chrono::seconds{8};
    EXPECT_EQ(uut.report(0, i, 1), go_on_zero);
    uut.world.time += std::chrono::seconds{8};
    EXPECT_EQ(uut.say(R"({"op":"alive","running":["00000"]})"), ok);
    uut.world.time += std::chrono::seconds{8};
    EXPECT_EQ(uut.say(R"({"op":"ask","running":["00000"]})"), waits);
  }
  // Whoever speaks again before another one asks has not lost anything.
  uut.world.time += std::chrono::seconds{60};
  EXPECT_EQ(uut.report(0, 4, 1), go_on_zero);
}

TEST(ask_tell_lease, begins_again_with_the_next_head) {
  talk uut{leased()};
  uut.ask();
  uut.report(0, 1, 1, R"(,"checkpoint":"one")");

  uut.restart();

  EXPECT_EQ(uut.ask(), waits) << "whoever runs it may have lived on";
  EXPECT_EQ(uut.report(0, 2, 1), go_on_zero);
  uut.restart();
  uut.world.time += std::chrono::seconds{11};
  EXPECT_THAT(uut.ask(), HasSubstr(R"("trial":"00000","attempt":2)"));
  EXPECT_EQ(uut.world.events<on::reported>().size(), 2u);
}

TEST(ask_tell_lease, signs_of_life_are_answered_by_decisions) {
  auto how = scripted({{{1, 1}, {{{0}, stop{}, {{"why", "worse"}}}, {{1}, go_on{}, {}}}}});
  how.lease = std::chrono::seconds{10};
  talk uut{how};
  uut.ask();
  uut.ask();
  // The other one hears of it first.
  EXPECT_THAT(uut.report(1, 1, 1), HasSubstr("others"));

  const auto told = uut.say(R"({"op":"alive","running":["00000"]})");

  EXPECT_THAT(told, HasSubstr(R"("trial":"00000","decision":"stop")"));
  EXPECT_THAT(uut.say(R"({"op":"alive","running":1})"), HasSubstr("fault"));
}

} // namespace
} // namespace tune

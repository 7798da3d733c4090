// SPDX-License-Identifier: BSD-3-Clause
#include "run/numbered_name.hpp"

#include "run/rerun_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune::cli {
namespace {

TEST(numbered_name, is_told_from_other_names) {
  EXPECT_EQ(numbered_name("x", 1), "x");
  EXPECT_EQ(numbered_name("x", 12), "x-12");
  EXPECT_EQ(number_of("x", "x"), 1u);
  EXPECT_EQ(number_of("x-12", "x"), 12u);
  EXPECT_EQ(number_of("x-2-3", "x-2"), 3u);
  for (const auto* other : {"x-1", "x-0", "x-02", "x-2b", "x-", "y", "xx", "x-2-3", "x--2"})
    EXPECT_FALSE(number_of(other, "x")) << other;
}

TEST(numbered_name, is_taken_from_the_command_line_only_where_it_is_meant) {
  std::vector<named_text> given{{"experiment.name", "auto"}, {"space.x", "auto"}};
  EXPECT_TRUE(take_automatic_name(given));
  EXPECT_EQ(given.size(), 1u);
  EXPECT_FALSE(take_automatic_name(given));
  given = {{"experiment.name", "automatic"}};
  EXPECT_FALSE(take_automatic_name(given));
}

TEST(rerun, fixes_the_configuration_and_stops_where_the_trial_ended) {
  spec recorded;
  recorded.experiment.name = "x";
  recorded.experiment.num_samples = 40;
  recorded.search.type = "sobol";
  recorded.scheduler.type = "asha";
  recorded.stop = {{"loss", "0.1"}, {"training_iteration", "100"}};
  trial_row of;
  of.trial = {7};
  of.iterations = 9;
  of.config = {{"lr", 0.5}, {"opt", object{{"name", "a b"}}}};

  auto made = spec_for_rerun(recorded, of);

  EXPECT_EQ(made.experiment.name, "x-rerun-00007");
  EXPECT_EQ(made.experiment.num_samples, 1u);
  EXPECT_EQ(made.scheduler.type, "");
  EXPECT_THAT(made.space,
              testing::ElementsAre(named_text{"lr", "0.5"}, named_text{"opt.name", "\"a b\""}));
  EXPECT_THAT(made.stop, testing::ElementsAre(named_text{"loss", "0.1"},
                                              named_text{"training_iteration", "9"}));
}

TEST(rerun, keeps_the_parameters_that_did_not_take_part) {
  spec recorded;
  recorded.space = {{"kernel", "choice(\"rbf\", \"poly\")"},
                    {"degree", "randint(2, 5) if kernel = poly"},
                    {"whole", "choice({\"a\": 1}, {\"a\": 2})"}};
  trial_row of;
  of.config = {{"kernel", "rbf"}, {"whole", object{{"a", 2}}}};

  auto made = spec_for_rerun(recorded, of);

  EXPECT_THAT(made.space, testing::ElementsAre(
                              named_text{"kernel", "\"rbf\""}, named_text{"whole", "{\"a\":2}"},
                              named_text{"degree", "randint(2, 5) if kernel = poly"}));
}

TEST(rerun, compares_the_numbers_of_both_reports) {
  auto found = compared_metrics({{"loss", 1.5}, {"val", object{{"acc", 2}}}, {"who", "me"}},
                                {{"loss", 1}, {"new", 3}});

  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].metric, "loss");
  EXPECT_EQ(found[0].now, value{1});
  EXPECT_EQ(found[1].metric, "val/acc");
  EXPECT_TRUE(found[1].now.is_null());
  EXPECT_TRUE(found[2].recorded.is_null());
}

} // namespace
} // namespace tune::cli

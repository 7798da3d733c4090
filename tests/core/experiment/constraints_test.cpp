// Constraints on outcomes: their syntax, and their effect on "best".
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/constraints.hpp"

#include "support/run_by_hand.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto infinite = std::numeric_limits<double>::infinity();

constraint_list read(const std::string& text) {
  auto result = parse_constraints(text);
  EXPECT_TRUE(result) << result.error().detail;
  return result ? *result : constraint_list{};
}

TEST(constraints, are_read_as_they_are_written) {
  for (const std::string text : {"latency <= 20", "latency <= 20, memory < 2000",
                                 "valid/loss > -1.5", "\"time per step\" >= 0.25, loss < 1"})
    EXPECT_EQ(to_text(read(text)), text);
  EXPECT_THAT(read(" "), IsEmpty());
  EXPECT_EQ(to_text(read("  a<=1 ,b > 2e9  ")), "a <= 1, b > 2e+09");
}

TEST(constraints, are_refused_with_the_place_of_the_fault_or_what_is_allowed) {
  const std::pair<const char*, const char*> wrong[] = {
      {"latency", "column 8: expected >=, >, <=, <, == or !="},
      {"latency <= fast", "column 12: expected a number"},
      {"latency <= 1,", "column 14: expected the name of a metric"},
      {"latency <= 1 and loss < 2", "column 14: expected a comma"},
      {"latency == 1", "latency == 1: a constraint is one of <=, <, >= and >"},
      {"latency != 1", "one of <=, <, >= and >"},
      {"latency < inf", "must be finite"},
      {"latency < nan", "expected a number"},
      {"training_iteration <= 3", "the runtime adds training_iteration"},
  };
  for (const auto& [text, says] : wrong) {
    auto read = parse_constraints(text);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().detail, HasSubstr(says)) << text;
  }
}

TEST(constraints, are_missed_by_what_is_above_0) {
  auto uut = read("a <= 2, b < 2, c >= 2, d > 2, n/e <= 2");
  auto of = [&](double x) {
    return violations_of(uut,
                         object{{"a", x}, {"b", x}, {"c", x}, {"d", x}, {"n", object{{"e", x}}}});
  };

  EXPECT_THAT(of(3), ElementsAre(1, 1, -1, -1, 1));
  EXPECT_THAT(of(1), ElementsAre(-1, -1, 1, 1, -1));
  auto at_the_limit = of(2);
  EXPECT_EQ(at_the_limit[0], 0);
  EXPECT_GT(at_the_limit[1], 0);
  EXPECT_EQ(at_the_limit[2], 0);
  EXPECT_GT(at_the_limit[3], 0);
  EXPECT_THAT(of(std::nan("")), ElementsAre(infinite, infinite, infinite, infinite, infinite));
  EXPECT_THAT(violations_of(uut, {{"a", "low"}})[0], infinite);
  EXPECT_EQ(total_violation(read("a <= 2, b >= 0"), {{"a", 5}, {"b", 100}}), 3);
}

TEST(merits, put_what_keeps_all_constraints_before_whatever_does_not) {
  const auto none = std::nan("");
  EXPECT_TRUE(is_better({0, -9}, {0.1, 9}));
  EXPECT_FALSE(is_better({0.1, 9}, {0, -9}));
  EXPECT_TRUE(is_better({0.1, -9}, {0.2, 9}));
  EXPECT_TRUE(is_better({0, 2}, {0, 1}));
  EXPECT_FALSE(is_better({0, 1}, {0, 1}));
  EXPECT_TRUE(is_better({infinite, 2}, {infinite, 1}));
  EXPECT_TRUE(is_better({5, 1}, {0, none}));
  EXPECT_FALSE(is_better({0, none}, {5, 1}));
}

struct constrained : support::run_by_hand, testing::Test {
  static constexpr trial_id one{1};

  constrained() { settings.constraints = read("latency <= 20"); }

  void tell(object metrics, trial_id id = zero) {
    auto what = std::make_shared<tune::report>();
    what->trial = id;
    what->attempt = attempt;
    what->number = ++reports;
    what->iteration = ++iteration;
    what->metrics = std::make_shared<object>(std::move(metrics));
    post(on::reported{what});
  }
  void save_with(object metrics) {
    tell(std::move(metrics));
    decide(tune::save{});
    save();
  }
  [[nodiscard]] best_trial best() const { return *uut->machine().view().best; }
};

TEST_F(constrained, searchers_hear_how_far_each_report_is_off) {
  open();
  run();
  tell({{"loss", 1}, {"latency", 25}});
  tell({{"loss", 1}, {"latency", 15}});
  tell({{"loss", 1}});
  end(end_class::finished);

  std::vector<std::vector<double>> heard;
  for (const auto& x : ports.observed(zero))
    heard.push_back(x.constraints);
  EXPECT_THAT(heard, ElementsAre(ElementsAre(5), ElementsAre(-5), ElementsAre(infinite),
                                 ElementsAre(infinite)));
}

TEST_F(constrained, a_report_that_misses_one_is_never_the_best_of_its_trial) {
  open();
  run();
  tell({{"loss", 0.1}, {"latency", 21}});
  EXPECT_EQ(best().at->iteration, 1u);
  tell({{"loss", 0.9}, {"latency", 20}});
  EXPECT_EQ(best().at->iteration, 2u);
  tell({{"loss", 0.2}, {"latency", 30}});

  EXPECT_EQ(best().at->iteration, 2u);
  end(end_class::finished);
  EXPECT_EQ(row().best->iteration, 2u);
}

TEST_F(constrained, a_trial_that_keeps_them_is_better_than_one_that_does_not) {
  open(2);
  run();
  tell({{"loss", 0.1}, {"latency", 40}});
  end(end_class::finished);
  run(one);
  tell({{"loss", 7}, {"latency", 3}}, one);

  EXPECT_EQ(best().trial, one);
}

TEST_F(constrained, where_nobody_keeps_them_the_least_violation_is_the_best) {
  open(2);
  run();
  tell({{"loss", 0.1}, {"latency", 40}});
  end(end_class::finished);
  run(one);
  tell({{"loss", 7}, {"latency", 30}}, one);

  EXPECT_EQ(best().trial, one);
}

TEST_F(constrained, the_best_checkpoint_is_that_of_a_report_that_keeps_them) {
  open();
  run();
  save_with({{"loss", 0.5}, {"latency", 10}});
  save_with({{"loss", 0.1}, {"latency", 50}});

  EXPECT_EQ(best().checkpoint, "there/1");
  tell({{"loss", 0.3}, {"latency", 10}});
  EXPECT_EQ(best().at->iteration, 3u);
  EXPECT_EQ(best().checkpoint_iteration, 1u);
}

TEST_F(constrained, a_metric_that_is_never_reported_is_warned_of) {
  open();
  run();
  tell({{"loss", 1}, {"latancy", 25}});

  ASSERT_EQ(ports.all<cmd::warn>().size(), 1u);
  EXPECT_THAT(ports.last<cmd::warn>().text,
              testing::AllOf(HasSubstr("[experiment] constraints"), HasSubstr("did you mean"),
                             HasSubstr("no trial keeps latency <= 20")));
}

} // namespace
} // namespace tune

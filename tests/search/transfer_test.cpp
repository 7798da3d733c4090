/// Memories of earlier experiments, and how much they are trusted.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/transfer/first_points.hpp"
#include "tune/core/search/transfer/memory.hpp"

#include "tune/core/search/gp/targets.hpp"

#include "support/asking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace {

using namespace tune;
using namespace tune::support;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

encoding encoding_of(const std::vector<parameter_text>& lines) {
  auto made = encoding::make(space_of(lines), "uut");
  EXPECT_TRUE(made) << made.error().detail;
  return std::move(*made);
}

earlier_experiment experiment_of(std::vector<std::pair<object, double>> trials) {
  earlier_experiment result{"results/first", {}};
  std::uint64_t number = 0;
  for (auto& [config, value] : trials)
    result.trials.push_back({trial_id{number++}, std::move(config), value, {}});
  return result;
}

std::vector<std::uint64_t> numbers(const earlier_experiment& of) {
  std::vector<std::uint64_t> result;
  for (const auto& x : of.trials)
    result.push_back(x.trial.number);
  return result;
}

TEST(adapted, leaves_out_what_lies_outside_and_what_is_no_parameter) {
  auto space = encoding_of({{"x", "uniform(0, 1)"}, {"c", "7"}});

  auto uut = transfer::adapted(space,
                               experiment_of({{{{"x", 0.5}, {"z", 1}}, 1}, {{{"x", 2.0}}, 2}}), 10);

  EXPECT_EQ(uut.outside, 1u);
  EXPECT_TRUE(uut.overlaps);
  EXPECT_THAT(numbers(uut.what), ElementsAre(0));
  EXPECT_EQ(uut.what.trials[0].config, (object{{"x", 0.5}}));
}

TEST(adapted, takes_trials_with_other_constants_where_none_has_the_present_one) {
  auto space = encoding_of({{"x", "uniform(0, 1)"}, {"epochs", "50"}});
  auto trial = [](double x, int epochs) { return object{{"x", x}, {"epochs", epochs}}; };

  auto some = transfer::adapted(
      space, experiment_of({{trial(0.1, 20), 1}, {trial(0.2, 50), 2}, {trial(0.3, 20), 3}}), 10);
  auto none
      = transfer::adapted(space, experiment_of({{trial(0.1, 20), 1}, {trial(0.2, 30), 2}}), 10);

  EXPECT_THAT(numbers(some.what), ElementsAre(1));
  EXPECT_EQ(some.elsewhere, 2u);
  EXPECT_THAT(numbers(none.what), ElementsAre(0, 1));
  EXPECT_EQ(none.elsewhere, 0u);
}

TEST(adapted, has_no_overlap_where_nothing_that_varies_is_known) {
  auto space = encoding_of({{"x", "uniform(0, 1)"}, {"c", "7"}});

  EXPECT_FALSE(transfer::adapted(space, experiment_of({{{{"c", 7}}, 1}}), 10).overlaps);
  EXPECT_FALSE(transfer::adapted(space, experiment_of({}), 10).overlaps);
}

TEST(adapted, takes_the_best_and_a_part_of_the_others_in_their_order) {
  auto space = encoding_of({{"x", "uniform(0, 1)"}});
  std::vector<std::pair<object, double>> all;
  for (int i = 0; i < 20; ++i)
    all.push_back({{{"x", i / 20.0}}, i % 2 == 0 ? i : nan});

  auto uut = transfer::adapted(space, experiment_of(all), 8);

  // The ranking is 18, 16, …, 0, then the failed trials 1, 3, … 19. Kept are the first four and, of
  // the sixteen others, those at positions 2, 6, 10, 14.
  EXPECT_THAT(numbers(uut.what), ElementsAre(1, 6, 9, 12, 14, 16, 17, 18));
  EXPECT_EQ(uut.surplus, 12u);
  auto again = transfer::adapted(space, uut.what, 8);
  EXPECT_THAT(numbers(again.what), ElementsAre(1, 6, 9, 12, 14, 16, 17, 18));
}

double bowl(double x, double y) {
  return -(x - 0.3) * (x - 0.3) - 2 * (y - 0.6) * (y - 0.6);
}

const std::vector<parameter_text> plane{{"x", "uniform(0, 1)"}, {"y", "uniform(0, 1)"}};

/// An experiment with random configurations of the plane; larger scores are better.
template <class Function>
earlier_experiment seen(Function f, std::size_t count = 40) {
  std::vector<std::pair<object, double>> all;
  rng chance{17, "earlier", 0};
  for (std::size_t i = 0; i < count; ++i) {
    auto x = chance.unit();
    auto y = chance.unit();
    all.push_back({{{"x", x}, {"y", y}}, f(x, y)});
  }
  return experiment_of(std::move(all));
}

TEST(first_points, are_the_best_of_each_in_turn_and_apart) {
  auto space = encoding_of(plane);
  auto at = [](double x) { return object{{"x", x}, {"y", 0.5}}; };
  auto one = transfer::laid_out(
      space, experiment_of({{at(0.1), 1}, {at(0.5), 9}, {at(0.52), 8}, {at(0.9), 7}}));
  auto two = transfer::laid_out(space, experiment_of({{at(0.7), 1}, {at(0.3), 2}}));
  two.name = "results/second";

  auto uut = transfer::first_points(space, std::vector{one, two}, 4, 1);

  ASSERT_EQ(uut.size(), 4u);
  EXPECT_EQ(uut[0].origin, "earlier 1: results/first, trial 00001");
  EXPECT_EQ(uut[1].origin, "earlier 2: results/second, trial 00001");
  // 0.52 is too close to 0.5.
  EXPECT_EQ(uut[2].origin, "earlier 1: results/first, trial 00003");
  EXPECT_EQ(uut[3].origin, "earlier 2: results/second, trial 00000");
  EXPECT_DOUBLE_EQ(uut[3].at[0], 0.7);
}

TEST(first_points, complete_what_an_experiment_does_not_know) {
  auto space = encoding_of({{"x", "uniform(0, 1)"}, {"y", "uniform(0, 1)"}});
  auto from = transfer::laid_out(space, experiment_of({{{{"x", 0.1}}, 1}, {{{"x", 0.9}}, 2}}));

  auto uut = transfer::first_points(space, std::vector{from}, 5, 1);

  ASSERT_EQ(uut.size(), 2u);
  EXPECT_DOUBLE_EQ(uut[0].at[0], 0.9);
  EXPECT_DOUBLE_EQ(uut[0].at[1], 0.5);
  EXPECT_FALSE(std::isnan(uut[1].at[1]));
}

TEST(first_points, are_two_to_four_and_half_of_a_design_at_most) {
  EXPECT_EQ(transfer::count_of_first(0, 1), 0u);
  EXPECT_EQ(transfer::count_of_first(1, 1), 0u);
  EXPECT_EQ(transfer::count_of_first(3, 1), 1u);
  EXPECT_EQ(transfer::count_of_first(8, 1), 2u);
  EXPECT_EQ(transfer::count_of_first(8, 3), 3u);
  EXPECT_EQ(transfer::count_of_first(20, 16), 4u);
}

/// Results of the bowl, to be minimised, and their standardised targets.
struct own_results {
  encoding space = encoding_of(plane);
  gp::inputs at{space};
  std::vector<double> targets;
  std::vector<learning::result> all;

  explicit own_results(std::size_t count) {
    rng chance{5, "own", 0};
    for (std::size_t i = 0; i < count; ++i) {
      cube_point point{chance.unit(), chance.unit()};
      at.add(point);
      targets.push_back(-bowl(point[0], point[1]));
      all.push_back({point, learning::ending::finished, targets.back()});
    }
    targets = gp::standardised(std::move(targets));
  }
};

transfer::forecast_ptr expected_by(const transfer::memory& uut, const own_results& own) {
  transfer::model_book kept;
  return uut.expected(own.at, own.targets, false, kept);
}

TEST(memory, expects_what_the_same_function_shows_whatever_its_scale) {
  own_results own{12};
  transfer::memory uut{
      own.space, {seen([](double x, double y) { return 1e6 * bowl(x, y) - 5; })}, 1};

  auto what = expected_by(uut, own);

  ASSERT_NE(what, nullptr);
  ASSERT_EQ(what->parts().size(), 1u);
  EXPECT_GT(what->parts()[0].slope, 0.5);
  EXPECT_THAT(what->text(), testing::MatchesRegex("[0-9.]+ × earlier 1"));
  auto rest = gp::without(own.at, own.targets, what);
  double before = 0;
  double after = 0;
  auto mean = std::accumulate(rest.begin(), rest.end(), 0.0) / static_cast<double>(rest.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    before += own.targets[i] * own.targets[i];
    after += (rest[i] - mean) * (rest[i] - mean);
  }
  EXPECT_LT(after, 0.1 * before);
}

TEST(memory, expects_nothing_of_the_contrary_nor_of_too_little) {
  own_results own{12};
  transfer::memory contrary{own.space, {seen([](double x, double y) { return -bowl(x, y); })}, 1};
  transfer::memory little{own.space, {seen(bowl, 2)}, 1};

  EXPECT_EQ(expected_by(contrary, own), nullptr);
  EXPECT_EQ(expected_by(little, own), nullptr);
}

TEST(memory, says_nothing_along_axes_that_an_experiment_does_not_know) {
  own_results own{12};
  auto half = seen([](double x, double) { return bowl(x, 0.6); });
  for (auto& x : half.trials)
    x.config.erase("y");
  transfer::memory uut{own.space, {half}, 1};

  auto what = expected_by(uut, own);

  ASSERT_NE(what, nullptr);
  gp::inputs line{own.space};
  line.add({0.2, 0.1});
  line.add({0.2, 0.9});
  auto there = what->at(line);
  EXPECT_DOUBLE_EQ(there[0], there[1]);
}

TEST(memory, backs_densities_as_far_as_ranks_agree) {
  own_results own{20};
  transfer::memory same{own.space, {seen(bowl)}, 1};
  transfer::memory contrary{own.space, {seen([](double x, double y) { return -bowl(x, y); })}, 1};

  auto backings = same.backings(own.all);

  ASSERT_EQ(backings.size(), 1u);
  // Fifteen percent of the forty are good ones.
  EXPECT_EQ(backings[0].good.size(), 6u);
  EXPECT_EQ(backings[0].bad.size(), 34u);
  auto most = 4.0 * 10 / (10 + 20) / 6;
  EXPECT_GT(backings[0].weight, 0.4 * most);
  EXPECT_LE(backings[0].weight, most);
  EXPECT_TRUE(contrary.backings(own.all).empty());
}

TEST(pays, only_where_results_are_likelier_with_it) {
  own_results own{12};
  auto prior = gp::kernel_prior::of(2);
  auto fit = [&](const std::vector<double>& targets) {
    return gp::descend(own.at, targets, prior, gp::first_guess(prior, 2), 40).logs;
  };
  auto cold = fit(own.targets);
  auto verdict = [&](const earlier_experiment& from) {
    transfer::memory uut{own.space, {from}, 1};
    auto what = expected_by(uut, own);
    return what != nullptr
           && transfer::pays(what, {own.at, own.targets, prior, cold,
                                    fit(gp::without(own.at, own.targets, what))});
  };

  EXPECT_TRUE(verdict(seen(bowl)));
  EXPECT_FALSE(verdict(seen([](double x, double y) { return std::sin(40 * x + 31 * y); })));
}

TEST(memory, answers_the_same_whether_it_heard_results_one_by_one_or_not) {
  own_results own{70};
  transfer::memory asked_late{own.space, {seen(bowl), seen(bowl, 12)}, 1};
  auto hearing = asked_late;
  for (std::size_t n = 1; n <= own.all.size(); ++n) {
    auto results = std::span{own.all}.first(n);
    hearing.hear(results);
    auto copy = hearing;
    auto late = asked_late.backings(results);
    auto heard = copy.backings(results);
    ASSERT_EQ(late.size(), heard.size());
    for (std::size_t k = 0; k < late.size(); ++k) {
      EXPECT_EQ(late[k].weight, heard[k].weight);
      EXPECT_EQ(late[k].good, heard[k].good);
    }
    EXPECT_EQ(late.size(), n < 10 ? late.size() : 2u);
  }
}

class transferring_test : public testing::TestWithParam<std::string> {
protected:
  static expected<std::unique_ptr<searcher>> make(std::vector<earlier_experiment> from,
                                                  std::uint32_t objectives = 1) {
    searcher_context about;
    about.space = space_of(plane);
    about.seed = 3;
    about.samples = 0;
    about.objectives = objectives;
    about.earlier = std::move(from);
    return make_searcher(GetParam(), about);
  }

  static std::vector<suggestion> run(asking& uut, std::size_t count) {
    std::vector<suggestion> all;
    while (all.size() < count) {
      auto trial = trial_id{uut.trials()};
      auto x = std::get<0>(uut.next(1)).front();
      auto score = bowl(*x.config->find("x")->number(), *x.config->find("y")->number());
      uut.tell({trial, x.config, 1, 1, {score}, {}, outcome::completed});
      all.push_back(std::move(x));
    }
    return all;
  }
};

TEST_P(transferring_test, begins_with_the_best_of_an_earlier_experiment) {
  asking uut{std::move(*make({seen(bowl)}))};

  auto all = run(uut, 12);

  EXPECT_TRUE(uut.uut().traits().learns_earlier);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_THAT(all[i].origin, StartsWith("earlier 1: results/first, trial "));
  EXPECT_EQ(all[2].origin, "middle");
  EXPECT_EQ(all[7].origin, "design");
  EXPECT_THAT(all[8].origin, testing::AnyOf(StartsWith("gp"), "tpe"));
}

TEST_P(transferring_test, tries_the_rest_of_the_design_where_an_experiment_misleads) {
  asking uut{std::move(*make({seen([](double x, double y) { return -bowl(x, y); })}))};

  auto all = run(uut, 12);

  EXPECT_EQ(all[8].origin, "design");
  EXPECT_EQ(all[9].origin, "design");
  EXPECT_THAT(all[10].origin, testing::AnyOf("gp", "tpe"));
}

TEST_P(transferring_test, does_not_care_for_the_scale_of_an_earlier_experiment) {
  asking plain{std::move(*make({seen(bowl)}))};
  asking scaled{std::move(*make({seen([](double x, double y) { return 8 * bowl(x, y) + 64; })}))};

  EXPECT_EQ(texts(run(plain, 9)), texts(run(scaled, 9)));
}

TEST_P(transferring_test, suggests_after_a_replay_what_it_would_have_suggested) {
  auto from = std::vector{seen(bowl), seen([](double x, double y) { return bowl(y, x); }, 30)};
  asking uut{std::move(*make(from))};
  for (int i = 0; i < 30; ++i) {
    run(uut, 1);
    if (i % 5 != 0)
      continue;
    auto again = std::move(*make(from));
    for (const auto& fact : uut.facts())
      again->apply(fact);
    tune::ask next{uut.asks() + 1, 1, uut.seq()};
    ASSERT_EQ(texts(std::get<0>(uut.uut().propose(next))), texts(std::get<0>(again->propose(next))))
        << "after " << i + 1;
  }
}

TEST_P(transferring_test, explains_by_the_model_that_proposed) {
  asking uut{std::move(*make({seen(bowl)}))};
  std::size_t warm = 0;
  for (std::int64_t i = 0; i < 24; ++i) {
    tune::ask question{uut.asks() + 1, 1, uut.seq()};
    auto list = std::get<0>(uut.uut().propose(question));
    auto found = uut.uut().explain(question, list, 0);
    const auto& origin = list.front().origin;
    if (origin.starts_with("gp")) {
      ASSERT_TRUE(found) << i;
      const auto* earlier = found->details.find("earlier");
      EXPECT_EQ(origin, earlier == nullptr ? "gp" : "gp + " + *earlier->as_string()) << i;
      warm += earlier != nullptr;
    } else if (origin == "tpe") {
      ASSERT_TRUE(found) << i;
      auto count = [&](const char* name) {
        const auto* x = found->details.find(name);
        return x == nullptr ? 0 : *x->as_int();
      };
      EXPECT_EQ(count("earlier"), 40) << i;
      EXPECT_EQ(count("good") + count("bad"), i + 40) << i;
      ++warm;
    }
    run(uut, 1);
  }

  EXPECT_GE(warm, 4u);
}

TEST_P(transferring_test, copes_with_experiments_that_say_little) {
  auto failed = seen(bowl);
  for (auto& x : failed.trials)
    x.value = nan;
  auto one = seen(bowl, 1);
  auto equal = seen([](double, double) { return 1.0; });
  auto huge = seen([](double x, double) { return 1e300 * x; });
  for (const auto& from : {failed, one, equal, huge, earlier_experiment{"empty", {}}}) {
    asking uut{std::move(*make({from}))};
    EXPECT_EQ(run(uut, 16).size(), 16u);
  }
}

TEST_P(transferring_test, says_that_it_learns_for_one_objective_alone) {
  auto made = make({seen(bowl)}, 2);

  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().detail, HasSubstr("learn_from: " + GetParam()));
}

INSTANTIATE_TEST_SUITE_P(all, transferring_test, testing::Values("auto", "gp", "tpe"),
                         [](const auto& of) { return of.param; });

TEST(screen, learns_from_earlier_experiments_where_trials_are_stopped) {
  searcher_context about;
  about.space = space_of(plane);
  about.samples = 0;
  std::size_t told_of_earlier = 0;
  auto run = [&] {
    asking uut{std::move(*make_searcher("auto", about, {{"partial", "true"}}))};
    std::vector<suggestion> all;
    for (std::uint64_t i = 0; i < 30; ++i) {
      tune::ask question{uut.asks() + 1, 1, uut.seq()};
      auto found = uut.uut().explain(question, std::get<0>(uut.uut().propose(question)), 0);
      told_of_earlier += found && found->details.find("earlier") != nullptr;
      auto x = std::get<0>(uut.next(1)).front();
      auto score = bowl(*x.config->find("x")->number(), *x.config->find("y")->number());
      auto how = i % 3 == 0 ? outcome::completed : outcome::stopped;
      for (std::uint64_t level = 1; level <= (i % 3 == 0 ? 4u : 1u); ++level)
        uut.tell({trial_id{i},
                  x.config,
                  1,
                  level,
                  {score + 0.1 * static_cast<double>(level)},
                  {},
                  outcome::running});
      uut.tell({trial_id{i},
                x.config,
                1,
                i % 3 == 0 ? 4u : 1u,
                {score + (i % 3 == 0 ? 0.4 : 0.1)},
                {},
                how});
      all.push_back(std::move(x));
    }
    return all;
  };
  auto cold = run();
  EXPECT_EQ(told_of_earlier, 0u);
  about.earlier = {seen(bowl)};
  auto warm = run();

  EXPECT_GE(told_of_earlier, 4u);
  EXPECT_THAT(warm[0].origin, StartsWith("earlier 1: results/first, trial "));
  auto mean = [](const std::vector<suggestion>& of) {
    double sum = 0;
    for (std::size_t i = 9; i < of.size(); ++i)
      sum += bowl(*of[i].config->find("x")->number(), *of[i].config->find("y")->number());
    return sum;
  };
  EXPECT_GT(mean(warm), mean(cold));
}

TEST(searchers, say_where_they_learn_nothing_from_earlier_experiments) {
  for (const std::string name : {"bohb", "nsga2", "evolution"}) {
    searcher_context about;
    about.space = space_of(plane);
    about.earlier = {seen(bowl)};
    auto made = make_searcher(name, about);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().detail,
              "learn_from: " + name + " learns nothing from earlier experiments");
  }
}

TEST(gp, says_how_much_of_which_experiment_it_takes) {
  searcher_context about;
  about.space = space_of(plane);
  about.samples = 0;
  about.earlier = {seen(bowl)};
  asking uut{std::move(*make_searcher("gp", about))};
  std::vector<std::string> origins;
  for (std::uint64_t i = 0; i < 14; ++i) {
    auto x = std::get<0>(uut.next(1)).front();
    auto score = bowl(*x.config->find("x")->number(), *x.config->find("y")->number());
    uut.tell({trial_id{i}, x.config, 1, 1, {score}, {}, outcome::completed});
    origins.push_back(x.origin);
  }

  EXPECT_THAT(origins, testing::Contains(testing::MatchesRegex("gp \\+ [0-9.]+ × earlier 1")));
}

} // namespace

/// Requirements for all searchers that learn: see also tests/contract/searchers_test.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/asking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

namespace {

using namespace tune;
using namespace tune::support;
using testing::HasSubstr;

using lines = std::vector<parameter_text>;
using objective = std::function<double(const object&)>;

const lines tree{{"kind", "choice(a, b, c)"},
                 {"x", "uniform(-1, 1)"},
                 {"y", "loguniform(1e-3, 1) if kind == a"},
                 {"n", "randint(1, 9) if kind in (a, b)"},
                 {"z", "randn(0, 1) if kind == c"}};

double number(const object& config, std::string_view name, double otherwise = 0) {
  const auto* x = config.find(name);
  return x != nullptr ? *x->number() : otherwise;
}

/// Larger is better; the best is x = .3 of kind b with n = 7.
double score(const object& config) {
  auto kind = *config.find("kind")->as_string();
  auto loss
      = std::pow(number(config, "x") - 0.3, 2) + 0.02 * std::pow(number(config, "n", 4) - 7, 2);
  return -loss - (kind == "b" ? 0 : 0.3);
}

class learner_test : public testing::TestWithParam<std::string> {
protected:
  static asking make(const lines& space, std::uint64_t seed = 3, std::vector<object> points = {}) {
    searcher_context about;
    about.space = space_of(space);
    about.seed = seed;
    about.samples = 0;
    about.points = std::move(points);
    auto made = make_searcher(GetParam(), about);
    EXPECT_TRUE(made) << made.error().detail;
    return asking{std::move(*made)};
  }

  static std::vector<suggestion> ask(asking& uut, std::uint32_t count = 1) {
    auto answer = uut.next(count);
    const auto* list = std::get_if<std::vector<suggestion>>(&answer);
    return list != nullptr ? *list : std::vector<suggestion>{};
  }

  static void end(asking& uut, std::uint64_t trial, const suggestion& x, double score,
                  outcome how = outcome::completed) {
    uut.tell({trial_id{trial}, x.config, 1, 1, {score}, {}, how});
  }

  /// Runs one trial after the other. @returns the configurations tried.
  static std::vector<suggestion> run(asking& uut, std::size_t count, const objective& f) {
    std::vector<suggestion> all;
    while (all.size() < count) {
      auto trial = uut.trials();
      auto list = ask(uut);
      if (list.empty())
        break;
      end(uut, trial, list.front(), f(*list.front().config));
      all.push_back(list.front());
    }
    return all;
  }

  static std::vector<std::string> run_plainly(std::size_t count) {
    auto uut = make(tree);
    return texts(run(uut, count, score));
  }

  /// Works as the experiment does with one trial at a time: the next configuration is drawn before
  /// the last trial has ended, and thought over afterwards.
  static std::vector<std::string> run_with_drafts(std::size_t count, drafting kind) {
    auto uut = make(tree);
    std::vector<suggestion> all{std::get<0>(uut.draft(kind)).front()};
    while (all.size() < count) {
      auto trial = trial_id{uut.trials()};
      auto draft = std::get<0>(uut.draft(kind)).front();
      end(uut, trial.number - 1, all.back(), score(*all.back().config));
      if (draft.draft)
        draft = std::get<0>(uut.think_over(trial)).front();
      all.push_back(draft);
    }
    return texts(all);
  }

  static asking replayed(const std::vector<searcher_fact>& facts, const lines& space) {
    auto made = make(space);
    for (const auto& fact : facts)
      made.uut().apply(fact);
    return made;
  }
};

TEST_P(learner_test, comes_near_to_the_best_much_sooner_than_chance) {
  auto best_of = [](const std::vector<suggestion>& all) {
    auto best = -std::numeric_limits<double>::infinity();
    for (const auto& x : all)
      best = std::max(best, score(*x.config));
    return -best;
  };
  // In trees, searchers that use densities alone take longer to learn which family is worth trying.
  auto is_slow = GetParam() == "tpe" || GetParam() == "cma_es" || GetParam() == "bohb"
                 || GetParam() == "nsga2" || GetParam() == "evolution";
  double ours = 0;
  double chance = 0;
  for (std::uint64_t seed = 1; seed <= (is_slow ? 8u : 2u); ++seed) {
    auto uut = make(tree, seed);
    ours += best_of(run(uut, 50, score));
    searcher_context about{space_of(tree), seed, 50, 1, {}};
    asking random{std::move(*make_searcher("random", about))};
    chance += best_of(collect(random, 50, 1));
  }
  EXPECT_LT(ours, (is_slow ? 0.85 : 0.2) * chance);
}

TEST_P(learner_test, suggests_after_a_replay_what_it_would_have_suggested) {
  auto uut = make(tree);
  for (int i = 0; i < 44; ++i) {
    run(uut, 1, score);
    if (i % 3 != 0)
      continue;
    auto again = replayed(uut.facts(), tree);
    tune::ask next{uut.asks() + 1, 1, uut.seq()};
    auto ours = std::get<0>(uut.uut().propose(next));
    auto theirs = std::get<0>(again.uut().propose(next));
    ASSERT_EQ(texts(ours), texts(theirs)) << "after " << i + 1;
    ASSERT_EQ(ours.front().origin, theirs.front().origin);
  }
}

TEST_P(learner_test, does_not_change_by_being_asked_often) {
  auto once = make(tree);
  auto often = make(tree);
  auto expected = texts(run(once, 35, score));
  std::vector<std::string> found;
  for (int i = 0; i < 35; ++i) {
    (void)often.uut().propose({often.asks() + 1, 3, often.seq()});
    found.push_back(texts(run(often, 1, score)).front());
  }
  EXPECT_EQ(found, expected);
}

TEST_P(learner_test, says_later_what_it_would_say_now) {
  auto uut = make(tree);
  run(uut, 30, score);
  tune::ask next{uut.asks() + 1, 2, uut.seq()};
  auto later = uut.uut().propose_later(next);
  if (!later) {
    EXPECT_TRUE(uut.uut().traits().prompt);
    return;
  }
  auto expected = texts(std::get<0>(uut.uut().propose(next)));

  // Facts that arrive meanwhile count only for the next question.
  run(uut, 3, score);

  EXPECT_EQ(texts(std::get<0>(later())), expected);
}

TEST_P(learner_test, thinks_a_draft_over_as_if_it_had_never_been_drawn) {
  auto plain = run_plainly(32);
  if (GetParam() == "cma_es") {
    // A population is drawn from one distribution and learns nothing from the newest result.
    auto uut = make(tree);
    for (std::size_t i = 0; i < plain.size(); ++i)
      EXPECT_FALSE(std::get<0>(uut.draft(drafting::thorough)).front().draft);
    return;
  }
  for (auto kind : {drafting::quick, drafting::thorough})
    EXPECT_EQ(run_with_drafts(32, kind), plain);
}

TEST_P(learner_test, begins_with_the_users_points_then_the_middle) {
  auto uut = make({{"x", "uniform(0, 8)"}, {"lr", "loguniform(0.01, 1)"}}, 3,
                  {object{{"x", 1.5}, {"lr", 0.5}}, object{{"x", 7}}});

  auto all = run(uut, 3, [](const object&) { return 1.0; });

  EXPECT_EQ(texts(all)[0], "{x: 1.5, lr: 0.5}");
  EXPECT_EQ(all[0].origin, "point 1");
  EXPECT_EQ(number(*all[1].config, "x"), 7);
  EXPECT_EQ(all[1].origin, "point 2");
  EXPECT_EQ(number(*all[2].config, "x"), 4);
  EXPECT_NEAR(number(*all[2].config, "lr"), 0.1, 1e-9);
  EXPECT_EQ(all[2].origin, "middle");
}

TEST_P(learner_test, tries_every_configuration_of_a_finite_space_once_and_ends) {
  auto uut = make({{"a", "choice(p, q)"}, {"n", "randint(0, 15) if a == p"}, {"k", "9"}});

  auto all = run(uut, 100, [](const object& x) { return number(x, "n"); });

  auto shown = texts(all);
  EXPECT_EQ(shown.size(), 16u);
  EXPECT_EQ(std::set(shown.begin(), shown.end()).size(), 16u);
  EXPECT_TRUE(std::holds_alternative<exhausted>(uut.next(1)));
}

TEST_P(learner_test, waits_where_all_is_tried_but_some_may_get_lost) {
  auto uut = make({{"n", "randint(0, 3)"}});
  std::vector<suggestion> all;
  for (int i = 0; i < 3; ++i)
    all.push_back(ask(uut).front());
  EXPECT_TRUE(std::holds_alternative<nothing_yet>(uut.next(1)));

  end(uut, 0, all[0], 1);
  end(uut, 1, all[1], 1, outcome::lost);

  auto again = ask(uut);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(texts(again).front(), to_text(value{*all[1].config}));
}

TEST_P(learner_test, copes_with_a_space_in_which_nothing_varies) {
  auto uut = make({{"k", "9"}});
  EXPECT_EQ(texts(ask(uut, 5)), std::vector<std::string>{"{k: 9}"});

  auto with_points = make({{"k", "9"}}, 3, std::vector<object>(12));
  EXPECT_EQ(run(with_points, 20, [](const object&) { return 1.0; }).size(), 12u);
  EXPECT_TRUE(std::holds_alternative<exhausted>(with_points.next(1)));
}

TEST_P(learner_test, copes_with_all_kinds_of_ends) {
  auto uut = make(tree);
  constexpr double odd[] = {std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            1e308,
                            -1e308,
                            0};
  for (std::uint64_t i = 0; i < 60; ++i) {
    auto list = ask(uut);
    ASSERT_EQ(list.size(), 1u);
    EXPECT_FALSE(space_of(tree)->reject(*list.front().config, false));
    end(uut, i, list.front(), odd[i % 6], static_cast<outcome>(1 + i % 5));
  }
}

TEST_P(learner_test, goes_on_where_everything_fails_or_is_equal) {
  for (auto score : {std::numeric_limits<double>::quiet_NaN(), 4.0}) {
    auto uut = make(tree);
    auto shown = texts(run(uut, 40, [&](const object&) { return score; }));
    EXPECT_EQ(std::set(shown.begin(), shown.end()).size(), 40u);
  }
}

TEST_P(learner_test, learns_from_a_region_that_fails_to_keep_out_of_it) {
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    auto uut = make({{"u", "uniform(0, 1)"}, {"v", "uniform(0, 1)"}}, seed);
    // The best point is on the border of the failing region.
    auto all = run(uut, 60, [](const object& x) {
      return number(x, "u") > 0.6 ? std::numeric_limits<double>::quiet_NaN()
                                  : number(x, "u") - std::abs(number(x, "v") - 0.5);
    });
    for (std::size_t i = 20; i < all.size(); ++i)
      failed += number(*all[i].config, "u") > 0.6;
  }
  EXPECT_LT(failed, 8 * 20);
}

TEST_P(learner_test, prefers_what_keeps_the_constraints) {
  auto uut = make({{"u", "uniform(0, 1)"}, {"v", "uniform(0, 1)"}});
  int kept = 0;
  for (std::uint64_t i = 0; i < 60; ++i) {
    auto x = ask(uut).front();
    auto u = number(*x.config, "u");
    // Larger u would be better but for the constraint u <= .4.
    uut.tell({trial_id{i}, x.config, 1, 1, {u}, {u - 0.4}, outcome::completed});
    kept += i >= 20 && u <= 0.4;
  }
  EXPECT_GT(kept, 20);
}

TEST_P(learner_test, keeps_a_hundred_pending_trials_apart) {
  auto uut = make(tree);
  run(uut, 20, score);
  std::set<std::string> shown;
  for (const auto& x : texts(ask(uut, 60)))
    shown.insert(x);
  for (int i = 0; i < 40; ++i)
    shown.insert(texts(ask(uut)).front());
  EXPECT_EQ(shown.size(), 100u);
}

TEST_P(learner_test, has_streams_that_do_not_overlap_for_neighbouring_seeds) {
  std::map<double, std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    auto uut = make({{"u", "uniform(0, 1)"}, {"v", "uniform(0, 1)"}}, seed);
    for (const auto& x : run(uut, 16, [](const object& y) { return -number(y, "u"); })) {
      for (const auto* name : {"u", "v"}) {
        auto drawn = number(*x.config, name);
        // Models like to propose the ends and the middle.
        if (x.origin == "middle" || drawn == 0 || drawn > 0.999999)
          continue;
        auto [place, is_new] = seen.emplace(drawn, seed);
        EXPECT_TRUE(is_new || place->second == seed)
            << drawn << " with seeds " << seed << " and " << place->second;
      }
    }
  }
}

TEST_P(learner_test, refuses_grids_and_several_objectives_where_it_knows_one) {
  searcher_context about{space_of({{"u", "uniform(0, 1)"}}), 1, 10, 2, {}};
  if (GetParam() == "bohb" || GetParam() == "cma_es") {
    EXPECT_THAT(make_searcher(GetParam(), about).error().detail, HasSubstr("1 objective, not 2"));
  }
  searcher_context grid{space_of({{"g", "grid(1, 2)"}}), 1, 10, 1, {}};
  EXPECT_THAT(make_searcher(GetParam(), grid).error().detail, HasSubstr("\"g\": " + GetParam()));
}

TEST_P(learner_test, takes_thousands_of_results) {
  const lines wide{{"a", "uniform(0, 1)"},
                   {"b", "loguniform(1e-4, 1)"},
                   {"c", "randint(0, 100)"},
                   {"d", "choice(p, q, r)"},
                   {"e", "uniform(0, 1)"}};
  auto uut = make(wide);
  searcher_context about{space_of(wide), 9, 10000, 1, {}};
  asking random{std::move(*make_searcher("random", about))};
  std::uint64_t trial = 0;
  for (const auto& x : collect(random, 10000, 100))
    end(uut, 100000 + trial++, x, -std::pow(number(*x.config, "a") - 0.3, 2));

  // Results of an experiment that others began: the searcher's own initial suggestions are over.
  int near = 0;
  for (int i = 0; i < 28; ++i) {
    auto list = ask(uut);
    ASSERT_EQ(list.size(), 1u);
    near += i >= 8 && std::abs(number(*list.front().config, "a") - 0.3) < 0.1;
  }
  // Random draws would give 4. Evolution looks only at the newest results, which were drawn at
  // random.
  EXPECT_GE(near, GetParam() == "evolution" ? 3 : GetParam() == "nsga2" ? 8 : 11);
}

INSTANTIATE_TEST_SUITE_P(all, learner_test,
                         testing::Values("tpe", "gp", "auto", "bohb", "cma_es", "nsga2",
                                         "evolution"),
                         [](const auto& x) { return x.param; });

TEST(learners, say_what_they_draw_in_the_place_of_planned_points) {
  searcher_context about;
  about.space
      = space_of({{"u", "uniform(0, 1)"}, {"v", "uniform(0, 1)"}, {"constraint", "u < 0.3"}});
  about.seed = 1;
  for (const auto* name : {"auto", "gp", "tpe", "bohb"}) {
    asking uut{std::move(*make_searcher(name, about))};
    std::map<std::string, int> origins;
    for (int i = 0; i < 8; ++i)
      ++origins[std::get<0>(uut.next(1)).front().origin];
    // Of seven stripes of u, two lie below .3, the second only in part.
    EXPECT_EQ(origins["random: middle breaks a constraint"], 1) << name;
    EXPECT_EQ(origins["random: design breaks a constraint"] + origins["design"], 7) << name;
    EXPECT_GE(origins["design"], 1) << name;
    EXPECT_EQ(origins["random"], 0) << name;
  }

  about.space = space_of({{"u", "uniform(0, 1)"}});
  about.points = {object{{"u", 0.5}}};
  asking uut{std::move(*make_searcher("gp", about))};
  EXPECT_EQ(std::get<0>(uut.next(1)).front().origin, "point 1");
  EXPECT_EQ(std::get<0>(uut.next(1)).front().origin, "random: middle was tried before");
}

TEST(auto_search, says_in_each_origin_who_suggested) {
  searcher_context about{space_of(tree), 2, 0, 1, {}};
  asking uut{std::move(*make_searcher("auto", about))};
  std::vector<std::string> origins;
  for (std::uint64_t i = 0; i < 20; ++i) {
    auto answer = uut.next(1);
    auto x = std::get<0>(answer).front();
    origins.push_back(x.origin);
    uut.tell({trial_id{i}, x.config, 1, 1, {score(*x.config)}, {}, outcome::completed});
  }
  EXPECT_EQ(origins[0], "middle");
  EXPECT_EQ(origins[7], "design");
  EXPECT_THAT(origins[8], HasSubstr("gp: kind = "));
  EXPECT_EQ(origins[9], "gp");
  EXPECT_EQ(origins[11], "tpe");
  EXPECT_THAT(origins[12], HasSubstr("gp: kind = "));
}

TEST(auto_search, leaves_nothing_to_a_job_once_there_are_thousands_of_results) {
  searcher_context about{space_of(tree), 2, 0, 1, {}};
  asking uut{std::move(*make_searcher("auto", about))};
  asking random{std::move(*make_searcher("random", about))};
  auto all = collect(random, 2000, 100);
  for (int i = 0; i < 20; ++i)
    (void)uut.next(1);
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    if (i == 1000) {
      EXPECT_TRUE(uut.uut().propose_later({21, 1, uut.seq()}));
    }
    uut.tell(
        {trial_id{5000 + i}, all[i].config, 1, 1, {score(*all[i].config)}, {}, outcome::completed});
  }
  EXPECT_FALSE(uut.uut().propose_later({21, 1, uut.seq()}));
  EXPECT_EQ(std::get<0>(uut.next(1)).front().origin, "tpe");
}

TEST(auto_search, believes_in_no_value_of_stopped_trials) {
  // The scheduler stops all trials at u > .5, where the values look best.
  searcher_context about{space_of({{"u", "uniform(0, 1)"}}), 2, 0, 1, {}};
  asking uut{std::move(*make_searcher("auto", about))};
  int beyond = 0;
  for (std::uint64_t i = 0; i < 40; ++i) {
    auto answer = uut.next(1);
    auto x = std::get<0>(answer).front();
    auto u = number(*x.config, "u");
    auto stopped = u > 0.5;
    beyond += i >= 15 && stopped;
    uut.tell({trial_id{i},
              x.config,
              1,
              1,
              {stopped ? 100 : -std::abs(u - 0.2)},
              {},
              stopped ? outcome::stopped : outcome::completed});
  }
  EXPECT_LT(beyond, 12);
}

} // namespace

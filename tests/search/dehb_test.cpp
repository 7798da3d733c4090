/// DEHB: its plan, its evolution, and its proposals.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/dehb/dehb.hpp"

#include "support/asking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <set>

namespace {

using namespace tune;
using namespace tune::support;
using dehb::attempt;
using dehb::evolution;
using dehb::merit;
using dehb::plan;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

merit loss(double x) {
  return {0, x};
}

/// Number of trials at each budget, of the trials [first, last).
std::vector<std::size_t> counts_by_budget(const plan& of, std::size_t first, std::size_t last) {
  std::vector<std::size_t> result(of.budgets().size());
  for (auto i = first; i < last; ++i)
    ++result[of.at(i).budget];
  return result;
}

// The brackets of Hyperband for R = 27 and η = 3, as in Table 1 of its paper for this R.
TEST(dehb_plan, has_the_brackets_of_hyperband) {
  plan uut{1, 27, 3};

  EXPECT_THAT(uut.budgets(), ElementsAre(1, 3, 9, 27));
  EXPECT_THAT(counts_by_budget(uut, 0, 40), ElementsAre(27, 9, 3, 1));
  EXPECT_THAT(counts_by_budget(uut, 40, 57), ElementsAre(0, 12, 4, 1));
  EXPECT_THAT(counts_by_budget(uut, 57, 65), ElementsAre(0, 0, 6, 2));
  EXPECT_THAT(counts_by_budget(uut, 65, 69), ElementsAre(0, 0, 0, 4));
  EXPECT_THAT(counts_by_budget(uut, 69, 109), ElementsAre(27, 9, 3, 1));
  EXPECT_EQ(uut.population(0), 27u);
  EXPECT_EQ(uut.population(1), 12u);
  EXPECT_EQ(uut.population(2), 6u);
  EXPECT_EQ(uut.population(3), 4u);
}

TEST(dehb_plan, knows_rungs_and_the_first_bracket) {
  plan uut{1, 27, 3};

  EXPECT_TRUE(uut.at(39).is_first);
  EXPECT_FALSE(uut.at(40).is_first);
  EXPECT_FALSE(uut.at(69).is_first);
  EXPECT_EQ(uut.at(0).below, 0u);
  EXPECT_EQ(uut.at(27).below, 27u);
  EXPECT_EQ(uut.at(27).rung, 9u);
  EXPECT_EQ(uut.at(40).below, 0u);
  EXPECT_EQ(uut.first_rung(), 27u);
}

TEST(dehb_plan, begins_above_the_lowest_where_powers_do_not_fit) {
  plan uut{2, 50, 3};

  ASSERT_EQ(uut.budgets().size(), 3u);
  EXPECT_NEAR(uut.budgets()[0], 50.0 / 9, 1e-12);
  EXPECT_EQ(uut.budgets()[2], 50);
}

/// Ends the first bracket; the k-th member of the lowest population has loss k.
void end_first_bracket(evolution& uut) {
  for (std::size_t i = 0; i < 40; ++i) {
    auto now = uut.next(0);
    ASSERT_TRUE(now);
    uut.begin(*now);
    uut.end(*now, loss(now->from ? static_cast<double>(*now->from) : static_cast<double>(i)));
  }
}

TEST(dehb_evolution, promotes_the_best_of_a_rung_once_it_is_over) {
  evolution uut{plan{1, 27, 3}, {}, 3, 1};
  std::vector<attempt> rung;
  for (int i = 0; i < 27; ++i) {
    rung.push_back(*uut.next(0));
    uut.begin(rung.back());
  }
  EXPECT_FALSE(uut.next(0));
  for (std::size_t i = 0; i < 26; ++i)
    uut.end(rung[i], loss(std::abs(static_cast<double>(i) - 10)));
  EXPECT_FALSE(uut.next(0));
  uut.end(rung[26], loss(0.5));

  std::vector<std::size_t> from;
  for (int i = 0; i < 9; ++i) {
    auto now = uut.next(0);
    ASSERT_TRUE(now && now->from);
    EXPECT_EQ(now->what.budget, 1u);
    EXPECT_EQ(now->genes, rung[*now->from].genes);
    from.push_back(*now->from);
    uut.begin(*now);
  }
  EXPECT_THAT(from, ElementsAre(10, 26, 9, 11, 8, 12, 7, 13, 6));
  EXPECT_FALSE(uut.next(0));
}

TEST(dehb_evolution, makes_children_of_the_best_below) {
  evolution uut{plan{1, 27, 3}, {0.5, 1}, 4, 2};
  evolution population{plan{1, 27, 3}, {}, 4, 2};
  std::vector<dehb::genome> members;
  for (int i = 0; i < 27; ++i) {
    auto now = *population.next(0);
    members.push_back(now.genes);
    population.begin(now);
  }
  end_first_bracket(uut);
  for (int i = 0; i < 12; ++i) {
    auto now = *uut.next(0);
    uut.begin(now);
  }

  // The rung of four at budget 2 takes the four best of budget 1 as parents: members 0 to 3.
  auto child = *uut.next(0);

  ASSERT_EQ(child.what.budget, 2u);
  auto is_child = [&](std::size_t a, std::size_t b, std::size_t c) {
    for (std::size_t i = 0; i < 4; ++i) {
      auto gene = members[a][i] + 0.5 * (members[b][i] - members[c][i]);
      // A gene beyond the bounds is drawn anew.
      if (gene >= 0 && gene <= 1 && std::abs(gene - child.genes[i]) > 1e-12)
        return false;
    }
    return true;
  };
  int found = 0;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) {
      for (std::size_t c = 0; c < 4; ++c)
        found += a != b && b != c && a != c && is_child(a, b, c);
    }
  }
  EXPECT_GE(found, 1);
  EXPECT_THAT(child.genes, Each(testing::AllOf(testing::Ge(0), testing::Le(1))));
}

TEST(dehb_evolution, changes_one_gene_at_least_and_about_half_of_them) {
  for (auto [crossover, least, most] : {std::tuple{0.0, 1, 1}, {0.5, 8, 14}, {1.0, 20, 20}}) {
    evolution uut{plan{30}, {0.5, crossover}, 20, 3};
    std::vector<dehb::genome> members;
    for (int i = 0; i < 30; ++i) {
      auto now = *uut.next(0);
      members.push_back(now.genes);
      uut.begin(now);
      uut.end(now, loss(i));
    }
    int changed = 0;
    for (std::size_t i = 0; i < 30; ++i) {
      auto now = *uut.next(0);
      EXPECT_EQ(now.target, i);
      for (std::size_t k = 0; k < 20; ++k)
        changed += now.genes[k] != members[i][k];
      uut.begin(now);
    }
    EXPECT_GE(changed / 30.0, least);
    EXPECT_LE(changed / 30.0, most);
  }
}

TEST(dehb_evolution, keeps_a_target_that_is_better_than_its_child) {
  evolution uut{plan{4}, {}, 2, 4};
  std::vector<dehb::genome> members;
  for (int i = 0; i < 4; ++i) {
    auto now = *uut.next(0);
    members.push_back(now.genes);
    uut.begin(now);
    uut.end(now, loss(1));
  }
  auto worse = *uut.next(0);
  uut.begin(worse);
  uut.end(worse, loss(2));
  auto equal = *uut.next(0);
  uut.begin(equal);
  uut.end(equal, loss(1));
  auto constrained = *uut.next(0);
  uut.begin(constrained);
  uut.end(constrained, {0.1, 0});

  // The state must be as if only the child that is as good as its target had ended.
  fingerprint with;
  uut.describe(with);
  evolution again{plan{4}, {}, 2, 4};
  for (int i = 0; i < 4; ++i) {
    auto now = *again.next(0);
    again.begin(now);
    again.end(now, loss(1));
  }
  for (const auto* x : {&worse, &equal, &constrained})
    again.begin(*x);
  again.end(equal, loss(1));
  fingerprint without;
  again.describe(without);
  EXPECT_EQ(with.digest(), without.digest());
}

const std::vector<parameter_text> lines{{"x", "uniform(0, 1)"},
                                        {"kind", "choice(a, b)"},
                                        {"y", "uniform(0, 1) if kind == a"},
                                        {"epochs", "randint(1, 28)"}};

double number(const object& config, std::string_view name) {
  const auto* x = config.find(name);
  return x != nullptr ? *x->number() : 0;
}

/// 0 is the best loss; the loss falls while a trial trains.
double loss_of(const object& config) {
  return std::pow(number(config, "x") - 0.3, 2) + std::pow(number(config, "y") - 0.8, 2)
         + (*config.find("kind")->as_string() == "a" ? 0 : 0.3) + 1 / number(config, "epochs");
}

struct dehb_search : testing::Test {
  using texts_of_options = std::map<std::string, std::string>;

  static expected<std::unique_ptr<searcher>> made(const std::vector<parameter_text>& space,
                                                  const texts_of_options& how,
                                                  std::vector<object> points = {},
                                                  std::uint64_t seed = 5) {
    searcher_context about;
    about.space = space_of(space);
    about.seed = seed;
    about.samples = 0;
    about.points = std::move(points);
    return make_searcher("dehb", about, how);
  }
  static asking make(std::vector<object> points = {}, std::uint64_t seed = 5) {
    auto uut = made(lines, {{"budget", "epochs"}}, std::move(points), seed);
    EXPECT_TRUE(uut) << uut.error().detail;
    return asking{std::move(*uut)};
  }
  static void end(asking& uut, std::uint64_t trial, const suggestion& what,
                  outcome how = outcome::completed) {
    uut.tell({trial_id{trial},
              what.config,
              1,
              static_cast<std::uint64_t>(number(*what.config, "epochs")),
              {-loss_of(*what.config)},
              {},
              how});
  }
  /// Runs trials, `at_once` at a time.
  static std::vector<suggestion> run(asking& uut, std::size_t count, std::size_t at_once) {
    std::vector<suggestion> all;
    std::deque<std::pair<std::uint64_t, suggestion>> running;
    while (all.size() < count || !running.empty()) {
      while (all.size() < count && running.size() < at_once) {
        auto trial = uut.trials();
        auto answer = uut.next(1);
        const auto* list = std::get_if<std::vector<suggestion>>(&answer);
        if (list == nullptr)
          break;
        all.push_back(list->front());
        running.emplace_back(trial, list->front());
      }
      if (running.empty())
        break;
      end(uut, running.front().first, running.front().second);
      running.pop_front();
    }
    return all;
  }
  static std::vector<double> epochs(const std::vector<suggestion>& of) {
    std::vector<double> result;
    for (const auto& x : of)
      result.push_back(number(*x.config, "epochs"));
    return result;
  }
};

TEST_F(dehb_search, sets_the_budget_of_each_trial_as_the_plan_has_it) {
  auto uut = make();
  auto all = epochs(run(uut, 69, 4));

  ASSERT_EQ(all.size(), 69u);
  for (std::size_t i = 0; i < 27; ++i)
    EXPECT_EQ(all[i], 1);
  for (std::size_t i = 27; i < 36; ++i)
    EXPECT_EQ(all[i], 3);
  EXPECT_EQ(all[39], 27);
  EXPECT_EQ(all[40], 3);
  EXPECT_EQ(all[65], 27);
}

TEST_F(dehb_search, trains_the_best_of_the_first_rung_anew) {
  auto uut = make();
  auto all = run(uut, 36, 4);
  auto lowest = std::vector<suggestion>(all.begin(), all.begin() + 27);
  std::stable_sort(lowest.begin(), lowest.end(), [](const auto& x, const auto& y) {
    return loss_of(*x.config) < loss_of(*y.config);
  });
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(number(*all[27 + i].config, "x"), number(*lowest[i].config, "x"));
    EXPECT_EQ(all[27 + i].origin, "dehb: promoted at 3");
  }
}

TEST_F(dehb_search, comes_nearer_to_the_best_than_chance) {
  double evolved = 0;
  double random = 0;
  int counted = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    auto uut = make({}, seed);
    auto all = run(uut, 200, 4);
    for (std::size_t i = 0; i < 200; ++i) {
      auto loss = loss_of(*all[i].config) - 1 / number(*all[i].config, "epochs");
      if (i < 27)
        random += loss / 27 / 6;
      if (i >= 140 && ++counted > 0)
        evolved += loss / 60 / 6;
    }
  }
  EXPECT_LT(evolved, 0.5 * random);
}

TEST_F(dehb_search, suggests_several_at_once_as_one_by_one) {
  auto at_once = make();
  auto singly = make();
  for (int i = 0; i < 5; ++i) {
    auto trial = at_once.trials();
    auto many = std::get<0>(at_once.next(9));
    for (const auto& x : many)
      EXPECT_EQ(texts({x}), texts(std::get<0>(singly.next(1))));
    for (const auto& x : many) {
      end(at_once, trial, x);
      end(singly, trial++, x);
    }
  }
}

TEST_F(dehb_search, suggests_nothing_twice) {
  auto uut = make();
  auto shown = texts(run(uut, 300, 3));
  EXPECT_EQ(shown.size(), 300u);
  EXPECT_EQ(std::set(shown.begin(), shown.end()).size(), 300u);
}

TEST_F(dehb_search, suggests_a_lost_trial_once_more) {
  auto uut = make();
  run(uut, 10, 1);
  auto trial = uut.trials();
  auto lost = std::get<0>(uut.next(1)).front();
  end(uut, trial, lost, outcome::lost);

  auto again = std::get<0>(uut.next(1)).front();

  EXPECT_EQ(texts({again}), texts({lost}));
}

TEST_F(dehb_search, waits_for_a_rung_and_goes_on_where_one_of_it_was_lost) {
  auto uut = make();
  auto all = run(uut, 26, 1);
  auto trial = uut.trials();
  auto last = std::get<0>(uut.next(1)).front();
  EXPECT_TRUE(std::holds_alternative<nothing_yet>(uut.next(1)));
  end(uut, trial, last, outcome::lost);

  auto again = run(uut, 2, 1);

  EXPECT_THAT(epochs(again), ElementsAre(1, 3));
}

TEST_F(dehb_search, takes_no_stopped_or_failed_trial_for_a_good_one) {
  for (auto how : {outcome::stopped, outcome::failed, outcome::removed}) {
    auto uut = make();
    std::set<double> bad;
    for (std::uint64_t i = 0; i < 27; ++i) {
      auto x = std::get<0>(uut.next(1)).front();
      auto is_bad = i % 2 == 0;
      if (is_bad)
        bad.insert(number(*x.config, "x"));
      end(uut, i, x, is_bad ? how : outcome::completed);
    }
    for (int i = 0; i < 9; ++i)
      EXPECT_FALSE(bad.contains(number(*std::get<0>(uut.next(1)).front().config, "x")));
  }
}

TEST_F(dehb_search, begins_with_the_users_points_at_the_lowest_budget) {
  auto uut = make({object{{"x", 0.3}, {"kind", "a"}, {"y", 0.8}},
                   object{{"x", 0.9}, {"epochs", std::int64_t{9}}}});
  auto all = run(uut, 29, 1);

  EXPECT_EQ(texts(all)[0], "{x: 0.3, kind: a, y: 0.8, epochs: 1}");
  EXPECT_EQ(number(*all[1].config, "epochs"), 9);
  // The first is the best of its rung, and the second is not in the rung.
  EXPECT_EQ(number(*all[27].config, "epochs"), 1);
  EXPECT_EQ(number(*all[28].config, "epochs"), 3);
  EXPECT_EQ(number(*all[28].config, "x"), 0.3);
}

TEST_F(dehb_search, is_the_same_after_a_replay) {
  auto uut = make();
  run(uut, 57, 4);
  auto again = make();
  for (const auto& x : uut.facts())
    again.uut().apply(x);
  tune::ask question{100, 3, uut.seq()};
  EXPECT_EQ(texts(std::get<0>(again.uut().propose(question))),
            texts(std::get<0>(uut.uut().propose(question))));
  fingerprint ours;
  uut.uut().describe(ours);
  fingerprint theirs;
  again.uut().describe(theirs);
  EXPECT_EQ(ours.digest(), theirs.digest());
}

TEST_F(dehb_search, copes_with_all_kinds_of_ends) {
  constexpr double odd[] = {std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity(), 1e308, -1e308, 0};
  auto uut = make();
  for (std::uint64_t i = 0; i < 120; ++i) {
    auto trial = uut.trials();
    auto x = std::get<0>(uut.next(1)).front();
    EXPECT_FALSE(space_of(lines)->reject(*x.config, false));
    uut.tell({trial_id{trial}, x.config, 1, 1, {odd[i % 5]}, {}, static_cast<outcome>(1 + i % 5)});
  }
}

TEST_F(dehb_search, tries_all_of_a_finite_space_and_ends) {
  asking uut{std::move(*made({{"a", "choice(p, q)"}, {"n", "randint(0, 15) if a == p"}}, {}))};
  std::vector<suggestion> all;
  for (std::uint64_t i = 0; i < 16; ++i) {
    all.push_back(std::get<0>(uut.next(1)).front());
    uut.tell({trial_id{i}, all.back().config, 1, 1, {1}, {}, outcome::completed});
  }
  auto shown = texts(all);
  EXPECT_EQ(std::set(shown.begin(), shown.end()).size(), 16u);
  EXPECT_TRUE(std::holds_alternative<exhausted>(uut.next(1)));
}

TEST_F(dehb_search, refuses_what_is_no_budget) {
  auto why = [](const std::vector<parameter_text>& space, const std::string& budget) {
    return made(space, {{"budget", budget}}).error().detail;
  };
  EXPECT_THAT(why(lines, "epoch"), HasSubstr("did you mean \"epochs\"?"));
  EXPECT_THAT(why(lines, "kind"), HasSubstr("must be a range of positive numbers"));
  EXPECT_THAT(why(lines, "x"), HasSubstr("must be a range of positive numbers"));
  EXPECT_THAT(why({{"k", "choice(a, b)"}, {"n", "randint(1, 28) if k == a"}}, "n"),
              HasSubstr("must not depend on other parameters"));
  EXPECT_THAT(why({{"n", "randint(10, 28)"}}, "n"), HasSubstr("spans less than one"));
  EXPECT_THAT(why({{"n", "randint(1, 1000001)"}}, "n"),
              HasSubstr("spans so much that more than 10000 trials would have to be compared"));
  EXPECT_THAT(why({{"n", "loguniform(1e-300, 1e300)"}}, "n"), HasSubstr("spans so much"));
  EXPECT_THAT(make_searcher("dehb", {space_of(lines), 1, 0, 1, {}}, {{"reduction_factor", "1.4"}})
                  .error()
                  .detail,
              HasSubstr("1.5 to 1000"));
  EXPECT_TRUE(made({{"x", "uniform(0, 1)"}, {"n", "uniform(0.1, 1)"}}, {{"budget", "n"}}));
}

} // namespace

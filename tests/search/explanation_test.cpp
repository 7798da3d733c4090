// SPDX-License-Identifier: BSD-3-Clause
#include "support/asking.hpp"

#include "tune/core/check/suggestion_replay.hpp"
#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/search/gp/improvement.hpp"
#include "tune/core/search/gp/model.hpp"
#include "tune/core/search/gp/targets.hpp"
#include "tune/core/search/learner/rule.hpp"
#include "tune/core/search/repeat/repeater.hpp"
#include "tune/core/simulate/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <set>

namespace {

using namespace tune;
using std::chrono::milliseconds;

TEST(yeo_johnson_inverse, undoes_the_transform_on_both_sides) {
  for (auto lambda : {-3.0, -0.5, 0.0, 1.0, 2.0, 2.5, 4.0}) {
    for (auto x : {-3.0, -0.2, 0.0, 0.7, 5.0})
      EXPECT_NEAR(gp::yeo_johnson_inverse(gp::yeo_johnson(x, lambda), lambda), x, 1e-10)
          << lambda << " " << x;
  }
  // The transform is bounded, by 1/3 and by -1/2 here: no value becomes so large.
  EXPECT_EQ(gp::yeo_johnson_inverse(0.4, -3), std::numeric_limits<double>::infinity());
  EXPECT_EQ(gp::yeo_johnson_inverse(-0.6, 4), -std::numeric_limits<double>::infinity());
}

const std::vector<double> seen{1, 2, 3, 5, 9, 20};

TEST(target_scale, goes_there_and_back) {
  for (auto power : {false, true}) {
    auto uut = gp::target_scale::of(seen, power);
    for (auto x : seen)
      EXPECT_NEAR(uut.value_of(uut.target_of(x)), x, 1e-9);
  }
}

TEST(target_scale, does_not_believe_values_beyond_ten_deviations) {
  auto uut = gp::target_scale::of(seen, true);

  // The mean and the deviation of the values.
  EXPECT_NEAR(uut.value_of(1e9), 6.666666666666667 + 10 * 6.497862896539309, 1e-9);
}

// Values by scipy 1.17: integrate.quad of the normal density times the value, its square and the
// improvement; λ by an independent scan of the likelihood, and the inverse by brentq.
TEST(target_scale, tells_what_a_belief_means_in_the_metrics_unit) {
  auto plain = gp::target_scale::of(seen, false).expected(-0.5, 0.4, -0.8);

  EXPECT_NEAR(plain.mean, -3.4177352183970124, 1e-12);
  EXPECT_NEAR(plain.deviation, 2.5991451586157237, 1e-12);
  EXPECT_NEAR(plain.best, -1.4683763494352196, 1e-12);
  EXPECT_NEAR(plain.improvement, 0.34092185955795345, 1e-9);

  auto bent = gp::target_scale::of(seen, true).expected(-0.5, 0.4, -0.8);

  EXPECT_NEAR(bent.mean, -3.029747345308136, 1e-6);
  EXPECT_NEAR(bent.deviation, 1.1730545760561235, 1e-6);
  EXPECT_NEAR(bent.best, -2.1406751014352476, 1e-9);
  EXPECT_NEAR(bent.improvement, 0.1249464524249468, 1e-4);
}

TEST(model, tells_what_points_have_in_common_by_its_kernel) {
  auto space = encoding::make(support::space_of({{"x", "uniform(0, 1)"}}), "test");
  ASSERT_TRUE(space);
  gp::inputs at{*space};
  at.add({0.2});
  at.add({0.5});
  gp::inputs one{*space};
  one.add({0.5});
  // With length scale 0.3 the correlation is r = 1 at the first point.
  gp::model uut{at, {0, 1}, {std::log(0.3), 0, std::log(1e-3)}};

  auto common = uut.correlations(one);

  auto root = std::sqrt(5.0);
  EXPECT_NEAR(common[0], (1 + root + 5.0 / 3) * std::exp(-root), 1e-12);
  EXPECT_NEAR(common[1], 1, 1e-12);
}

TEST(neighbours, are_as_far_away_as_their_parameters_differ) {
  auto space = encoding::make(support::space_of({{"x", "uniform(0, 10)"},
                                                 {"kind", "choice(\"a\", \"b\")"},
                                                 {"y if kind == \"a\"", "uniform(0, 1)"}}),
                              "test");
  ASSERT_TRUE(space) << space.error().detail;

  auto gap = [&](const cube_point& a, const cube_point& b) {
    return learning::distance_between(*space, a, b);
  };

  EXPECT_EQ(gap({0.5, 0, 0.25}, {0.5, 0, 0.25}), 0);
  EXPECT_NEAR(gap({0.1, 0, 0.25}, {0.4, 0, 0.65}), 0.5, 1e-12);
  EXPECT_NEAR(gap({0.5, 0, 0.25}, {0.5, 1, inactive}), std::sqrt(2.0), 1e-12);
  EXPECT_EQ(gap({0.5, 1, inactive}, {0.5, 1, inactive}), 0);
}

double loss_at(double x, double y) {
  return (x - 0.3) * (x - 0.3) + (y - 0.6) * (y - 0.6);
}

earlier_experiment earlier_bowl() {
  earlier_experiment result{"results/first", {}};
  rng chance{17, "earlier", 0};
  for (std::uint64_t i = 0; i < 40; ++i) {
    auto x = chance.unit();
    auto y = chance.unit();
    result.trials.push_back({trial_id{i}, {{"x", x}, {"y", y}}, -loss_at(x, y), {}});
  }
  return result;
}

/// Trials whose loss is a bowl, and falls slightly with every iteration.
class bowl final : public trial_model {
public:
  explicit bowl(std::uint64_t iterations) : iterations_{iterations} {}
  [[nodiscard]] simulated_step next(trial_id trial, const config_ptr& config,
                                    std::uint64_t done) override {
    if (done >= iterations_)
      return {std::nullopt, milliseconds{1}};
    auto x = *config->find("x")->number();
    auto y = *config->find("y")->number();
    auto loss = loss_at(x, y) + 1 / static_cast<double>(done + 2);
    return {object{{"loss", loss}, {"size", x}}, milliseconds{20 + trial.number * 7 % 11}};
  }

private:
  std::uint64_t iterations_;
};

/// A searcher and the conditions under which it is tried.
struct tried {
  std::string name;
  std::string searcher;
  std::map<std::string, std::string> written = {};
  std::string scheduler = "fifo";
  drafting drafts = drafting::none;
  std::uint32_t runs = 1;
  std::uint32_t objectives = 1;
  /// True if it learns from an earlier experiment of the same task.
  bool is_warm = false;
  /// Prefixes of the origins that have explanations.
  std::vector<std::string> explained = {};
};

void PrintTo(const tried& x, std::ostream* out) {
  *out << x.name;
}

constexpr std::uint64_t samples = 24;

resource_request one_slot() {
  resources part;
  part.cpu = amount::of(1);
  return {{part}};
}

experiment_settings settings_of(const tried& how) {
  experiment_settings result;
  result.objectives = {{"loss", false}};
  if (how.objectives > 1)
    result.objectives.push_back({"size", false});
  result.max_trials = how.runs > 1 ? 0 : samples;
  result.drafts = how.drafts;
  result.repeats.runs = how.runs;
  result.saves = save_ability::on_request;
  result.request = one_slot();
  return result;
}

rule_set rules_for(const tried& how) {
  searcher_context about;
  about.space = support::space_of({{"x", "uniform(0, 1)"}, {"y", "uniform(0, 1)"}});
  about.seed = 7;
  about.samples = samples;
  about.objectives = how.objectives;
  if (how.is_warm)
    about.earlier = {earlier_bowl()};
  rule_set result;
  auto source = support::make_searcher(how.searcher, about, how.written);
  EXPECT_TRUE(source) << source.error().detail;
  result.source = std::move(*source);
  if (how.runs > 1) {
    repeat_rule rule;
    rule.runs = how.runs;
    result.source = std::make_unique<repeater>(std::move(result.source), rule, samples / 2);
  }
  auto all = builtin_schedulers();
  const auto* entry = all.find(how.scheduler);
  scheduler_context context;
  context.maximise = false;
  auto judge = entry->make(*options::parse(entry->known, {}), context);
  EXPECT_TRUE(judge) << judge.error().detail;
  result.judge = std::move(*judge);
  return result;
}

class explained_searcher : public testing::TestWithParam<tried> {
protected:
  /// Log of a simulated run on a node with room for three trials, whose head is lost once.
  std::vector<event> logged() {
    simulation_options world;
    world.seed = 3;
    resources capacity;
    capacity.cpu = amount::of(3);
    world.nodes.push_back({"here", capacity});
    world.most_delay = milliseconds{5};
    simulation run{world, settings_of(GetParam()), [] { return rules_for(GetParam()); },
                   std::make_shared<bowl>(GetParam().scheduler == "fifo" ? 1 : 9)};
    run.run(150);
    run.lose_head();
    run.run();
    EXPECT_TRUE(run.check().empty());
    return run.log();
  }

  static std::optional<recorded_answer> answer_for(const std::vector<event>& log, trial_id of) {
    answer_search uut{settings_of(GetParam()), rules_for(GetParam()), of};
    for (const auto& x : log) {
      if (!uut.apply(x))
        break;
    }
    return uut.found();
  }

  static explained_answer why(const std::vector<event>& log, const recorded_answer& what) {
    suggestion_replay uut{settings_of(GetParam()), rules_for(GetParam()), what};
    for (const auto& x : log) {
      if (!uut.apply(x))
        break;
    }
    return uut.found();
  }
};

TEST_P(explained_searcher, says_of_every_trial_why_it_was_proposed) {
  auto log = logged();
  std::uint64_t count = 0;

  for (trial_id of{0}; of.number < samples; ++of.number) {
    auto answer = answer_for(log, of);
    ASSERT_TRUE(answer) << of.number;
    auto found = why(log, *answer);
    const auto& origin = answer->what[answer->which].origin;

    EXPECT_TRUE(found.is_same) << of.number << " " << origin;
    auto begins = [&](const std::string& with) { return origin.starts_with(with); };
    auto is_learnt = std::any_of(GetParam().explained.begin(), GetParam().explained.end(), begins);
    count += found.what && found.what->results > 0;
    if (GetParam().runs == 1) {
      EXPECT_EQ(found.what.has_value(), is_learnt) << of.number << " " << origin;
    }
    if (!found.what || found.what->results == 0)
      continue;
    if (const auto* earlier = found.what->details.find("earlier"); origin.starts_with("gp")) {
      auto is_named = origin.find("earlier 1") != std::string::npos;
      EXPECT_EQ(earlier != nullptr, is_named) << of.number << " " << origin;
    }
    ASSERT_TRUE(found.what->nearest) << origin;
    EXPECT_LT(found.what->nearest->trial, of);
    EXPECT_GT(found.what->nearest->distance, 0);
    EXPECT_FALSE(std::isnan(found.what->nearest->value));
    std::set<trial_id> parents;
    for (auto x : found.what->parents) {
      EXPECT_LT(x, of);
      EXPECT_TRUE(parents.insert(x).second) << x.number << " is named twice";
    }
    if (found.what->expected) {
      EXPECT_GE(found.what->expected->improvement, 0);
    }
  }

  EXPECT_GE(count, 4u);
}

std::vector<tried> all_tried() {
  using enum drafting;
  std::map<std::string, std::string> soon{{"startup", "8"}};
  auto with = [&](std::string name, std::string text) {
    auto result = soon;
    result.emplace(std::move(name), std::move(text));
    return result;
  };
  std::vector<std::string> both{"gp", "tpe"};
  return {
      {.name = "gp", .searcher = "gp", .written = soon, .explained = {"gp"}},
      {.name = "tpe", .searcher = "tpe", .written = soon, .explained = {"tpe"}},
      {.name = "apart",
       .searcher = "tpe",
       .written = with("multivariate", "false"),
       .explained = {"tpe"}},
      {.name = "automatic", .searcher = "auto", .written = soon, .explained = both},
      {.name = "quick", .searcher = "auto", .written = soon, .drafts = quick, .explained = both},
      {.name = "thorough",
       .searcher = "auto",
       .written = soon,
       .drafts = thorough,
       .explained = both},
      {.name = "warm_gp", .searcher = "gp", .written = soon, .is_warm = true, .explained = {"gp"}},
      {.name = "warm_tpe",
       .searcher = "tpe",
       .written = soon,
       .is_warm = true,
       .explained = {"tpe"}},
      {.name = "warm_thorough",
       .searcher = "auto",
       .written = soon,
       .drafts = thorough,
       .is_warm = true,
       .explained = both},
      {.name = "several", .searcher = "auto", .written = soon, .objectives = 2, .explained = both},
      {.name = "repeated", .searcher = "gp", .written = {{"startup", "4"}}, .runs = 2},
      {.name = "screened",
       .searcher = "auto",
       .written = with("partial", "true"),
       .scheduler = "asha",
       .explained = {"best of"}},
      {.name = "warm_screened",
       .searcher = "auto",
       .written = with("partial", "true"),
       .scheduler = "asha",
       .is_warm = true,
       .explained = {"best of"}},
      {.name = "bohb",
       .searcher = "bohb",
       .written = with("random_fraction", "0"),
       .scheduler = "asha",
       .explained = {"bohb"}},
      {.name = "evolution",
       .searcher = "evolution",
       .written = {{"population", "8"}, {"sample", "3"}},
       .explained = {"evolution"}},
      {.name = "nsga2",
       .searcher = "nsga2",
       .written = {{"population", "4"}},
       .objectives = 2,
       .explained = {"nsga2"}},
      {.name = "cma_es", .searcher = "cma_es", .explained = {"cma_es"}},
  };
}

INSTANTIATE_TEST_SUITE_P(catalogue, explained_searcher, testing::ValuesIn(all_tried()),
                         [](const auto& x) { return x.param.name; });

TEST(explained_gp, tells_the_mean_that_a_bowl_has_there) {
  searcher_context about;
  about.space = support::space_of({{"x", "uniform(0, 1)"}, {"y", "uniform(0, 1)"}});
  about.seed = 7;
  about.samples = 60;
  auto made = support::make_searcher("gp", about, {{"transform", "never"}});
  ASSERT_TRUE(made);
  support::asking uut{std::move(*made)};
  auto score = [](const object& x) {
    auto a = *x.find("x")->number() - 0.3;
    auto b = *x.find("y")->number() - 0.6;
    return 5 - a * a - b * b;
  };
  auto best = -std::numeric_limits<double>::infinity();
  for (std::uint64_t i = 0; i < 30; ++i) {
    auto list = std::get<std::vector<suggestion>>(uut.next(1));
    observation what;
    what.trial = {i};
    what.config = list.front().config;
    what.fidelity = 1;
    what.values = {score(*what.config)};
    what.how = outcome::completed;
    best = std::max(best, what.values.front());
    uut.tell(what);
  }
  // A configuration away from those tried.
  suggestion there{std::make_shared<const object>(object{{"x", 0.55}, {"y", 0.35}}), "gp"};

  auto found = uut.uut().explain({31, 1, uut.seq()}, {there}, 0);

  ASSERT_TRUE(found && found->expected);
  const auto& x = *found->expected;
  EXPECT_NEAR(x.mean, score(*there.config), 3 * x.deviation + 1e-3);
  EXPECT_NEAR(x.best, best, 0.01);
  EXPECT_LT(x.deviation, 0.1);
  // For a normal belief the improvement follows from the other three.
  EXPECT_NEAR(x.improvement,
              x.deviation * std::exp(gp::log_improvement((x.mean - x.best) / x.deviation)), 1e-12);
  EXPECT_EQ(found->results, 30u);
  EXPECT_GT(found->nearest->correlation, 0.5);
  EXPECT_LE(found->nearest->correlation, 1);
}

} // namespace

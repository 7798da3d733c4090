// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/earlier.hpp"

#include "io/store_fixture.hpp"

#include "tune/io/spec/record.hpp"
#include "tune/tuner/rule_parts.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tune {
namespace {

/// An experiment whose one trial takes another one's place with its last report.
class learning_from_a_population : public samples::store_fixture {
protected:
  loaded_spec load(const std::string& more) const {
    load_request wanted;
    auto all = builtin_choices();
    wanted.schedulers = all.schedulers;
    wanted.searchers = all.searchers;
    auto result
        = load_spec_text("[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n"
                         "[space]\nlr = uniform(0, 9)\n[trainable]\ncommand = /bin/true {lr}\n"
                             + more,
                         root / "x.ini", wanted);
    EXPECT_TRUE(result) << to_text(result.faults);
    return result ? *result.loaded : loaded_spec{};
  }

  /// The trial reports twice with lr = 2, after an iteration with lr = 1, and has lr = 3 by now.
  void write(const spec& what, std::vector<store_item> more = {}) {
    std::vector<cmd::attempt_changed> runs;
    for (std::uint64_t i = 1; i <= 3; ++i) {
      cmd::attempt_changed x;
      x.attempt = {1, i};
      x.lineage = i;
      x.config = samples::config({{"lr", static_cast<double>(i)}});
      runs.push_back(x);
    }
    cmd::trial_changed row;
    row.status = trial_status::terminated;
    row.config = runs.back().config;
    row.lineage = 3;
    row.best = samples::a_report(0, 1, {1, 1}, {{"loss", 0.25}});
    row.last = samples::a_report(0, 3, {1, 2}, {{"loss", 0.5}});
    auto between = samples::a_report(0, 2, {1, 2}, {{"loss", 0.75}});
    std::vector<store_item> items{at(1, on::opened{1, "0.1.0", to_json(what), 7}),
                                  at(2, on::reported{row.best}), at(3, on::reported{between}),
                                  at(4, on::reported{row.last})};
    for (const auto& x : runs)
      items.emplace_back(4, x);
    items.emplace_back(4, row);
    for (auto& x : more)
      items.push_back(std::move(x));
    auto store = fresh();
    ASSERT_TRUE(store.write(items).has_value());
  }

  std::vector<earlier_trial> learnt() {
    std::vector<std::string> notes;
    auto found = earlier_from(
        load("[search]\ntype = tpe\nlearn_from = " + directory().string() + "\n"), root, notes);
    EXPECT_TRUE(found) << to_text(found.error());
    return found && found->size() == 1 ? found->front().trials : std::vector<earlier_trial>{};
  }
};

TEST_F(learning_from_a_population, takes_a_value_with_the_configuration_that_reported_it) {
  write(load("").what);

  EXPECT_EQ(learnt(), (std::vector<earlier_trial>{{{0}, {{"lr", 2.0}}, -0.5, {}}}));
}

TEST_F(learning_from_a_population, estimates_a_stopped_trial_by_the_course_that_it_reported) {
  // A trial that went further and was not stopped has the courses looked at.
  cmd::attempt_changed run;
  run.trial = {1};
  run.attempt = {1, 4};
  run.config = samples::config({{"lr", 8.0}});
  cmd::trial_changed row;
  row.trial = {1};
  row.status = trial_status::terminated;
  row.config = run.config;
  row.best = row.last = samples::a_report(1, 9, run.attempt, {{"loss", 0.125}});
  const object why{{"rule", "asha"}};
  write(load("").what, {at(5, on::reported{row.last}),
                        {5, run},
                        {5, row},
                        {5, cmd::decision_taken{{0}, {1, 2}, 3, "stop", why}}});

  auto found = learnt();

  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].config, (object{{"lr", 2.0}}));
  EXPECT_TRUE(std::isfinite(found[0].value));
  EXPECT_EQ(found[1], (earlier_trial{{1}, {{"lr", 8.0}}, -0.125, {}}));
}

} // namespace
} // namespace tune

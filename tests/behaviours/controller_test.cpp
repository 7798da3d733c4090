// Part A1 to A4 of docs/ray-behaviours.md: checkpoints, control, errors, resources.
// SPDX-License-Identifier: BSD-3-Clause
#include "behaviours.hpp"

#include <algorithm>

namespace tune {
namespace {

using namespace std::chrono_literals;
using support::world;

// -- A1: checkpoints.

TEST_F(behaviours, A1_1_a_trial_that_ends_after_one_iteration_has_a_checkpoint_of_it) {
  settings.checkpoints.frequency = 1;
  world played{calm(1, 1), settings, oblige};

  played.run();

  EXPECT_EQ(wrong(played), "");
  EXPECT_EQ(count_of(played, terminated), 1u);
  auto saved = all_of<on::saved>(played);
  ASSERT_EQ(saved.size(), 1u);
  EXPECT_EQ(saved[0].iteration, 1u);
  auto best = played.machine().view().best;
  ASSERT_TRUE(best);
  EXPECT_EQ(best->at->iteration, 1u);
  // The first report of its attempt.
  EXPECT_EQ(best->at->number, 1u);
}

TEST_F(behaviours, A1_2_a_trial_begins_with_the_state_of_another_and_runs_to_its_end) {
  open(2);
  run({0});
  report({0});
  decide_on({0}, tune::save{});
  save();
  run({1});
  report({1});
  decide_on({1}, exploit{{0}, {1}, std::make_shared<object>(object{{"x", 2}})});
  end(end_class::stopped, {1});
  ASSERT_EQ(status({1}), pending);

  run({1});

  EXPECT_EQ(launched().from, checkpoint_id{1});
  EXPECT_EQ(launched().from_trial, trial_id{0});
  EXPECT_EQ(launched().iteration, 1u);
  EXPECT_EQ(*launched().config->find("x"), value{2});
  report({1});
  end(end_class::finished, {1});
  EXPECT_EQ(status({1}), terminated);
  EXPECT_EQ(row({1}).last->iteration, 2u);
}

TEST_F(behaviours, A1_3_a_trial_that_is_done_is_saved_at_its_end) {
  settings.checkpoints.at_end = true;
  open();
  run();
  report();
  decide(go_on{});
  EXPECT_TRUE(ports.all<cmd::save>().empty());

  report(zero, 0.25, true);
  ASSERT_EQ(ports.all<cmd::save>().size(), 1u);
  EXPECT_TRUE(ports.all<cmd::save>()[0].then_end);
  save();
  end(end_class::stopped);

  EXPECT_EQ(status(), terminated);
  EXPECT_TRUE(row().last->done);
  EXPECT_EQ(uut->machine().view().best->checkpoint, "there/1");
}

TEST_F(behaviours, A1_5_the_two_newest_checkpoints_are_kept_also_by_the_next_head) {
  settings.checkpoints.frequency = 1;
  settings.checkpoints.retention.keep = 2;
  auto played = simulated(nodes({"here"}, cpus(1)), settings, 1, 5);
  ASSERT_TRUE(run_until(
      played, [&] { return all_of<on::saved>(played).size() == 3 && played.disk().size() == 2; }));

  played.lose_head();
  played.run();

  EXPECT_EQ(wrong(played), "");
  std::set<std::uint64_t> kept;
  for (const auto& x : all_of<on::saved>(played)) {
    if (played.disk().contains(x.checkpoint))
      kept.insert(x.iteration);
  }
  EXPECT_EQ(kept, (std::set<std::uint64_t>{4, 5}));
  EXPECT_EQ(played.disk().size(), 2u);
}

// -- A3: errors.

TEST_F(behaviours, A3_3_a_failure_without_a_budget_is_told_once_to_both_rules) {
  forgive(end_class::user_error, 0);
  open();
  run();

  end(end_class::user_error, zero, "boom");

  EXPECT_EQ(status(), errored);
  EXPECT_EQ(row().failures, 1u);
  EXPECT_EQ(row().error, "boom");
  EXPECT_EQ(observed_as(outcome::failed), 1u);
  EXPECT_EQ(ports.observed(zero).size(), 1u);
  EXPECT_EQ(ports.heard<fact::failed>(zero), 0u);
  EXPECT_EQ(ports.heard<fact::ended>(zero), 1u);
}

TEST_F(behaviours, A3_4_a_failure_that_is_retried_with_success_is_none_to_the_searcher) {
  forgive(end_class::user_error, 1);
  open();
  run();
  end(end_class::user_error);
  ASSERT_EQ(status(), pending);

  run();
  report();
  end(end_class::finished);

  EXPECT_EQ(status(), terminated);
  EXPECT_EQ(row().failures, 1u);
  EXPECT_EQ(observed_as(outcome::failed), 0u);
  EXPECT_EQ(observed_as(outcome::completed), 1u);
  EXPECT_EQ(ports.heard<fact::failed>(zero), 1u);
}

TEST_F(behaviours, A3_5_failures_beyond_the_budget_are_told_one_by_one_to_the_scheduler) {
  forgive(end_class::user_error, 2);
  open();
  for (auto i = 0; i < 3; ++i) {
    run();
    end(end_class::user_error);
  }

  EXPECT_EQ(status(), errored);
  EXPECT_EQ(row().failures, 3u);
  EXPECT_EQ(observed_as(outcome::failed), 1u);
  // Two retries and the final failure.
  EXPECT_EQ(ports.heard<fact::failed>(zero), 2u);
  EXPECT_EQ(ports.heard<fact::ended>(zero), 1u);
}

TEST_F(behaviours, A3_6_fail_fast_ends_the_run_and_leaves_the_other_trial_resumable) {
  settings.failures.fail_fast = true;
  settings.saves = save_ability::none;
  open(2);
  choose({{0}, {1}});
  place({0});
  auto failing = attempt;
  place({1});

  post(on::ended{{0}, failing, end_class::user_error, "boom", {}});
  EXPECT_EQ(ports.all<cmd::halt>().back().trial, trial_id{1});
  end(end_class::stopped, {1});

  EXPECT_EQ(status({0}), errored);
  EXPECT_EQ(status({1}), pending);
  EXPECT_TRUE(uut->machine().is_finished());
  EXPECT_EQ(ports.all<cmd::finish>().back().status, experiment_status::failed);
  EXPECT_EQ(ports.all<cmd::finish>().back().why, "fail_fast: trial 00000: boom");
}

// -- A4: resources.

resources with(const std::string& custom, double cpu = 0, double gpu = 0) {
  resources result;
  result.cpu = amount::of(cpu);
  result.gpu = amount::of(gpu);
  if (!custom.empty())
    result.custom[custom] = amount::of(1);
  return result;
}

TEST_F(behaviours, A4_1_every_kind_of_resource_limits_how_many_run) {
  struct {
    const char* what;
    resources node;
    std::vector<resources> bundles;
  } cases[] = {
      {"child bundles", with("", 4), {with("", 1), with("", 2)}},
      {"custom", with("licence", 8), {with("licence", 1)}},
      {"custom of a child", with("licence", 8), {with("", 1), with("licence")}},
      {"CPU and GPU", with("", 8, 1), {with("", 1, 1)}},
  };
  for (const auto& x : cases) {
    settings.request.bundles = x.bundles;
    auto played = simulated(nodes({"here"}, x.node), settings, 2, 3);

    played.run();

    EXPECT_EQ(wrong(played), "") << x.what;
    EXPECT_EQ(played.most_running(), 1u) << x.what;
    EXPECT_EQ(count_of(played, terminated), 2u) << x.what;
  }
}

TEST_F(behaviours, A4_2_two_of_four_trials_share_two_gpus_by_three_quarters) {
  settings.request.bundles = {with("", 1, 0.75)};
  auto played = simulated(nodes({"here"}, with("", 8, 2)), settings, 4, 3);

  played.run();

  EXPECT_EQ(wrong(played), "");
  EXPECT_EQ(played.most_running(), 2u);
  EXPECT_EQ(count_of(played, terminated), 4u);
}

TEST_F(behaviours, A4_3_trials_end_at_their_last_iteration_and_nothing_comes_after_the_end) {
  world played{calm(2, 5), settings, oblige};
  played.run();
  ASSERT_TRUE(played.finished());
  EXPECT_EQ(count_of(played, terminated), 2u);
  std::map<trial_id, std::uint64_t> last;
  for (const auto& x : all_of<on::reported>(played))
    last[x.what->trial] = x.what->iteration;
  EXPECT_EQ(last, (std::map<trial_id, std::uint64_t>{{{0}, 5}, {{1}, 5}}));
  auto events = played.log().size();
  auto orders = played.carried().size();

  played.run();

  EXPECT_EQ(played.log().size(), events);
  EXPECT_EQ(played.carried().size(), orders);
}

TEST_F(behaviours, A4_4_resources_are_changed_of_a_paused_trial_but_not_of_a_running_one) {
  resource_request four;
  four.bundles = {cpus(4)};
  settings.request.bundles = {cpus(2)};
  open(2);
  run({0});
  report({0});

  decide_on({0}, set_resources{four});
  EXPECT_EQ(refused(), 1u);
  report({0});
  decide_on({0}, pause_trial{});
  save();
  end(end_class::stopped, {0});
  ASSERT_EQ(status({0}), paused);
  run({1});
  report({1});
  decide_on({0}, set_resources{four});
  EXPECT_EQ(refused(), 0u);
  choose({{0}});

  auto places = ports.all<cmd::place>();
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[0].request.bundles, settings.request.bundles);
  EXPECT_EQ(places[2].trial, trial_id{0});
  EXPECT_EQ(places[2].request.bundles, four.bundles);
  place({0});
  EXPECT_EQ(status({0}), running);
  EXPECT_EQ(launched().iteration, 2u);
}

TEST_F(behaviours, A4_5_no_more_trials_are_made_than_run_and_one_that_waits) {
  auto how = calm(100, 4);
  how.slots = 2;
  how.ahead = 1;
  world played{how, settings, oblige};
  std::uint64_t at_first = 0;

  while (!played.finished() && played.found().empty()) {
    played.run(played.log().size() + 1);
    EXPECT_LE(count_of(played, pending), 1u);
    EXPECT_LE(count_of(played, running), 2u);
    if (all_of<on::ended>(played).empty())
      at_first = count_of(played, pending) + count_of(played, running);
  }

  EXPECT_EQ(wrong(played), "");
  EXPECT_EQ(at_first, 3u);
  EXPECT_EQ(count_of(played, terminated), 100u);
}

} // namespace
} // namespace tune

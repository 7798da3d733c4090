// Part D1 of docs/ray-behaviours.md as far as the state machine alone decides: a head that resumes.
// SPDX-License-Identifier: BSD-3-Clause
#include "behaviours.hpp"
#include "support/asking.hpp"

#include <map>

namespace tune {
namespace {

using namespace std::chrono_literals;

/// A random search over this space whose trials train for two iterations each.
simulation searching(const std::vector<parameter_text>& space, std::uint64_t samples,
                     const std::vector<object>& points, experiment_settings settings) {
  auto rules = [=] {
    auto made = support::make_searcher("random", {support::space_of(space), 7, samples, 1, points});
    EXPECT_TRUE(made);
    return rule_set{behaviours::oblige(), std::move(*made), {}};
  };
  settings.request.bundles = {behaviours::cpus(1)};
  return {behaviours::nodes({"here"}, behaviours::cpus(4)), std::move(settings), rules,
          std::make_shared<support::falling_loss>(1, 2, 10ms)};
}

/// Loses the head as soon as `begun` trials have begun.
void crash_at(simulation& played, std::size_t begun) {
  ASSERT_TRUE(behaviours::run_until(
      played, [&] { return behaviours::all_of<on::placed>(played).size() >= begun; }));
  played.lose_head();
}

/// How often each value of a parameter was tried.
std::map<std::string, std::size_t> tried(const simulation& played, const std::string& parameter) {
  std::map<trial_id, std::string> by_trial;
  for (const auto& x : behaviours::carried<cmd::trial_changed>(played)) {
    if (const auto* found = find_path(*x.config, parameter))
      by_trial[x.trial] = to_text(*found);
  }
  std::map<std::string, std::size_t> result;
  for (const auto& [trial, value] : by_trial)
    ++result[value];
  return result;
}

TEST_F(behaviours, D1_11_checkpoints_are_numbered_on_and_the_newest_are_kept) {
  settings.checkpoints.frequency = 1;
  settings.checkpoints.retention.keep = 4;
  auto played = simulated(nodes({"here"}, cpus(1)), settings, 1, 9);
  ASSERT_TRUE(run_until(played, [&] { return all_of<on::saved>(played).size() == 5; }));
  auto before = all_of<on::saved>(played).size();

  played.lose_head();
  played.run();

  EXPECT_EQ(wrong(played), "");
  std::set<checkpoint_id> ids;
  std::map<std::uint64_t, bool> kept;
  for (const auto& x : all_of<on::saved>(played)) {
    EXPECT_TRUE(ids.empty() || *ids.rbegin() < x.checkpoint);
    ids.insert(x.checkpoint);
    kept[x.iteration] = played.disk().contains(x.checkpoint);
  }
  EXPECT_GT(ids.size(), before);
  EXPECT_EQ(kept, (std::map<std::uint64_t, bool>{{1, false},
                                                 {2, false},
                                                 {3, false},
                                                 {4, false},
                                                 {5, false},
                                                 {6, true},
                                                 {7, true},
                                                 {8, true},
                                                 {9, true}}));
}

TEST_F(behaviours, D1_17_a_grid_goes_on_where_the_head_was_lost) {
  auto played = searching({{"a", "grid(1, 2, 3)"}, {"b", "grid(x, y, z)"}}, 3, {}, settings);

  crash_at(played, 20);
  played.run();

  EXPECT_EQ(wrong(played), "");
  EXPECT_EQ(count_of(played, terminated), 27u);
  EXPECT_EQ(tried(played, "a"), (std::map<std::string, std::size_t>{{"1", 9}, {"2", 9}, {"3", 9}}));
  EXPECT_EQ(tried(played, "b"), (std::map<std::string, std::size_t>{{"x", 9}, {"y", 9}, {"z", 9}}));
}

TEST_F(behaviours, D1_19_points_come_once_each_however_often_the_head_is_lost) {
  std::vector<object> points{{{"x", 10}}, {{"x", 11}}, {{"x", 12}}};
  auto played = searching({{"x", "randint(0, 1000)"}, {"a", "grid(1, 2, 3)"}}, 6, points, settings);

  crash_at(played, 5);
  crash_at(played, 15);
  played.run();

  EXPECT_EQ(wrong(played), "");
  EXPECT_EQ(count_of(played, terminated), 18u);
  auto values = tried(played, "x");
  for (const auto* point : {"10", "11", "12"})
    EXPECT_EQ(values[point], 3u) << point;
  EXPECT_EQ(tried(played, "a"), (std::map<std::string, std::size_t>{{"1", 6}, {"2", 6}, {"3", 6}}));
}

} // namespace
} // namespace tune

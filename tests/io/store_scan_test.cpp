// SPDX-License-Identifier: BSD-3-Clause
#include "support/grown_record.hpp"
#include "tune/io/json.hpp"
#include "tune/io/store/store_reader.hpp"

#include "scratch_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tune {
namespace {

using testing::Contains;
using testing::Not;

class store_scan_test : public samples::scratch_directory {
protected:
  std::filesystem::path directory() const { return root / "grown"; }

  support::grown_record grown(support::growth how = {12, 4, 3, 5}) {
    return {directory(), how, support::grown_spec("grown")};
  }
  store_reader opened() {
    auto result = store_reader::open(directory());
    EXPECT_TRUE(result);
    return std::move(*result);
  }
};

TEST_F(store_scan_test, passes_trials_on_as_they_lie_there) {
  grown().write_all();
  auto uut = opened();
  const auto wanted = uut.trials();
  std::size_t at = 0;

  auto found = uut.scan_trials({0}, 100, [&](const raw_trial& x) {
    ASSERT_LT(at, wanted->size());
    const auto& y = (*wanted)[at++];
    EXPECT_EQ(x.trial, y.trial);
    EXPECT_EQ(x.status, y.status);
    EXPECT_EQ(x.reason, y.reason);
    EXPECT_EQ(x.iterations, y.iterations);
    EXPECT_EQ(x.ended, y.ended);
    EXPECT_EQ(x.config, to_json(y.config));
  });

  ASSERT_TRUE(found);
  EXPECT_EQ(*found, 12u);
  EXPECT_EQ(*uut.scan_trials({10}, 100, [](const raw_trial&) {}), 2u);
  EXPECT_EQ(*uut.scan_trials({0}, 5, [](const raw_trial&) {}), 5u);
}

TEST_F(store_scan_test, passes_results_on_in_the_order_of_the_log) {
  grown().write_all();
  auto uut = opened();
  sequence last = 0;
  std::size_t count = 0;
  auto found = uut.scan_results(0, 1000, [&](const raw_result& x) {
    EXPECT_LT(last, x.seq);
    last = x.seq;
    ++count;
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, count);
  EXPECT_EQ(count, (*uut.experiment()).results);
  EXPECT_EQ(*uut.scan_results(last, 1000, [](const raw_result&) {}), 0u);
  std::size_t of_one = 0;
  ASSERT_TRUE(uut.scan_results_of({0}, [&](const raw_result& x) {
    EXPECT_EQ(x.trial.number, 0u);
    ++of_one;
  }));
  EXPECT_EQ(of_one, 4u);
}

TEST_F(store_scan_test, tells_which_trials_events_have_touched) {
  auto record = grown();
  record.write_all();
  const auto before = record.last_seq();
  record.begin_trial();
  record.flush();
  auto uut = opened();

  auto found = uut.touched_between(before, record.last_seq());
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->all);
  EXPECT_THAT(found->which, Contains(trial_id{12}));
  EXPECT_THAT(found->which, Not(Contains(trial_id{3})));
  EXPECT_EQ(found->kinds.at("placed"), 1u);

  // The first event opens the experiment: it can change any trial.
  EXPECT_TRUE(uut.touched_between(0, 1)->all);
  EXPECT_FALSE(uut.touched_between(1, before)->all);
}

TEST_F(store_scan_test, knows_the_head_without_counting) {
  auto record = grown();
  record.write_all();
  record.finish();
  auto uut = opened();
  const auto wanted = uut.experiment();
  const auto found = uut.head();
  ASSERT_TRUE(found && wanted);
  EXPECT_EQ(found->last_seq, wanted->last_seq);
  EXPECT_EQ(found->elapsed, wanted->elapsed);
  EXPECT_EQ(found->status, "done");
  EXPECT_EQ(found->created_ms, wanted->created_ms);
  EXPECT_EQ((*uut.opening())->spec, wanted->spec);
  EXPECT_EQ(*uut.last_node({0}), "node-a");
  EXPECT_EQ(*uut.last_node({99}), "");
}

TEST_F(store_scan_test, lists_trials_with_their_nodes) {
  grown().write_all();
  auto uut = opened();
  const std::vector<trial_id> some{{99}, {1}, {0}};

  const auto found = uut.listed_trials(some);

  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[1].trial.trial, trial_id{0});
  EXPECT_EQ((*found)[1].node, "node-a");
  const auto whole = uut.trial({0});
  ASSERT_TRUE(whole && *whole);
  EXPECT_EQ((*found)[1].trial.config, (*whole)->config);
  EXPECT_EQ((*found)[1].trial.best_metrics, (*whole)->best_metrics);
  EXPECT_TRUE(uut.listed_trials({})->empty());
}

TEST_F(store_scan_test, selects_decisions) {
  grown().write_all();
  auto uut = opened();
  std::size_t all = 0;
  ASSERT_TRUE(uut.scan_decisions([&](const raw_decision&) { ++all; }));
  EXPECT_EQ((*uut.decisions_after({0, {}, "", 100})).size(), all);
  EXPECT_EQ((*uut.decisions_after({0, {}, "pause", 100})).size(), 0u);
  EXPECT_EQ((*uut.decisions_after({0, trial_id{7}, "stop", 100})).size(), 1u);
  EXPECT_EQ((*uut.decisions_after({0, {}, "", 2})).size(), 2u);
}

} // namespace
} // namespace tune

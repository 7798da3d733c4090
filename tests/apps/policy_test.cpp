// `tune-node trials DIR --policy TRIAL`.
// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/trials.hpp"

#include "io/scratch_directory.hpp"
#include "sample.hpp"

#include "tune/core/schedule/pbt_replay/policy.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/experiment_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace tune::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Trial 2 took over trial 1 at 3, trial 0 took over trial 2 at 6; later trial 2 took over trial 1
/// once more.
class policy_test : public samples::scratch_directory {
protected:
  void SetUp() override {
    samples::scratch_directory::SetUp();
    spec what;
    what.experiment.name = "pbt";
    what.experiment.objectives = {{"loss", false}};
    auto store = experiment_store::create(root / "pbt");
    ASSERT_TRUE(store) << store.error().detail;
    std::vector<store_item> items;
    items.emplace_back(event{1, 0s, on::opened{1, "0.1.0", to_json(what), 7}});
    take_over(items, 2, 2, 1, 3, 0.1, 0.2);
    take_over(items, 3, 0, 2, 6, 0.2, 1.0);
    take_over(items, 4, 2, 1, 8, 0.5, 0.6);
    auto written = store->write(items);
    ASSERT_TRUE(written) << written.error().detail;
  }

  static void take_over(std::vector<store_item>& to, sequence seq, std::uint64_t target,
                        std::uint64_t donor, std::int64_t iteration, double before, double after) {
    cmd::trial_changed row;
    row.trial = {target};
    row.config = sample::shared({{"lr", before}});
    to.emplace_back(event{seq, 1s * seq, on::ticked{}});
    to.emplace_back(seq, row);
    cmd::decision_taken took{
        {target}, {1, seq}, static_cast<std::uint64_t>(iteration) + 1, "exploit", {}};
    took.reason = {{"donor", to_text(trial_id{donor})},
                   {"donor_iteration", iteration},
                   {"donor_config", object{{"lr", before}}},
                   {"config", object{{"lr", after}}}};
    to.emplace_back(seq, took);
  }

  expected<void> show(std::uint64_t trial, std::ostream& out) const {
    trials_request what;
    what.directory = (root / "pbt").string();
    what.policy = trial_id{trial};
    return show_trials(what, output_format::table, {}, out);
  }
};

TEST_F(policy_test, is_the_chain_of_exploits_that_led_to_a_trial) {
  std::ostringstream out;

  ASSERT_TRUE(show(0, out));

  EXPECT_EQ(out.str(), R"(["00002","00001",4,3,{"lr":0.1},{"lr":0.2}]
["00000","00002",7,6,{"lr":0.2},{"lr":1.0}]
)");
}

TEST_F(policy_test, can_be_replayed) {
  std::ostringstream out;
  ASSERT_TRUE(show(0, out));

  auto policy = pbt_replay::read_policy(out.str());

  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->first, (object{{"lr", 0.1}}));
  ASSERT_EQ(policy->steps.size(), 2u);
  EXPECT_EQ(policy->steps[1].iteration, 6u);
  EXPECT_EQ(policy->steps[1].config, (object{{"lr", 1.0}}));
}

TEST_F(policy_test, is_refused_for_a_trial_that_never_took_over_another) {
  std::ostringstream out;

  auto result = show(1, out);

  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().detail, HasSubstr("trial 00001 never took over"));
  EXPECT_EQ(out.str(), "");
}

} // namespace
} // namespace tune::cli

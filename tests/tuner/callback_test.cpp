// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/tuner/relay.hpp"

#include "bowl.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

namespace tune {
namespace {

using samples::bowls;
using samples::tuner_test;
using testing::ElementsAre;
using testing::HasSubstr;

/// Reports five times, the third time with a checkpoint.
trainable_registry savers() {
  trainable_registry result;
  result.add_function("bowl", [](session& with) {
    auto own = with.context().directory / "own";
    std::filesystem::create_directories(own);
    std::ofstream{own / "x"} << 1;
    for (auto i = 1; i <= 5; ++i) {
      auto goes_on = i == 3 ? with.report({{"loss", 1.0 / i}}, own) : with.report({{"loss", 1.0}});
      if (!goes_on)
        return;
    }
  });
  return result;
}

/// Records all that it hears, in order.
struct listener : tuner_callback {
  std::vector<std::uint64_t> iterations;
  std::vector<std::string> checkpoints;
  std::vector<std::string> actions;
  std::vector<std::string> order;
  std::vector<experiment_status> ends;

  void began(const std::filesystem::path&) override { order.emplace_back("began"); }
  void reported(const report& what, instant) override {
    iterations.push_back(what.iteration);
    order.emplace_back("reported");
  }
  void saved(const on::saved& what, instant) override { checkpoints.push_back(what.location); }
  void decided(const cmd::decision_taken& what, instant) override {
    actions.push_back(what.action);
  }
  void finished(experiment_status how, const std::string&) override {
    ends.push_back(how);
    order.emplace_back("finished");
  }
};

TEST_F(tuner_test, tells_a_callback_of_reports_checkpoints_and_decisions) {
  auto heard = std::make_shared<listener>();

  auto grid = tuner{savers()}.run(
      options().parameter("x", "1").stop_at("training_iteration", 4).callback(heard));

  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_THAT(heard->iterations, ElementsAre(1, 2, 3, 4));
  ASSERT_EQ(heard->checkpoints.size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(grid->directory() / heard->checkpoints[0]));
  EXPECT_THAT(heard->actions, testing::Contains("stop"));
  EXPECT_THAT(heard->ends, ElementsAre(experiment_status::done));
  EXPECT_EQ(heard->order.front(), "began");
  EXPECT_EQ(heard->order.back(), "finished");
}

/// Its first call blocks until the test opens the latch.
struct dawdler : tuner_callback {
  support::latch gate{false};
  bool waited = false;
  std::size_t reports = 0;
  void reported(const report&, instant) override {
    if (!std::exchange(waited, true)) {
      EXPECT_TRUE(gate.wait());
    }
    ++reports;
  }
};

TEST_F(tuner_test, trains_on_while_a_callback_takes_its_time) {
  auto slow = std::make_shared<dawdler>();
  support::told<int> ended;
  trainable_registry all;
  all.add_function("bowl", [&](session& with) {
    for (auto i = 0; i < 5 && with.report({{"loss", 1.0}}); ++i) {}
    ended.add(1);
  });
  // Only the last trial lets the callback go on.
  std::thread opener{[&] {
    EXPECT_TRUE(ended.wait_for(3));
    slow->gate.open();
  }};

  auto grid = tuner{all}.run(options().callback(slow));

  opener.join();
  ASSERT_TRUE(grid) << to_text(grid.error());
  // The callback heard everything before `run` returned.
  EXPECT_EQ(slow->reports, 15u);
}

struct grumbler : tuner_callback {
  std::size_t calls = 0;
  void reported(const report&, instant) override {
    ++calls;
    throw std::runtime_error{"I will not hear of it"};
  }
};

TEST_F(tuner_test, survives_a_callback_that_throws_at_a_report) {
  auto bad = std::make_shared<grumbler>();

  auto grid = tuner{bowls()}.run(options().callback(bad));

  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_EQ(grid->status(), experiment_status::done);
  EXPECT_EQ(bad->calls, 1u);
  ASSERT_EQ(grid->warnings().size(), 1u);
  EXPECT_THAT(grid->warnings()[0], HasSubstr("I will not hear of it"));
}

struct helmsman : tuner_callback {
  std::optional<steering> with;
  std::vector<expected<order_verdict>> told;
  void reported(const report& what, instant) override {
    if (told.empty() && what.trial.number == 0)
      told.push_back(with->add(object{{"x", 1}}));
  }
};

TEST_F(tuner_test, is_steered_by_its_own_callback) {
  samples::meeting endless;
  endless.gate.open();
  tuner uut{endless.trainables()};
  auto by = std::make_shared<helmsman>();
  by->with = uut.steer();
  std::thread other{[&] {
    EXPECT_TRUE(endless.began.wait_for(4));
    uut.stop();
  }};

  auto grid = uut.run(options().callback(by));

  other.join();
  ASSERT_TRUE(grid) << to_text(grid.error());
  ASSERT_EQ(by->told.size(), 1u);
  ASSERT_TRUE(by->told[0]) << to_text(by->told[0].error());
  EXPECT_EQ(by->told[0]->trial->number, 3u);
  EXPECT_EQ(grid->trials().size(), 4u);
}

TEST(relay, leaves_reports_out_that_a_callback_is_too_slow_for_but_no_change_of_a_trial) {
  struct counter : tuner_callback {
    std::size_t reports = 0;
    std::size_t changes = 0;
    void reported(const report&, instant) override { ++reports; }
    void trial_changed(const cmd::trial_changed&, instant) override { ++changes; }
  };
  auto to = std::make_shared<counter>();
  relay uut{to};
  constexpr std::size_t too_many = 7;

  for (std::size_t i = 0; i < relay::most_waiting + too_many; ++i)
    uut.reported(std::make_shared<report>(), instant{0});
  uut.trial_changed({}, instant{0});
  ASSERT_TRUE(uut.start());
  uut.close();
  uut.trial_changed({}, instant{0});

  EXPECT_EQ(to->reports, relay::most_waiting);
  EXPECT_EQ(to->changes, 1u);
  ASSERT_EQ(uut.warnings().size(), 1u);
  EXPECT_THAT(uut.warnings()[0], HasSubstr("did not hear of 7 reports and decisions"));
}

} // namespace
} // namespace tune

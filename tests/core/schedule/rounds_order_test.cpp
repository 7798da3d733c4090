// If a population waits for all of its members, their order of arrival does not matter.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pb2/pb2.hpp"
#include "tune/core/schedule/pbt/pbt.hpp"

#include "support/scheduler_feed.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tune {
namespace {

using support::scheduler_feed;

/// Eight trials that report once per round, in a different order each time.
class crowd {
public:
  /// @param stride How the order changes from round to round. [odd]
  crowd(const scheduler_catalogue::entry& entry, std::uint64_t stride) : stride_{stride} {
    std::map<std::string, std::string> written{
        {"time_attr", "training_iteration"}, {"perturbation_interval", "1"}, {"synch", "true"}};
    std::vector<parameter_text> lines{{"x", "uniform(0, 1)"}, {"y", "uniform(0, 1)"}};
    scheduler_context context;
    context.seed = 3;
    context.space = std::make_shared<const search_space>(*search_space::parse(lines));
    uut_ = *entry.make(*options::parse(entry.known, written), context);
    tell_ = std::make_unique<scheduler_feed>(*uut_);
    for (std::uint64_t i = 0; i < 8; ++i) {
      auto share = static_cast<double>(i) / 7;
      configs_.push_back(std::make_shared<const object>(object{{"x", share}, {"y", 1 - share}}));
      scores_.push_back(0);
    }
    for (auto i : order(0))
      tell_->tell(fact::added{{i}, configs_[i], false});
  }

  /// @returns the exploits of the round: who took over whose state, and with which configuration.
  std::vector<std::string> round(std::uint64_t number) {
    for (auto i : order(number)) {
      tell_->tell(fact::chosen{{0, {{i}}}, {}});
      tell_->tell(fact::started{{i}});
    }
    for (auto i : order(number + 1)) {
      scores_[i] += gain(*configs_[i]);
      tell_->judged(i, static_cast<double>(number), scores_[i]);
      tell_->tell(fact::saved{{i}, {++checkpoints_}, number});
      tell_->tell(fact::paused{{i}, {checkpoints_}});
    }
    auto verdict = uut_->on_stall(tell_->log().back().seq);
    tell_->tell(fact::decided{verdict, {}});
    std::vector<std::string> result;
    for (const auto& what : verdict.actions) {
      if (const auto* due_exploit = std::get_if<exploit>(&what.what)) {
        result.push_back(take_over(what.trial, *due_exploit));
        tell_->tell(fact::added{what.trial, due_exploit->config, true});
      }
    }
    return result;
  }

private:
  std::uint64_t stride_;
  std::unique_ptr<scheduler> uut_;
  std::unique_ptr<scheduler_feed> tell_;
  std::vector<config_ptr> configs_;
  std::vector<double> scores_;
  std::uint64_t checkpoints_ = 0;

  [[nodiscard]] std::vector<std::uint64_t> order(std::uint64_t number) const {
    std::vector<std::uint64_t> result(8);
    for (std::uint64_t i = 0; i < 8; ++i)
      result[i] = (i * stride_ + number * (stride_ - 1)) % 8;
    return result;
  }

  static double gain(const object& config) {
    auto x = config.find("x")->number().value_or(0);
    auto y = config.find("y")->number().value_or(0);
    return 2 - (x - 0.7) * (x - 0.7) - (y - 0.2) * (y - 0.2);
  }

  std::string take_over(trial_id trial, const exploit& what) {
    configs_[trial.number] = what.config;
    scores_[trial.number] = scores_[what.donor.number];
    return to_text(trial) + " of " + to_text(what.donor) + ": " + to_text(value{*what.config});
  }
};

TEST(rounds, decide_the_same_whoever_came_first) {
  for (const auto& entry : {pbt::make_entry(), pb2::make_entry()}) {
    for (std::uint64_t stride : {3, 5, 7}) {
      SCOPED_TRACE(entry.name + ", stride " + std::to_string(stride));
      crowd in_turn{entry, 1};
      crowd mixed{entry, stride};
      std::size_t exploits = 0;
      for (std::uint64_t i = 1; i <= 6; ++i) {
        auto expected = in_turn.round(i);
        EXPECT_EQ(mixed.round(i), expected) << "in round " << i;
        exploits += expected.size();
      }
      EXPECT_EQ(exploits, 12U);
    }
  }
}

TEST(rounds, draw_anew_each_time) {
  crowd uut{pbt::make_entry(), 1};

  auto first = uut.round(1);
  auto second = uut.round(2);

  ASSERT_EQ(first.size(), 2U);
  ASSERT_EQ(second.size(), 2U);
  EXPECT_NE(first, second);
}

} // namespace
} // namespace tune

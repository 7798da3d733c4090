// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/idle_scheduler.hpp"

#include "io/scratch_directory.hpp"
#include "sample.hpp"

#include "tune/io/spec/record.hpp"
#include "tune/io/store/experiment_store.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

namespace tune::cli {
namespace {

using namespace std::chrono_literals;

spec scheduled(std::string type, std::vector<named_text> options) {
  spec result;
  result.experiment.name = "solve";
  result.experiment.objectives = {{"loss", false}};
  result.scheduler.type = std::move(type);
  result.scheduler.options = std::move(options);
  return result;
}

/// "median_stopping grace_period 5 time_total_s"; "none".
std::string first_of(std::string type, std::vector<named_text> options) {
  const auto found = first_judgement_of(scheduled(std::move(type), std::move(options)));
  return found ? found->rule + " " + found->key + " " + to_text(value{found->at}) + " "
                     + found->time_attr
               : "none";
}

TEST(first_judgement, is_that_of_the_scheduler) {
  EXPECT_EQ(first_of("median_stopping", {}),
            "median_stopping grace_period " + to_text(value{60.0}) + " time_total_s");
  EXPECT_EQ(first_of("asha", {{"grace_period", "4"}}),
            "asha grace_period " + to_text(value{4.0}) + " training_iteration");
  EXPECT_EQ(first_of("pbt", {{"perturbation_interval", "4"}, {"time_attr", "tokens"}}),
            "pbt perturbation_interval " + to_text(value{4.0}) + " tokens");
  EXPECT_EQ(first_of("pbt", {{"perturbation_interval", "4"}, {"burn_in_period", "9"}}),
            "pbt burn_in_period " + to_text(value{9.0}) + " time_total_s");
  EXPECT_EQ(first_of("resource_changing", {{"base", "pb2"}, {"base.perturbation_interval", "3"}}),
            "pb2 perturbation_interval " + to_text(value{3.0}) + " time_total_s");
}

TEST(first_judgement, is_none_where_the_scheduler_waits_for_nothing) {
  EXPECT_EQ(first_of("fifo", {}), "none");
  EXPECT_EQ(first_of("", {}), "none");
  EXPECT_EQ(first_of("resource_changing", {}), "none");
  EXPECT_EQ(first_of("of_my_own", {{"grace_period", "5"}}), "none");
}

TEST(idle_scheduler_text, has_number_unit_and_key) {
  EXPECT_EQ(idle_scheduler_text({"median_stopping", "grace_period", "time_total_s", 5}, 0.5),
            "median_stopping judged no trial: none trained for grace_period = 5 (seconds of "
            "time_total_s), the longest for 0.5; time_attr = training_iteration counts iterations");
  EXPECT_EQ(idle_scheduler_text({"asha", "grace_period", "training_iteration", 20}, 10),
            "asha judged no trial: none trained for grace_period = 20 (iterations), the longest "
            "for 10");
  EXPECT_EQ(idle_scheduler_text({"pbt", "perturbation_interval", "tokens", 1000}, 64),
            "pbt judged no trial: none trained for perturbation_interval = 1000 (in tokens), the "
            "longest for 64");
}

/// Two trials that ended: after 4 s and 9 iterations, and after 8 s and 3 iterations.
class idle_scheduler_test : public samples::scratch_directory {
protected:
  /// @param by Rule of a decision about the first one; empty: there was none.
  std::string told(const spec& what, const std::string& by = {}) {
    const auto directory = root / "solve";
    std::filesystem::remove_all(directory);
    auto store = experiment_store::create(directory);
    EXPECT_TRUE(store) << store.error().detail;
    std::vector<store_item> items;
    items.emplace_back(event{1, 0s, on::opened{1, "0.1.0", to_json(what), 7}});
    end_trial(items, 0, 4s, 9);
    end_trial(items, 1, 8s, 3);
    if (!by.empty())
      items.emplace_back(2, cmd::decision_taken{{0}, {1, 1}, 9, "stop", {{"rule", by}}});
    auto written = store->write(items);
    EXPECT_TRUE(written) << written.error().detail;
    auto from = store_reader::open(directory);
    EXPECT_TRUE(from) << from.error().detail;
    return idle_scheduler_text(*from);
  }

  static void end_trial(std::vector<store_item>& to, std::uint64_t number,
                        std::chrono::nanoseconds trained, std::uint64_t iterations) {
    auto last = std::make_shared<report>();
    last->trial = {number};
    last->iteration = iterations;
    last->time_total = trained;
    last->metrics = sample::shared({{"loss", 0.5}, {"tokens", 64}});
    cmd::trial_changed row;
    row.trial = {number};
    row.status = trial_status::terminated;
    row.config = sample::shared({{"lr", 0.1}});
    row.origin = "random";
    row.iteration = iterations;
    row.last = row.best = last;
    const auto seq = number + 2;
    to.emplace_back(event{seq, std::chrono::seconds{seq}, on::ticked{}});
    to.emplace_back(seq, row);
  }
};

TEST_F(idle_scheduler_test, is_told_where_no_trial_trained_for_so_long) {
  EXPECT_EQ(told(scheduled("median_stopping", {{"grace_period", "10"}})),
            idle_scheduler_text({"median_stopping", "grace_period", "time_total_s", 10}, 8));
  EXPECT_EQ(told(scheduled("asha", {{"grace_period", "10"}, {"max_t", "20"}})),
            idle_scheduler_text({"asha", "grace_period", "training_iteration", 10}, 9));
  EXPECT_EQ(told(scheduled("pbt", {{"perturbation_interval", "65"}, {"time_attr", "tokens"}})),
            idle_scheduler_text({"pbt", "perturbation_interval", "tokens", 65}, 64));
  EXPECT_EQ(told(scheduled("median_stopping", {{"grace_period", "10"}}), "stop"),
            idle_scheduler_text({"median_stopping", "grace_period", "time_total_s", 10}, 8));
}

TEST_F(idle_scheduler_test, is_not_told_where_one_was_or_could_be_judged) {
  EXPECT_EQ(told(scheduled("median_stopping", {{"grace_period", "8"}})), "");
  EXPECT_EQ(told(scheduled("asha", {})), "");
  EXPECT_EQ(told(scheduled("fifo", {})), "");
  EXPECT_EQ(told(scheduled("median_stopping", {{"grace_period", "10"}}), "median_stopping"), "");
  EXPECT_EQ(told(scheduled("pbt", {{"time_attr", "steps"}})), "");
}

} // namespace
} // namespace tune::cli

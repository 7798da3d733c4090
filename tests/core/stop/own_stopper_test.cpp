// A program's own stoppers: named in [stop], with options of their own.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/stop/stopper.hpp"

#include "support/run_by_hand.hpp"

#include <gmock/gmock.h>

#include <map>
#include <stdexcept>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

/// Ends a trial at its `most`-th report, and the experiment after `all` reports in all.
class counting final : public stopper {
public:
  counting(std::int64_t most, std::int64_t all) : most_{most}, all_{all} {}

  std::optional<stop_verdict> see(const report& what) override {
    if (metric_number(what, "loss").value_or(0) < 0)
      throw std::runtime_error{"a loss below 0"};
    if (++seen_all_ >= all_)
      return stop_verdict{stop_verdict::reach::experiment, "enough of all"};
    if (++seen_[what.trial] >= most_)
      return stop_verdict{stop_verdict::reach::trial, "enough of it", "as it was said"};
    return std::nullopt;
  }
  void forget(trial_id trial) override { seen_.erase(trial); }
  [[nodiscard]] std::vector<needed_metric> needs() const override {
    return {{"", "loss", "nothing is counted"}};
  }
  void describe(fingerprint& into) const override {
    into.add(static_cast<std::uint64_t>(seen_all_)).add(std::uint64_t{seen_.size()});
  }

private:
  std::int64_t most_;
  std::int64_t all_;
  std::int64_t seen_all_ = 0;
  std::map<trial_id, std::int64_t> seen_;
};

stopper_catalogue own() {
  stopper_catalogue::entry entry;
  entry.name = "counting";
  entry.summary = "counts reports";
  entry.known = {{"most", option_kind::integer, "2", 1}, {"all", option_kind::integer, "100", 1}};
  entry.make = [](const options& from, const stopper_context& with) {
    if (with.metric == "forbidden")
      throw std::runtime_error{"not with that"};
    return expected<std::unique_ptr<stopper>>{
        std::make_unique<counting>(from.integer("most"), from.integer("all"))};
  };
  return stopper_catalogue{{entry}};
}

std::string fault_of(const std::string& key, const std::string& text,
                     const stopper_context& with = {"loss", false}) {
  auto made = make_stoppers({{key, text}}, own(), with);
  EXPECT_FALSE(made) << key << " = " << text;
  return made ? std::string{} : made.error().detail;
}

TEST(own_stoppers, are_made_by_name_with_defaults_and_options) {
  for (const auto* text : {"", "most 3", "all 7 most 3"})
    EXPECT_TRUE(make_stoppers({{"counting", text}}, own(), {})) << text;
}

TEST(own_stoppers, refuse_wrong_options_by_name_and_range) {
  EXPECT_THAT(fault_of("counting", "most 0"),
              AllOf(HasSubstr("\"counting\": "), HasSubstr("most"), HasSubstr(">= 1")));
  EXPECT_THAT(fault_of("counting", "mots 3"), HasSubstr("did you mean \"most\"?"));
  EXPECT_THAT(fault_of("counting", "most"), HasSubstr("most has no value"));
  EXPECT_THAT(fault_of("counting", "most 3 most 4"), HasSubstr("most is given twice"));
  EXPECT_THAT(fault_of("countign", "most 3"), HasSubstr("did you mean the stopper \"counting\"?"));
  EXPECT_THAT(fault_of("counting", "most 3", {"forbidden", true}), HasSubstr("not with that"));
}

TEST(own_stoppers, leave_the_keys_that_are_built_in_alone) {
  auto mine = own();
  auto named_when = mine.entries().front();
  named_when.name = "when";
  mine.add(named_when);

  EXPECT_TRUE(make_stoppers({{"when", "loss < 1"}}, mine, {}));
}

struct with_own_stopper : support::run_by_hand, testing::Test {
  void begin(const std::string& text, std::size_t trials = 1,
             std::uint32_t draws = on::present_draws) {
    auto made = make_stoppers({{"counting", text}}, own(), {"loss", false});
    ASSERT_TRUE(made) << made.error().detail;
    uut = std::make_unique<engine>(experiment{settings, judge(), source(), std::move(*made)},
                                   ports);
    post(on::opened{1, "test", "{}", 1, opening::at_once, draws});
    suggest(trials);
  }
  static scheduler_traits judge() {
    scheduler_traits result;
    result.choose_ahead = 4;
    return result;
  }
  static searcher_traits source() {
    searcher_traits result;
    result.exhaustible = true;
    return result;
  }
};

TEST_F(with_own_stopper, a_trial_ends_with_its_reason) {
  begin("most 2");
  run();
  report();
  EXPECT_TRUE(ports.all<cmd::decision_taken>().empty());
  report();

  ASSERT_EQ(ports.actions(), std::vector<std::string>{"stop"});
  EXPECT_EQ(*ports.last<cmd::decision_taken>().reason.find("why"), value{"enough of it"});
  end(end_class::stopped);
  EXPECT_EQ(status(), trial_status::terminated);
}

/// Reasons for the ends of trials, by trial number.
std::map<std::uint64_t, std::string> reasons(const support::run_by_hand& from) {
  std::map<std::uint64_t, std::string> result;
  for (const auto& x : from.ports.all<cmd::trial_changed>())
    result[x.trial.number] = x.reason;
  return result;
}

TEST_F(with_own_stopper, the_experiment_ends_with_its_reason_and_the_trial_that_it_is_of) {
  begin("all 1", 2);
  run();
  report();
  end(end_class::stopped);

  EXPECT_TRUE(uut->machine().is_finished());
  EXPECT_EQ(ports.last<cmd::finish>().why, "trial 00000 ends the experiment: enough of all");
  EXPECT_THAT(reasons(*this),
              ElementsAre(Pair(0u, "enough of all, which ends the experiment"),
                          Pair(1u, "trial 00000 ends the experiment: enough of all")));
}

TEST_F(with_own_stopper, the_experiment_ends_with_a_last_report_as_well) {
  begin("all 1", 2);
  run();
  report(zero, 0.5, true);
  end(end_class::finished);

  EXPECT_TRUE(uut->machine().is_finished());
  EXPECT_EQ(ports.last<cmd::finish>().why, "trial 00000 ends the experiment: enough of all");
}

TEST_F(with_own_stopper, a_trial_that_is_done_ends_as_it_says) {
  begin("most 1");
  run();
  report(zero, 0.5, true);
  end(end_class::finished);

  EXPECT_EQ(reasons(*this).at(0), "the trainable said it is done");
}

TEST_F(with_own_stopper, an_earlier_record_does_not_look_at_last_reports) {
  begin("all 1", 2, on::sees_last_reports - 1);
  run();
  report(zero, 0.5, true);
  end(end_class::finished);

  EXPECT_FALSE(uut->machine().is_finished());
}

TEST_F(with_own_stopper, an_earlier_record_has_the_reason_alone) {
  begin("all 1", 2, on::names_who_ends - 1);
  run();
  report();
  end(end_class::stopped);

  EXPECT_EQ(ports.last<cmd::finish>().why, "enough of all");
  EXPECT_THAT(reasons(*this), ElementsAre(Pair(0u, "enough of all"), Pair(1u, "enough of all")));
}

TEST_F(with_own_stopper, an_earlier_record_has_the_reason_in_the_words_of_then) {
  begin("most 1", 2, on::answers_stalls_anew - 1);
  run();
  report();
  end(end_class::stopped);

  EXPECT_EQ(reasons(*this).at(0), "as it was said");
}

TEST_F(with_own_stopper, a_throw_is_warned_of_once_and_stops_nothing) {
  begin("most 2");
  run();
  report(zero, -1);
  report();
  report();

  ASSERT_EQ(ports.all<cmd::warn>().size(), 1u);
  EXPECT_THAT(ports.last<cmd::warn>().text,
              HasSubstr("[stop] counting failed: a loss below 0; it is asked no more"));
  EXPECT_TRUE(ports.actions().empty());
  EXPECT_EQ(status(), trial_status::running);
}

TEST_F(with_own_stopper, a_replay_of_the_log_comes_to_the_same) {
  begin("most 3", 2);
  run();
  report();
  report();
  auto told = ports.log;

  auto again = make_stoppers({{"counting", "most 3"}}, own(), {"loss", false});
  ASSERT_TRUE(again);
  experiment next{settings, judge(), source(), std::move(*again)};
  for (const auto& x : told)
    static_cast<void>(next.apply(x));
  fingerprint before, after;
  uut->machine().describe(before);
  next.describe(after);

  EXPECT_EQ(before.digest(), after.digest());
}

} // namespace
} // namespace tune

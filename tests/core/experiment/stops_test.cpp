// A trial whose stop is decided more than once.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/run_by_hand.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tune {
namespace {

struct stopped_twice : support::run_by_hand, testing::TestWithParam<std::uint32_t> {
  static constexpr trial_id other{1};
  sequence cause = 0;
  attempt_id of_zero;

  /// Both trials have reported, and wait for their verdicts.
  void begin() {
    make();
    post(on::opened{1, "test", "{}", 1, opening::at_once, GetParam()});
    suggest(2);
    run();
    of_zero = attempt;
    report();
    cause = ports.last<cmd::judge>().cause;
    run(other);
    report(other);
  }
  static action stop_of_zero(const char* why) { return {zero, stop{}, {{"why", why}}}; }
  void decide_on_other() {
    post(on::decided{
        {{ports.last<cmd::judge>().cause, {stop_of_zero("worst of all"), {other, go_on{}, {}}}}}});
  }
};

TEST_P(stopped_twice, by_a_decision_on_another_and_by_its_own_is_noted_once) {
  begin();
  decide_on_other();
  post(on::decided{{{cause, {stop_of_zero("too late")}}}});
  attempt = of_zero;
  end(end_class::stopped);

  const auto is_new = GetParam() >= on::notes_stops_once;
  const auto actions = ports.actions();
  EXPECT_EQ(std::count(actions.begin(), actions.end(), "stop"), is_new ? 1 : 2);
  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_EQ(row().reason, "worst of all");
  // The scheduler hears the same, so that logs of earlier heads are judged alike.
  EXPECT_EQ(ports.heard<fact::ended>(zero), 1u);
}

INSTANTIATE_TEST_SUITE_P(experiment, stopped_twice,
                         testing::Values(on::clones_named, on::notes_stops_once));

} // namespace
} // namespace tune

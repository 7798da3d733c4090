// Attempts on a node that is lost while they are being ended.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/run_by_hand.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

using namespace std::chrono_literals;

/// A trial that may lose its node, and may not time out. The parameter is `on::opened::draws`.
struct lost_while_ended : support::run_by_hand, testing::TestWithParam<std::uint32_t> {
  void begin() {
    auto& failures = settings.failures;
    failures.progress_timeout = 3s;
    failures.budget[static_cast<std::size_t>(end_class::timeout)] = 0;
    failures.budget[static_cast<std::size_t>(end_class::node_lost)] = 5;
    settings.stop_grace = 1s;
    make();
    post(on::opened{1, "test", "{}", 1, opening::at_once, GetParam()});
    suggest(1);
    run();
  }
  /// The trial is told to end for want of reports, and its node does not answer.
  void time_out() {
    let_pass(settings.failures.progress_timeout);
    ASSERT_EQ(ports.all<cmd::halt>().size(), 1u);
    ASSERT_EQ(ports.last<cmd::halt>().how, halt_mode::kill);
  }
  void lose_node() { post(on::node_down{"here", "silence"}); }
  [[nodiscard]] static bool is_new() { return GetParam() >= on::blames_nodes; }
  [[nodiscard]] cmd::attempt_changed last() const { return ports.last<cmd::attempt_changed>(); }
};

TEST_P(lost_while_ended, for_lack_of_progress_counts_as_lost_with_its_node) {
  begin();
  time_out();
  lose_node();

  EXPECT_EQ(last().how, is_new() ? end_class::node_lost : end_class::timeout);
  EXPECT_EQ(last().detail, is_new() ? "node here was lost: silence"
                                    : "no report within the progress timeout; "
                                      "node here was lost: silence");
  EXPECT_EQ(status(), is_new() ? trial_status::pending : trial_status::errored);
}

TEST_P(lost_while_ended, for_lack_of_progress_has_timed_out_where_its_node_said_so_first) {
  begin();
  time_out();
  end(end_class::killed);
  lose_node();

  EXPECT_EQ(last().how, end_class::timeout);
  EXPECT_EQ(status(), trial_status::errored);
}

TEST_P(lost_while_ended, by_a_head_that_leaves_off_is_interrupted) {
  begin();
  post(on::interrupted{"ctrl-c"});
  let_pass(settings.stop_grace);
  ASSERT_EQ(ports.last<cmd::halt>().how, halt_mode::kill);
  lose_node();

  EXPECT_EQ(last().how, end_class::interrupted);
  EXPECT_EQ(ports.all<cmd::finish>().size(), 1u);
}

TEST_P(lost_while_ended, by_a_client_ends_as_the_client_wants) {
  begin();
  post(on::stop_asked{zero, "enough"});
  lose_node();

  EXPECT_EQ(last().how, end_class::node_lost);
  EXPECT_EQ(status(), trial_status::terminated);
}

INSTANTIATE_TEST_SUITE_P(experiment, lost_while_ended,
                         testing::Values(on::notes_stops_once, on::present_draws));

} // namespace
} // namespace tune

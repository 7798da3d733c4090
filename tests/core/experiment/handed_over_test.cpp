// Trials whose checkpoints come with their reports.
// SPDX-License-Identifier: BSD-3-Clause
#include "one_trial.hpp"

#include <algorithm>

namespace tune {
namespace {

using namespace std::chrono_literals;

const pause_trial pauses;

struct handed_over : samples::one_trial {
  handed_over() {
    settings.saves = save_ability::with_reports;
    settings.trainable = "the function f";
  }
  void begin() {
    open();
    choose();
    place();
  }
  /// Posts a report that brings a checkpoint.
  void bring(double loss = 0.5) {
    auto what = std::make_shared<tune::report>();
    what->trial = zero;
    what->attempt = attempt;
    what->number = ++reports;
    what->iteration = ++iteration;
    what->metrics = std::make_shared<object>(object{{"loss", loss}});
    what->has_checkpoint = true;
    post(on::reported{what});
  }
  /// The checkpoint of report `of` is safe.
  void keep(std::uint64_t of) {
    uut->post(on::saved{zero, attempt, {}, of, {}, "there/" + std::to_string(of), 1}, now);
    uut->durable(uut->machine().last_seq());
  }
  void lose(std::uint64_t of) { post(on::save_failed{zero, attempt, {}, "disk full", of, false}); }
  [[nodiscard]] std::size_t halts() const { return ports.all<cmd::halt>().size(); }
  [[nodiscard]] std::size_t answers() const { return ports.all<cmd::proceed>().size(); }
  [[nodiscard]] std::size_t questions() const { return ports.all<cmd::judge>().size(); }
  [[nodiscard]] std::vector<std::string> warnings() const {
    std::vector<std::string> result;
    for (const auto& x : ports.all<cmd::warn>())
      result.push_back(x.text);
    return result;
  }
  [[nodiscard]] bool has_noted(const std::string& action) const {
    auto all = ports.actions();
    return std::find(all.begin(), all.end(), action) != all.end();
  }
};

TEST_F(handed_over, pauses_at_once_where_the_judged_report_brought_one) {
  begin();
  bring();
  keep(1);
  decide(pauses);

  ASSERT_EQ(halts(), 1u);
  EXPECT_EQ(ports.last<cmd::halt>().how, halt_mode::release);
  EXPECT_TRUE(ports.all<cmd::save>().empty());
  end(end_class::stopped);
  EXPECT_EQ(status(), trial_status::paused);
  EXPECT_EQ(ports.heard<fact::paused>(zero), 1u);

  run();
  EXPECT_EQ(launched().from_location, "there/1");
  EXPECT_EQ(launched().iteration, 1u);
}

TEST_F(handed_over, pauses_when_what_the_report_brought_is_safe) {
  begin();
  bring();
  decide(pauses);
  EXPECT_EQ(halts(), 0u);
  EXPECT_EQ(answers(), 0u);
  keep(1);

  EXPECT_EQ(halts(), 1u);
  end(end_class::stopped);
  EXPECT_EQ(status(), trial_status::paused);
}

TEST_F(handed_over, trains_on_to_the_next_report_with_one_and_is_judged_meanwhile) {
  begin();
  report();
  decide(pauses);
  EXPECT_EQ(answers(), 1u);
  EXPECT_TRUE(has_noted("pause_waits"));
  report();
  EXPECT_EQ(questions(), 2u);
  decide(go_on{});
  EXPECT_EQ(answers(), 2u);
  EXPECT_EQ(halts(), 0u);

  bring();
  EXPECT_EQ(questions(), 3u);
  decide(go_on{});
  keep(3);
  EXPECT_EQ(halts(), 1u);
  end(end_class::stopped);

  EXPECT_EQ(status(), trial_status::paused);
  EXPECT_EQ(ports.heard<fact::result>(zero), 3u);
}

TEST_F(handed_over, stops_where_that_is_what_is_decided_meanwhile) {
  begin();
  report();
  decide(pauses);
  bring();
  keep(2);
  EXPECT_EQ(halts(), 0u);
  decide(stop{});

  EXPECT_EQ(ports.last<cmd::halt>().how, halt_mode::stop);
  end(end_class::stopped);
  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(handed_over, takes_no_older_checkpoint_for_a_pause) {
  begin();
  bring();
  keep(1);
  decide(go_on{});
  report();
  decide(pauses);

  EXPECT_EQ(halts(), 0u);
  EXPECT_EQ(answers(), 2u);
}

TEST_F(handed_over, trains_on_where_what_it_brought_cannot_be_kept) {
  begin();
  bring();
  decide(pauses);
  lose(1);
  EXPECT_EQ(halts(), 0u);
  EXPECT_EQ(answers(), 1u);
  EXPECT_EQ(row().failures, 0u);

  bring();
  decide(go_on{});
  keep(2);
  EXPECT_EQ(halts(), 1u);
}

TEST_F(handed_over, pauses_where_nobody_judges_the_report_that_brings_one) {
  begin();
  report();
  decide(pauses);
  // A report without the objective.
  auto what = std::make_shared<tune::report>();
  what->trial = zero;
  what->attempt = attempt;
  what->number = ++reports;
  what->iteration = ++iteration;
  what->metrics = std::make_shared<object>();
  what->has_checkpoint = true;
  post(on::reported{what});
  EXPECT_EQ(questions(), 1u);
  EXPECT_EQ(answers(), 1u);
  keep(2);

  EXPECT_EQ(halts(), 1u);
}

TEST_F(handed_over, hears_of_each_checkpoint_once) {
  begin();
  bring();
  keep(1);
  keep(1);
  lose(1);

  EXPECT_EQ(ports.heard<fact::saved>(zero), 1u);
  EXPECT_FALSE(has_noted("save_failed"));
}

TEST_F(handed_over, pauses_though_it_has_to_be_ended_by_force) {
  settings.stop_grace = 10s;
  begin();
  bring();
  keep(1);
  decide(pauses);
  let_pass(10s);
  EXPECT_EQ(ports.last<cmd::halt>().how, halt_mode::kill);
  end(end_class::killed);

  EXPECT_EQ(status(), trial_status::paused);
  EXPECT_EQ(row().failures, 0u);
}

TEST_F(handed_over, fails_in_the_middle_of_a_pause_like_at_any_time) {
  settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1;
  begin();
  report();
  decide(pauses);
  end(end_class::user_error, "boom");

  EXPECT_EQ(status(), trial_status::pending);
  EXPECT_EQ(row().failures, 1u);
}

TEST_F(handed_over, refuses_a_save_that_would_have_to_be_asked_for) {
  begin();
  report();
  decide(tune::save{});

  EXPECT_EQ(answers(), 1u);
  EXPECT_TRUE(ports.all<cmd::save>().empty());
  EXPECT_FALSE(has_noted("save"));
}

TEST_F(handed_over, grants_a_save_by_what_its_report_brought) {
  begin();
  bring();
  decide(tune::save{});

  EXPECT_EQ(answers(), 1u);
  EXPECT_TRUE(ports.all<cmd::save>().empty());
  EXPECT_TRUE(has_noted("save"));
}

TEST_F(handed_over, is_never_asked_for_checkpoints_by_the_settings) {
  settings.checkpoints.frequency = 1;
  settings.checkpoints.at_end = true;
  begin();
  report();
  decide(go_on{});
  report(zero, 0.5, true);

  EXPECT_TRUE(ports.all<cmd::save>().empty());
  EXPECT_EQ(ports.last<cmd::halt>().how, halt_mode::stop);
}

TEST_F(handed_over, tells_a_client_when_it_will_pause) {
  begin();
  report();
  decide(go_on{});
  auto said = order(on::pause_asked{zero});

  EXPECT_EQ(said.what, order_verdict::kind::taken);
  EXPECT_EQ(said.text, "it pauses at its next report that brings a checkpoint");
  bring();
  decide(go_on{});
  keep(2);
  end(end_class::stopped);
  EXPECT_EQ(status(), trial_status::paused);
  EXPECT_EQ(uut->machine().view().held, 1u);
}

TEST_F(handed_over, goes_on_elsewhere_when_its_node_leaves) {
  begin();
  report();
  decide(go_on{});
  post(on::node_leaving{"near"});
  report();
  decide(go_on{});
  EXPECT_EQ(halts(), 0u);
  bring();
  decide(go_on{});
  keep(3);
  end(end_class::stopped);

  EXPECT_EQ(ports.last<cmd::attempt_changed>().how, end_class::preempted);
  EXPECT_EQ(status(), trial_status::pending);
  EXPECT_FALSE(has_noted("pause_waits"));
  choose();
  place("far");
  EXPECT_EQ(launched().iteration, 3u);
}

TEST_F(handed_over, ends_at_once_when_the_head_leaves_off) {
  begin();
  bring();
  keep(1);
  decide(go_on{});
  post(on::interrupted{"ctrl-c"});

  EXPECT_EQ(ports.last<cmd::halt>().how, halt_mode::stop);
  end(end_class::stopped);
  EXPECT_EQ(status(), trial_status::pending);
}

TEST_F(handed_over, is_paused_by_the_next_head_where_the_last_one_went_while_it_let_go) {
  begin();
  bring();
  keep(1);
  decide(pauses);
  // The next head posts this end for every attempt that it finds open.
  end(end_class::interrupted);

  EXPECT_EQ(status(), trial_status::paused);
}

TEST_F(handed_over, says_at_its_end_that_it_never_brought_one) {
  begin();
  report();
  decide(pauses);
  report();
  decide(pauses);
  end(end_class::finished);

  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_EQ(row().reason, "its checkpoint was wanted, but no report brought one");
  ASSERT_EQ(warnings().size(), 1u);
  EXPECT_EQ(warnings().front(),
            "trial 00000: its checkpoint was wanted, but no report brought one: the function f "
            "cannot be asked to save, and has to hand checkpoints over with its reports to be "
            "paused or copied: session.report(metrics, directory), or \"checkpoint\" in a "
            "program's report");
  auto all = ports.actions();
  EXPECT_EQ(std::count(all.begin(), all.end(), "pause"), 1);
  EXPECT_EQ(std::count(all.begin(), all.end(), "pause_waits"), 1);
}

TEST_F(handed_over, says_so_once_for_all_trials) {
  open(2);
  for (auto id : {trial_id{0}, trial_id{1}}) {
    choose({id});
    support::run_by_hand::place(id);
    report(id);
    post(on::decided{{{ports.last<cmd::judge>().cause, {{id, tune::save{}, {}}}}}});
    support::run_by_hand::end(end_class::finished, id);
  }

  EXPECT_EQ(warnings().size(), 1u);
  EXPECT_EQ(row({1}).reason, "its checkpoint was wanted, but no report brought one");
}

TEST_F(handed_over, says_nothing_where_one_came_or_none_was_wanted) {
  begin();
  bring();
  keep(1);
  decide(go_on{});
  report();
  decide(pauses);
  end(end_class::finished);

  EXPECT_EQ(row().reason, "");
  EXPECT_TRUE(warnings().empty());
}

TEST_F(handed_over, cannot_be_copied_where_the_donor_has_none) {
  begin();
  report();
  decide(exploit{{1}, {}, std::make_shared<object>()});

  EXPECT_EQ(halts(), 0u);
  EXPECT_EQ(answers(), 1u);
  EXPECT_FALSE(has_noted("exploit"));
}

// -- Programs that say only when they run that they cannot save.

struct unable : handed_over {
  unable() { settings.saves = save_ability::on_request; }
  /// The latest request to save fails: the program cannot save.
  void refuse() {
    auto x = ports.last<cmd::save>();
    post(on::save_failed{zero, attempt, x.checkpoint, "it cannot", 0, true});
  }
};

TEST_F(unable, trains_on_to_a_report_with_a_checkpoint_and_is_asked_once) {
  begin();
  report();
  decide(pauses);
  refuse();
  EXPECT_EQ(answers(), 1u);
  EXPECT_EQ(row().failures, 0u);
  report();
  decide(pauses);
  EXPECT_EQ(answers(), 2u);
  EXPECT_EQ(ports.all<cmd::save>().size(), 1u);

  bring();
  decide(go_on{});
  keep(3);
  end(end_class::stopped);
  EXPECT_EQ(status(), trial_status::paused);
}

TEST_F(unable, is_judged_by_the_report_at_which_it_refused) {
  begin();
  report();
  decide(go_on{});
  order(on::pause_asked{zero});
  report();
  EXPECT_EQ(questions(), 2u);
  decide(go_on{});
  refuse();

  EXPECT_EQ(questions(), 2u);
  EXPECT_EQ(answers(), 2u);
}

TEST_F(unable, is_asked_for_nothing_where_its_report_brought_one) {
  begin();
  bring();
  decide(pauses);
  keep(1);

  EXPECT_TRUE(ports.all<cmd::save>().empty());
  EXPECT_EQ(halts(), 1u);
}

TEST_F(unable, is_asked_where_what_its_report_brought_was_lost) {
  begin();
  bring();
  decide(pauses);
  lose(1);

  EXPECT_EQ(ports.all<cmd::save>().size(), 1u);
  EXPECT_TRUE(ports.last<cmd::save>().then_end);
}

TEST_F(unable, ends_when_the_head_leaves_off_all_the_same) {
  begin();
  report();
  decide(go_on{});
  post(on::interrupted{"ctrl-c"});
  report();
  decide(go_on{});
  refuse();

  EXPECT_EQ(ports.last<cmd::halt>().how, halt_mode::stop);
  end(end_class::stopped);
  EXPECT_EQ(status(), trial_status::pending);
}

TEST_F(unable, is_told_of_at_its_end) {
  begin();
  report();
  decide(pauses);
  refuse();
  end(end_class::finished);

  EXPECT_EQ(row().reason, "its checkpoint was wanted, but no report brought one");
}

} // namespace
} // namespace tune

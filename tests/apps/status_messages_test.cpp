// SPDX-License-Identifier: BSD-3-Clause
#include "head/status_messages.hpp"

#include "console/status_block.hpp"
#include "console/summary.hpp"
#include "head/event_feed.hpp"
#include "sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tune::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// What people see of a snapshot.
std::string shown(const run_snapshot& x) {
  std::string result = summary_json(x, experiment_status::done)
                       + summary_text(x, {experiment_status::done, {}, "a.ini"}, {});
  for (const auto& line : status_block(x, {120, 60}, {}))
    result += line + "\n";
  return result;
}

cmd::trial_changed ended(std::uint64_t trial, value loss) {
  report last;
  last.iteration = 3;
  last.time_total = std::chrono::seconds{2};
  last.metrics = sample::shared(
      {{"loss", std::move(loss)}, {"other", "x"}, {"deep", value{object{{"inner", 2.5}}}}});
  cmd::trial_changed result;
  result.trial = trial_id{trial};
  result.status = trial_status::terminated;
  result.config = sample::shared({{"lr", 0.5}});
  result.reason = "its end";
  result.failures = 2;
  result.last = std::make_shared<const report>(std::move(last));
  return result;
}

TEST(status_messages, snapshots_look_the_same_at_the_client) {
  auto x = sample::digits();
  x.total.custom["licence"] = amount::of(2);
  x.nodes = 3;
  x.leaving = 1;
  x.object_parameters = {"model", "opt.rule"};
  x.best->metrics = sample::shared({{"accuracy", std::nan("")},
                                    {"loss", -std::numeric_limits<double>::infinity()},
                                    {"note", "nan is a word here: \xE2\x82\xAC"}});
  final_status end;
  end.how = {experiment_status::done, "why", {}, instant{7}, "disk full"};
  end.how.view.succeeded = 4;
  end.how.view.promising = 5;
  end.last = x;
  end.head_goes = true;

  auto back = final_status_from_json(to_json(end, x.objectives));

  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_EQ(shown(back->last), shown(x));
  EXPECT_EQ(back->last.object_parameters, x.object_parameters);
  EXPECT_EQ(back->last.nodes, 3u);
  EXPECT_EQ(back->last.leaving, 1u);
  EXPECT_EQ(back->how.view.counts, x.counts);
  EXPECT_EQ(back->how.view.succeeded, 4u);
  EXPECT_EQ(back->how.why, "why");
  EXPECT_EQ(back->how.storage_error, "disk full");
  // The exit code of a limit of time rests on it.
  EXPECT_EQ(back->how.view.promising, 5u);
  ASSERT_TRUE(back->how.view.best);
  EXPECT_EQ(back->how.view.best->trial, x.best->trial);
  EXPECT_TRUE(back->head_goes);
}

TEST(status_messages, a_state_carries_the_objectives_of_the_best_alone) {
  status_update x;
  x.now = sample::digits();

  auto back = status_update_from_json(to_json(x, x.now->objectives));

  ASSERT_TRUE(back) << to_text(back.error());
  ASSERT_TRUE(back->now);
  EXPECT_EQ(*back->now->best->metrics, (object{{"accuracy", 0.98125}}));
  EXPECT_EQ(back->now->trials.size(), x.now->trials.size());
  EXPECT_EQ(back->now->trials[0].objectives, x.now->trials[0].objectives);
}

TEST(status_messages, events_come_back_with_what_a_screen_shows_of_them) {
  std::vector<objective> objectives{{"loss", false}, {"deep/inner", true}};
  feed events{objectives, [](const run_summary&) {}};
  cmd::attempt_changed failed;
  failed.trial = trial_id{7};
  failed.how = end_class::out_of_memory;
  failed.detail = "killed\nlast words";
  events.trial_changed(ended(3, std::nan("")), instant{5});
  events.attempt_failed(failed, true, instant{6});
  events.warned("odd");
  events.say("a line");

  auto back = status_update_from_json(to_json({{}, events.after(0)}, objectives));

  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_FALSE(back->now);
  ASSERT_EQ(back->events.size(), 4u);
  EXPECT_EQ(back->events[0].number, 1u);
  EXPECT_EQ(back->events[0].at, instant{5});
  const auto& trial = std::get<cmd::trial_changed>(back->events[0].what);
  EXPECT_EQ(trial.trial.number, 3u);
  EXPECT_EQ(trial.reason, "its end");
  EXPECT_EQ(trial.failures, 2u);
  EXPECT_EQ(trial.last->iteration, 3u);
  EXPECT_TRUE(std::isnan(*metric(*trial.last, "loss").as_double()));
  EXPECT_EQ(metric(*trial.last, "deep/inner"), value{2.5});
  EXPECT_FALSE(trial.last->metrics->contains("other"));
  const auto& failure = std::get<feed_event::failure>(back->events[1].what);
  EXPECT_EQ(failure.what.how, end_class::out_of_memory);
  EXPECT_EQ(failure.what.detail, failed.detail);
  EXPECT_TRUE(failure.again);
  EXPECT_EQ(std::get<feed_event::warning>(back->events[2].what).text, "odd");
  EXPECT_EQ(std::get<feed_event::line>(back->events[3].what).text, "a line");
}

TEST(status_messages, nonsense_is_named) {
  EXPECT_FALSE(status_update_from_json("[]"));
  auto state
      = status_update_from_json(R"({"now":null,"events":[{"number":1,"at":0,"kind":"song"}]})");
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("'song' is no kind of event"));
  EXPECT_FALSE(final_status_from_json("{}"));
}

TEST(event_feed, keeps_the_newest_events_and_no_trial_that_goes_on) {
  feed uut{{{"loss", false}}, [](const run_summary&) {}};
  auto running = ended(1, 1.0);
  running.status = trial_status::running;
  uut.trial_changed(running, instant{0});
  EXPECT_TRUE(uut.after(0).empty());

  for (std::size_t i = 0; i < feed::kept + 10; ++i)
    uut.say(std::to_string(i));

  auto all = uut.after(0);
  ASSERT_EQ(all.size(), feed::kept);
  EXPECT_EQ(all.front().number, 11u);
  EXPECT_EQ(uut.after(feed::kept + 9).size(), 1u);
}

TEST(event_feed, tells_the_end_once) {
  std::vector<experiment_status> ends;
  feed uut{{}, [&](const run_summary& how) { ends.push_back(how.status); }};

  uut.finished({experiment_status::stopped, {}, {}, instant{0}, {}});
  uut.finished({experiment_status::done, {}, {}, instant{0}, {}});

  EXPECT_THAT(ends, ElementsAre(experiment_status::stopped));
}

} // namespace
} // namespace tune::cli

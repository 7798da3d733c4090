// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/sinks/sink_feed.hpp"

#include "../store_fixture.hpp"

#include "tune/io/sinks/builtin.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using lines = std::vector<std::string>;

/// Records what it is told.
class notes final : public trial_sink {
public:
  notes(lines& to, sequence cursor, std::uint64_t fails_at)
      : to_{to}, cursor_{cursor}, fails_at_{fails_at} {}

  [[nodiscard]] sequence cursor() const override { return cursor_; }
  void started(const log_place&, const on::placed& what, const object& config) override {
    to_.push_back("started " + to_text(what.trial) + " " + to_text(value{config}));
  }
  void reported(const log_place& where, const report& what) override {
    if (where.seq == fails_at_)
      throw std::runtime_error{"no service"};
    to_.push_back("reported " + std::to_string(where.seq) + " " + std::to_string(what.iteration));
  }
  void saved(const log_place&, const on::saved& what) override {
    to_.push_back("saved " + what.location);
  }
  void ended(const log_place&, const on::ended& what) override {
    to_.push_back("ended " + to_text(what.trial));
  }
  void created(const log_place& where, const trial_facts& what) override {
    to_.push_back("created " + to_text(what.trial) + " at " + std::to_string(where.seq));
  }
  void concluded(const log_place& where, const trial_facts& what) override {
    to_.push_back("concluded " + to_text(what.trial) + " at " + std::to_string(where.seq));
  }
  void finished(const log_place&, const experiment_end& how) override {
    to_.push_back("finished " + how.status);
  }
  expected<void> flush(sequence place) override {
    to_.push_back("flush " + std::to_string(place));
    return {};
  }

private:
  lines& to_;
  sequence cursor_;
  std::uint64_t fails_at_;
};

class sink_feed_test : public samples::store_fixture {
protected:
  lines told;

  sink_feed feed(sequence cursor = 0, std::uint64_t fails_at = 0) {
    return {directory(), {"notes", {}, [this, cursor, fails_at](const sink_context&) {
                            return expected<std::unique_ptr<trial_sink>>{
                                std::make_unique<notes>(told, cursor, fails_at)};
                          }}};
  }
  /// Writes one trial: it begins, reports twice, saves a checkpoint and ends.
  void write_a_trial(experiment_store& to) {
    cmd::attempt_changed attempt;
    attempt.attempt = {1, 1};
    attempt.config = samples::config({{"lr", 0.5}});
    on::saved saved;
    saved.attempt = attempt.attempt;
    saved.location = "trials/00000/checkpoint_000001";
    on::ended ended;
    ended.attempt = attempt.attempt;
    ASSERT_TRUE(
        to.write(std::vector<store_item>{
                     at(1, on::opened{}),
                     at(2, on::placed{{0}, attempt.attempt, {}}),
                     {2, attempt},
                     at(3, on::reported{samples::a_report(0, 1, attempt.attempt, {{"loss", 2}})}),
                     at(4, saved),
                     at(5, on::reported{samples::a_report(0, 2, attempt.attempt, {{"loss", 1}})}),
                     at(6, ended)})
            .has_value());
  }
};

TEST_F(sink_feed_test, tells_what_is_committed_in_the_order_of_the_log) {
  auto store = fresh();
  write_a_trial(store);
  auto uut = feed();

  ASSERT_TRUE(uut.catch_up(3));
  EXPECT_THAT(told, ElementsAre(HasSubstr("started 00000 {lr: 0.5"), "reported 3 1", "flush 3"));
  told.clear();
  ASSERT_TRUE(uut.catch_up(6));
  EXPECT_THAT(told, ElementsAre("saved trials/00000/checkpoint_000001", "reported 5 2",
                                "ended 00000", "flush 6"));
  told.clear();
  ASSERT_TRUE(uut.catch_up(6));
  EXPECT_TRUE(told.empty());
}

TEST_F(sink_feed_test, tells_of_the_end_of_attempts_that_went_with_their_node) {
  auto store = fresh();
  cmd::attempt_changed attempt;
  attempt.attempt = {1, 1};
  attempt.config = samples::config({{"lr", 0.5}});
  const auto down = at(3, on::node_down{"w2", ""});
  auto lost = attempt;
  lost.finished = down.at;
  lost.how = end_class::node_lost;
  lost.detail = "node w2 was lost";
  ASSERT_TRUE(store
                  .write(std::vector<store_item>{at(1, on::opened{}),
                                                 at(2, on::placed{{0}, attempt.attempt, {}}),
                                                 {2, attempt},
                                                 down,
                                                 {3, lost}})
                  .has_value());

  ASSERT_TRUE(feed().catch_up(3));

  EXPECT_THAT(told, ElementsAre(HasSubstr("started 00000 {lr: 0.5"), "ended 00000", "flush 3"));
}

TEST_F(sink_feed_test, counts_as_missing_what_is_not_stored) {
  auto store = fresh();
  write_a_trial(store);
  auto uut = feed();
  EXPECT_EQ(uut.missing(6), 6u);
  ASSERT_TRUE(uut.catch_up(4));
  EXPECT_EQ(uut.missing(6), 2u);
}

TEST_F(sink_feed_test, counts_as_missing_what_waits_for_the_end_of_its_span) {
  auto store = fresh();
  write_a_trial(store);
  const auto all = builtin_sinks();
  // Nobody listens there, which shows once there is a span to be sent.
  const auto with = *options::parse(all.find("otlp")->known, {{"url", "http://127.0.0.1:9"}});
  sink_context context;
  context.directory = directory().string();
  auto open = [&] {
    return sink_feed{directory(), {"otlp", context, [&](const sink_context& of) {
                                     return all.find("otlp")->make(with, of);
                                   }}};
  };
  auto uut = open();

  // The attempt has reported, and runs on: nothing was sent.
  ASSERT_TRUE(uut.catch_up(3));
  EXPECT_EQ(uut.missing(6), 6u);
  EXPECT_FALSE(uut.catch_up(6));
  EXPECT_EQ(uut.missing(6), 6u);
  // Nor does a later run take it for delivered.
  auto later = open();
  EXPECT_FALSE(later.catch_up(6));
  EXPECT_EQ(later.missing(6), 6u);
}

TEST_F(sink_feed_test, tells_of_no_attempt_that_never_was) {
  auto store = fresh();
  // The resources came when nobody waited for them any more.
  ASSERT_TRUE(
      store.write(std::vector<store_item>{at(1, on::opened{}), at(2, on::placed{{0}, {1, 7}, {}})})
          .has_value());
  auto uut = feed();

  ASSERT_TRUE(uut.catch_up(2));
  EXPECT_THAT(told, ElementsAre("flush 2"));
}

/// Notes when each head began.
class beginnings final : public trial_sink {
public:
  explicit beginnings(std::vector<std::int64_t>& to) : to_{to} {}
  void opened(const log_place& where, const on::opened&) override { to_.push_back(where.wall_ms); }

private:
  std::vector<std::int64_t>& to_;
};

TEST_F(sink_feed_test, dates_a_head_that_goes_on_though_nothing_was_reported_since) {
  constexpr std::int64_t much_later = 4'000'000'000'000;
  auto store = fresh();
  write_a_trial(store);
  on::opened again;
  again.epoch = 2;
  again.wall_ms = much_later;
  ASSERT_TRUE(store.write(std::vector<store_item>{at(7, again)}));
  std::vector<std::int64_t> began;
  sink_feed uut{directory(), {"beginnings", {}, [&began](const sink_context&) {
                                return expected<std::unique_ptr<trial_sink>>{
                                    std::make_unique<beginnings>(began)};
                              }}};

  ASSERT_TRUE(uut.catch_up(7));

  ASSERT_EQ(began.size(), 2u);
  EXPECT_LT(began[0], much_later);
  EXPECT_EQ(began[1], much_later);
}

TEST_F(sink_feed_test, goes_on_where_the_sink_left_off) {
  auto store = fresh();
  write_a_trial(store);

  ASSERT_TRUE(feed(4).catch_up(6));

  EXPECT_THAT(told, ElementsAre("reported 5 2", "ended 00000", "flush 6"));
}

TEST_F(sink_feed_test, tells_of_each_trial_when_it_is_made_and_when_it_is_over) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(2, 1)));
  auto uut = feed();

  ASSERT_TRUE(uut.catch_up(store.last_seq()));

  EXPECT_THAT(told, ElementsAre("created 00000 at 2", HasSubstr("started 00000"), "reported 4 1",
                                "ended 00000", "concluded 00000 at 6", "created 00001 at 7",
                                HasSubstr("started 00001"), "reported 9 1", "ended 00001",
                                "concluded 00001 at 11", "flush 11"));
}

TEST_F(sink_feed_test, tells_nothing_twice_wherever_the_sink_left_off) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(3, 2)));
  ASSERT_TRUE(feed().catch_up(store.last_seq()));
  const auto whole = told;

  for (sequence place = 1; place < store.last_seq(); ++place) {
    told.clear();
    ASSERT_TRUE(feed().catch_up(place));
    told.pop_back(); // flush
    auto first = told;
    told.clear();
    ASSERT_TRUE(feed(place).catch_up(store.last_seq()));
    first.insert(first.end(), told.begin(), told.end());

    EXPECT_EQ(first, whole) << "left off at " << place;
  }
}

TEST_F(sink_feed_test, tells_how_the_experiment_ended) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(1, 1)));
  ASSERT_TRUE(store.write(
      std::vector<store_item>{{store.last_seq(), cmd::finish{experiment_status::done, ""}}}));
  auto uut = feed();

  ASSERT_TRUE(uut.catch_up(store.last_seq()));
  ASSERT_TRUE(uut.catch_up(store.last_seq()));

  EXPECT_EQ(std::count(told.begin(), told.end(), "finished done"), 1);
}

TEST_F(sink_feed_test, tells_nothing_more_until_a_failure_has_passed) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(1, 1)));
  int failures = 2;
  int reports = 0;
  struct away final : trial_sink {
    away(int& left, int& count) : left_{left}, count_{count} {}
    void reported(const log_place&, const report&) override { ++count_; }
    expected<void> flush(sequence) override {
      return left_-- > 0 ? expected<void>{error{ec::unreachable, "away"}} : expected<void>{};
    }
    int& left_;
    int& count_;
  };
  sink_feed uut{directory(), {"away", {}, [&](const sink_context&) {
                                return expected<std::unique_ptr<trial_sink>>{
                                    std::make_unique<away>(failures, reports)};
                              }}};

  EXPECT_FALSE(uut.catch_up(store.last_seq()));
  EXPECT_EQ(uut.cursor(), 0u);
  EXPECT_FALSE(uut.catch_up(store.last_seq()));
  EXPECT_TRUE(uut.catch_up(store.last_seq()));
  EXPECT_EQ(uut.cursor(), store.last_seq());
  EXPECT_EQ(reports, 1);
}

TEST_F(sink_feed_test, turns_what_the_sink_throws_into_an_error) {
  auto store = fresh();
  write_a_trial(store);

  auto failed = feed(0, 5).catch_up(6);

  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ec::refused);
  EXPECT_THAT(failed.error().detail, HasSubstr("it threw: no service"));
}

TEST_F(sink_feed_test, turns_what_the_factory_throws_into_an_error) {
  auto store = fresh();
  write_a_trial(store);
  sink_feed uut{directory(),
                {"none", {}, [](const sink_context&) -> expected<std::unique_ptr<trial_sink>> {
                   throw std::runtime_error{"no such host"};
                 }}};
  sink_feed nothing{directory(),
                    {"none", {}, [](const sink_context&) -> expected<std::unique_ptr<trial_sink>> {
                       return {std::unique_ptr<trial_sink>{}};
                     }}};

  EXPECT_THAT(uut.catch_up(6).error().detail, HasSubstr("no such host"));
  EXPECT_THAT(nothing.catch_up(6).error().detail, HasSubstr("made nothing"));
}

} // namespace
} // namespace tune

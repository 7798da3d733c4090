// Results that go elsewhere through a program's own sink.
// SPDX-License-Identifier: BSD-3-Clause
#include "bowl.hpp"

#include <gmock/gmock.h>

#include <condition_variable>
#include <mutex>

namespace tune {
namespace {

using samples::bowls;
using samples::tuner_test;
using testing::HasSubstr;

/// What a sink received, on its own thread.
struct heard {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t started = 0;
  std::uint64_t reported = 0;
  std::uint64_t ended = 0;
  sequence last = 0;
  std::string prefix;
  std::filesystem::path directory;
};

class counter final : public trial_sink {
public:
  counter(std::shared_ptr<heard> to, std::uint64_t fails_at) : to_{std::move(to)}, at_{fails_at} {}

  [[nodiscard]] sequence cursor() const override { return to_->last; }
  void started(const log_place&, const on::placed&, const object& config) override {
    std::lock_guard guard{to_->mutex};
    to_->started += config.find("x") != nullptr ? 1 : 0;
  }
  void reported(const log_place& where, const report&) override {
    std::lock_guard guard{to_->mutex};
    if (++to_->reported == at_)
      throw std::runtime_error{"the service is gone"};
    to_->last = where.seq;
  }
  void ended(const log_place& where, const on::ended&) override {
    std::lock_guard guard{to_->mutex};
    ++to_->ended;
    to_->last = where.seq;
  }

private:
  std::shared_ptr<heard> to_;
  std::uint64_t at_;
};

choices with_counter(const std::shared_ptr<heard>& to) {
  auto result = builtin_choices(bowls());
  sink_catalogue::entry entry;
  entry.name = "counter";
  entry.known = {{"fails_at", option_kind::integer, "0", 0}, {"prefix", option_kind::text, "none"}};
  entry.make = [to](const tune::options& from, const sink_context& with) {
    to->prefix = from.text("prefix");
    to->directory = with.directory;
    return expected<std::unique_ptr<trial_sink>>{
        std::make_unique<counter>(to, static_cast<std::uint64_t>(from.integer("fails_at")))};
  };
  result.sinks.add(std::move(entry));
  return result;
}

class own_sink_test : public tuner_test {
protected:
  std::shared_ptr<heard> to = std::make_shared<heard>();
};

TEST_F(own_sink_test, hears_everything_before_the_run_returns) {
  auto grid = tuner{with_counter(to)}.run(
      options().set("sinks.counter", "on").set("sinks.counter.prefix", "a"));

  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_EQ(to->started, 3u);
  EXPECT_EQ(to->reported, 15u);
  EXPECT_EQ(to->ended, 3u);
  EXPECT_EQ(to->prefix, "a");
  EXPECT_EQ(to->directory, grid->directory());
  EXPECT_TRUE(grid->warnings().empty());
}

TEST_F(own_sink_test, hears_after_a_resume_what_is_behind_its_cursor) {
  tuner uut{with_counter(to)};
  auto what = options().set("sinks.counter", "on").set("sinks.counter.prefix", "a");
  ASSERT_TRUE(uut.run(what));

  auto grid = uut.run(what.num_samples(2).resume());

  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_EQ(to->reported, 30u);
  EXPECT_EQ(to->ended, 6u);
}

TEST_F(own_sink_test, that_throws_is_a_warning_and_costs_no_trial) {
  auto grid = tuner{with_counter(to)}.run(options().set("sinks.counter", "4"));

  ASSERT_TRUE(grid) << to_text(grid.error());
  for (const auto& x : grid->trials())
    EXPECT_EQ(x.iterations, 5u);
  EXPECT_EQ(to->reported, 4u);
  ASSERT_EQ(grid->warnings().size(), 1u);
  EXPECT_THAT(grid->warnings()[0], testing::AllOf(HasSubstr("the sink counter is told no more"),
                                                  HasSubstr("the service is gone")));
  // How many events it lacks is known only once the run is over.
  EXPECT_THAT(grid->warnings()[0],
              testing::AnyOf(HasSubstr("; of the record it has what came up to event "),
                             HasSubstr(" events of the record were not told")));
}

/// Blocks its thread until all trials are done.
class stuck final : public trial_sink {
public:
  stuck(std::shared_ptr<support::latch> gate, std::shared_ptr<bool> opened)
      : gate_{std::move(gate)}, opened_{std::move(opened)} {}
  void reported(const log_place&, const report&) override { *opened_ = gate_->wait(); }

private:
  std::shared_ptr<support::latch> gate_;
  std::shared_ptr<bool> opened_;
};

struct opener : tuner_callback {
  explicit opener(std::shared_ptr<support::latch> x) : gate{std::move(x)} {}
  void finished(experiment_status, const std::string&) override { gate->open(); }
  std::shared_ptr<support::latch> gate;
};

TEST_F(own_sink_test, that_hangs_holds_up_no_trial) {
  auto gate = std::make_shared<support::latch>(false);
  auto opened = std::make_shared<bool>(false);
  auto all = builtin_choices(bowls());
  sink_catalogue::entry entry;
  entry.name = "stuck";
  entry.make = [gate, opened](const tune::options&, const sink_context&) {
    return expected<std::unique_ptr<trial_sink>>{std::make_unique<stuck>(gate, opened)};
  };
  all.sinks.add(std::move(entry));

  // The end of the experiment opens the latch, so it came while the sink was blocked.
  auto grid
      = tuner{all}.run(options().set("sinks.stuck", "on").callback(std::make_shared<opener>(gate)));

  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_EQ(grid->status(), experiment_status::done);
  EXPECT_TRUE(*opened);
}

TEST_F(own_sink_test, of_an_unknown_name_or_option_is_refused) {
  auto wrong = [&](const std::string& key, const std::string& text) {
    auto grid = tuner{with_counter(to)}.run(options().set(key, text));
    EXPECT_FALSE(grid);
    return grid ? std::string{} : grid.error().detail;
  };

  EXPECT_THAT(wrong("sinks.conuter", "on"),
              testing::AllOf(HasSubstr("conuter: there is no such sink"),
                             HasSubstr("did you mean \"counter\"?")));
  EXPECT_THAT(wrong("sinks.counter", "-1"),
              testing::AllOf(HasSubstr("counter = -1"), HasSubstr(">= 0")));
  EXPECT_THAT(wrong("sinks.counter.fails_at", "1"), HasSubstr("add counter = on"));
  EXPECT_THAT(wrong("log.sink.counter", "prefix a"), HasSubstr("[sinks] counter = on"));
}

} // namespace
} // namespace tune

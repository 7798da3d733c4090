// SPDX-License-Identifier: BSD-3-Clause
#include "support/small_run.hpp"

#include <fstream>

namespace tune {
namespace {

using namespace std::chrono_literals;
using iterations = std::vector<std::uint64_t>;

struct thread_trainable : support::small_run {
  thread_trainable() { work.plan = run_in_thread{"mine"}; }

  void runs(trainable_function what) { trainables.add_function("mine", std::move(what)); }
};

TEST_F(thread_trainable, brings_every_report_of_a_function_home) {
  configs = {{{"x", 1.5}}, {{"x", 2.5}}};
  runs([](session& s) {
    for (int i = 1; i <= 3; ++i)
      s.report({{"loss", *s.config().find("x")->as_double() / i}});
  });

  auto how = run();

  EXPECT_EQ(how.status, experiment_status::done);
  EXPECT_EQ(how.view.succeeded, 2u);
  ASSERT_TRUE(how.view.best);
  EXPECT_EQ(*how.view.best->at->metrics->find("loss"), value{0.5});
  EXPECT_EQ(reported_iterations(), (iterations{1, 2, 3, 1, 2, 3}));
}

TEST_F(thread_trainable, waits_until_its_report_was_judged) {
  support::latch gate{false};
  support::told<int> asked;
  std::atomic<bool> went_on = false;
  before_judging = [&] {
    asked.add(1);
    gate.wait();
  };
  runs([&](session& s) {
    s.report({{"loss", 1.0}});
    went_on = true;
  });

  start();
  ASSERT_TRUE(asked.wait_for(1));
  EXPECT_FALSE(went_on);
  gate.open();
  finish();

  EXPECT_TRUE(went_on);
}

TEST_F(thread_trainable, hears_of_a_stop_from_its_report) {
  stop_lines = {{"when", "loss <= 0.5"}};
  std::vector<bool> answers;
  bool should_stop = false;
  runs([&](session& s) {
    answers.push_back(s.report({{"loss", 1.0}}));
    answers.push_back(s.report({{"loss", 0.5}}));
    should_stop = s.should_stop();
  });

  auto how = run();

  EXPECT_EQ(answers, (std::vector<bool>{true, false}));
  EXPECT_TRUE(should_stop);
  EXPECT_EQ(how.view.succeeded, 1u);
  EXPECT_EQ(events<on::ended>()[0].how, end_class::stopped);
}

TEST_F(thread_trainable, hands_the_text_of_an_exception_on) {
  runs([](session&) { throw std::runtime_error{"no such optimizer"}; });

  auto how = run();

  EXPECT_EQ(how.view.succeeded, 0u);
  auto ends = events<on::ended>();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].how, end_class::user_error);
  EXPECT_EQ(ends[0].detail, "no such optimizer");
}

TEST_F(thread_trainable, A8_6_says_which_trainable_is_not_there) {
  run();

  EXPECT_EQ(events<on::ended>()[0].detail, "no trainable named 'mine' is registered");
}

/// Counts; fails once, after its third step.
struct counter : trainable {
  static inline std::atomic<int> breaks_left = 0;
  std::int64_t n = 0;

  void setup(const object&, const trial_context&) override {}
  metrics step() override {
    if (n == 3 && breaks_left-- > 0)
      throw std::runtime_error{"broken"};
    ++n;
    return {{"loss", 1.0 / static_cast<double>(n)}, {"n", n}, {"done", n == 5}};
  }
  [[nodiscard]] bool can_save() const override { return true; }
  void save(const std::filesystem::path& to) override { std::ofstream{to / "n"} << n; }
  void load(const std::filesystem::path& from) override { std::ifstream{from / "n"} >> n; }
};

TEST_F(thread_trainable, goes_on_from_its_checkpoint_after_a_failure) {
  counter::breaks_left = 1;
  trainables.add_class<counter>("mine");
  settings.saves = save_ability::on_request;
  settings.checkpoints.frequency = 2;
  settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1;

  auto how = run();

  EXPECT_EQ(how.view.succeeded, 1u);
  EXPECT_EQ(reported_iterations(), (iterations{1, 2, 3, 3, 4, 5}));
  for (const auto& x : events<on::reported>())
    EXPECT_EQ(*x.what->metrics->find("n"), value{static_cast<std::int64_t>(x.what->iteration)});
  // The scheduler sees no iteration twice; it sees the last one only with the trial's end.
  EXPECT_EQ(judged.all(), (iterations{1, 2, 3, 4}));
  auto saved = events<on::saved>();
  ASSERT_GE(saved.size(), 1u);
  EXPECT_EQ(saved[0].iteration, 2u);
  EXPECT_TRUE(std::filesystem::exists(work.directory / saved[0].location / "n"));
}

TEST_F(thread_trainable, fails_for_want_of_memory_where_it_gets_none) {
  runs([](session&) { throw std::bad_alloc{}; });

  run();

  ASSERT_EQ(events<on::ended>().size(), 1u);
  EXPECT_EQ(events<on::ended>()[0].how, end_class::out_of_memory);
}

TEST_F(thread_trainable, takes_over_a_checkpoint_that_a_function_hands_in) {
  settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1;
  auto own = work.directory / "own";
  std::filesystem::create_directories(own);
  std::vector<std::string> restored;
  runs([&](session& s) {
    if (auto from = s.restore_from()) {
      std::ifstream in{*from / "state"};
      restored.emplace_back(std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{});
      s.report({{"loss", 0.1}});
      return;
    }
    std::ofstream{own / "state"} << "precious";
    s.report({{"loss", 0.5}}, own);
    throw std::runtime_error{"broken"};
  });

  run();

  EXPECT_EQ(restored, std::vector<std::string>{"precious"});
  EXPECT_EQ(reported_iterations(), (iterations{1, 2}));
  ASSERT_EQ(events<on::saved>().size(), 1u);
  EXPECT_EQ(events<on::saved>()[0].iteration, 1u);
}

TEST_F(thread_trainable, names_no_number_where_what_a_function_hands_in_cannot_be_taken_over) {
  settings.saves = save_ability::on_request;
  settings.checkpoints.frequency = 1;
  runs([&](session& s) {
    // The trial is asked to save and cannot; that save has a number.
    s.report({{"loss", 0.5}});
    s.report({{"loss", 0.4}, {"done", true}}, work.directory / "not there");
  });

  auto how = run();

  EXPECT_EQ(how.view.succeeded, 1u);
  auto failed = events<on::save_failed>();
  ASSERT_EQ(failed.size(), 2u);
  EXPECT_EQ(failed[0].checkpoint, checkpoint_id{1});
  EXPECT_EQ(failed[1].checkpoint, checkpoint_id{});
  EXPECT_NE(failed[1].why.find("not there"), std::string::npos) << failed[1].why;
}

struct hanging_thread : thread_trainable {
  std::shared_ptr<support::latch> door = std::make_shared<support::latch>(false);
  std::shared_ptr<support::told<int>> left = std::make_shared<support::told<int>>();

  hanging_thread() {
    settings.stop_grace = 50ms;
    runs([door = door, left = left](session& s) {
      s.report({{"loss", 1.0}});
      door->wait();
      left->add(1);
    });
  }
};

TEST_F(hanging_thread, is_left_to_itself) {
  start();
  ASSERT_TRUE(wait_for_events<on::reported>(1));

  post(on::stop_asked{{}, "enough"});
  auto how = finish();

  EXPECT_EQ(how.status, experiment_status::stopped);
  EXPECT_EQ(events<on::ended>()[0].how, end_class::killed);
  EXPECT_EQ(left->size(), 0u);
  door->open();
  EXPECT_TRUE(left->wait_for(1));
}

TEST_F(hanging_thread, does_not_keep_the_system_from_ending) {
  start();
  ASSERT_TRUE(wait_for_events<on::reported>(1));
  post(on::interrupted{"ctrl-c"});
  EXPECT_EQ(finish().status, experiment_status::interrupted);

  end_run();

  EXPECT_EQ(left->size(), 0u);
  door->open();
  EXPECT_TRUE(left->wait_for(1));
}

TEST_F(thread_trainable, ends_with_the_node_in_the_middle_of_a_run) {
  runs([](session& s) {
    while (s.report({{"loss", 1.0}})) {}
  });
  start();
  ASSERT_TRUE(wait_for_events<on::reported>(3));

  end_run();

  EXPECT_EQ(system, nullptr);
}

struct table_trainable : support::small_run {
  table_trainable() {
    work.plan = replay_table{[](const object& config) {
      std::vector<object> result;
      for (std::int64_t i = 1; i <= 4; ++i)
        result.push_back({{"training_iteration", 2 * i},
                          {"loss", *config.find("x")->as_double() / static_cast<double>(i)}});
      return result;
    }};
    configs = {{{"x", 8.0}}};
  }
};

TEST_F(table_trainable, replays_a_curve_to_its_end) {
  auto how = run();

  EXPECT_EQ(how.view.succeeded, 1u);
  EXPECT_EQ(reported_iterations(), (iterations{2, 4, 6, 8}));
  EXPECT_EQ(*events<on::reported>()[3].what->metrics->find("loss"), value{2.0});
  EXPECT_EQ(events<on::ended>()[0].how, end_class::finished);
}

TEST_F(table_trainable, stops_where_it_is_told_to) {
  stop_lines = {{"when", "loss <= 4"}};

  run();

  EXPECT_EQ(reported_iterations(), (iterations{2, 4}));
}

TEST_F(table_trainable, saves_its_place) {
  settings.saves = save_ability::on_request;
  settings.checkpoints.frequency = 4;

  run();

  auto saved = events<on::saved>();
  ASSERT_GE(saved.size(), 1u);
  EXPECT_EQ(saved[0].iteration, 4u);
  EXPECT_EQ(reported_iterations(), (iterations{2, 4, 6, 8}));
}

} // namespace
} // namespace tune

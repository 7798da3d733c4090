// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/tuner.hpp"

#include "bowl.hpp"
#include "support/little_memory.hpp"

#include <gmock/gmock.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace tune {
namespace {

using namespace std::chrono_literals;
using samples::bowls;
using samples::meeting;
using samples::number;
using samples::tuner_test;
using testing::HasSubstr;
using testing::Not;

TEST_F(tuner_test, runs_without_a_file_and_tells_the_best) {
  auto grid = tuner{bowls()}.run(options());

  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_EQ(grid->status(), experiment_status::done);
  ASSERT_EQ(grid->trials().size(), 3u);
  auto best = grid->best();
  ASSERT_TRUE(best);
  EXPECT_EQ(number(best->config, "x"), 0);
  EXPECT_EQ(number(best->metrics, "loss"), 0);
  EXPECT_EQ(best->iterations, 5u);
  EXPECT_EQ(best->status, trial_status::terminated);
  EXPECT_EQ(grid->directory(), root / "e");
}

TEST_F(tuner_test, takes_a_file_and_lets_the_program_override_it) {
  fill(root / "from-file.ini", "[experiment]\nmetric = loss:min\nseed = 3\n"
                               "[trainable]\nname = bowl\n[space]\nx = grid(1, 2)\n");

  auto grid = tuner{bowls()}.run(
      run_options{root / "from-file.ini"}.storage(root).parameter("x", "grid(4, 5, 6)"));

  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_EQ(grid->directory(), root / "from-file");
  ASSERT_EQ(grid->trials().size(), 3u);
  EXPECT_EQ(number(grid->trials()[0].config, "x"), 4);
}

/// Prints how the run ends, and ends the process.
[[noreturn]] void run_with_few_threads(const run_options& what, const std::filesystem::path& root) {
  support::leave_room_for(3);
  auto grid = tuner{bowls()}.run(what);
  std::fputs(grid ? "it ran" : to_text(grid.error()).c_str(), stderr);
  auto made_nothing = std::filesystem::is_empty(root);
  std::filesystem::remove_all(root);
  std::_Exit(made_nothing ? 0 : 1);
}

TEST_F(tuner_test, answers_with_an_error_where_there_are_too_few_threads) {
  if (!support::can_bound_memory)
    GTEST_SKIP() << "sanitizers need all the memory there is";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_with_few_threads(options(), root), testing::ExitedWithCode(0),
              "only . of 16 threads can be started: ");
}

TEST_F(tuner_test, names_all_faults_of_the_options_at_once) {
  auto wrong = run_options{}.trainable("bowel").set("experiment.num_samples", -1);

  auto grid = tuner{bowls()}.run(wrong);

  ASSERT_FALSE(grid);
  EXPECT_EQ(grid.error().code, ec::bad_option);
  EXPECT_THAT(grid.error().detail, HasSubstr("did you mean \"bowl\"?"));
  EXPECT_THAT(grid.error().detail, HasSubstr("[experiment] num_samples"));
  EXPECT_THAT(grid.error().detail, HasSubstr("metric is missing"));
  EXPECT_THAT(grid.error().detail, Not(HasSubstr("command line")));
  EXPECT_THAT(grid.error().detail, Not(HasSubstr(".ini")));
}

TEST_F(tuner_test, B3_10_returns_trials_that_failed_among_the_others) {
  auto grid = tuner{bowls()}.run(options().trainable("broken"));

  ASSERT_TRUE(grid) << to_text(grid.error());
  auto failed = grid->errors();
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(number(failed[0].config, "x"), 1);
  EXPECT_THAT(failed[0].error, HasSubstr("x is too large"));
  EXPECT_EQ(number(grid->best()->config, "x"), 0);
}

TEST_F(tuner_test, refuses_processes_where_main_does_not_begin_with_host_main) {
  auto asked = options().isolation(isolation_kind::process);
  auto program = run_options{}.name("p").storage(root).command("true").minimise("loss");

  for (const auto& x : {asked, program}) {
    auto grid = tuner{bowls()}.run(x);

    ASSERT_FALSE(grid);
    EXPECT_EQ(
        grid.error(),
        (error{ec::refused, "process isolation needs tune::host_main(argc, argv) first in main"}));
  }
  EXPECT_FALSE(std::filesystem::exists(root / "e"));
}

TEST_F(tuner_test, B3_3_refuses_what_the_machine_can_never_grant) {
  auto grid = tuner{bowls()}.run(options().resource("cpu", 5));

  ASSERT_FALSE(grid);
  EXPECT_EQ(grid.error().code, ec::impossible_request);
  EXPECT_THAT(grid.error().detail, HasSubstr("[resources]"));
}

TEST_F(tuner_test, refuses_a_directory_that_holds_an_experiment) {
  tuner uut{bowls()};
  ASSERT_TRUE(uut.run(options()));

  auto again = uut.run(options());
  auto read = uut.run(options().resume());

  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ec::refused);
  // It has no command line.
  EXPECT_THAT(again.error().detail,
              HasSubstr("go on with it by run_options::resume, or begin beside"
                        " it by run_options::name(\"auto\")"));
  ASSERT_TRUE(read) << to_text(read.error());
  EXPECT_EQ(read->trials().size(), 3u);
}

TEST_F(tuner_test, leaves_room_for_another_experiment_in_the_same_process) {
  meeting both;
  auto run = [&](const std::string& name) {
    auto grid = tuner{both.trainables()}.run(
        options(name).parameter("x", "1").stop_at("training_iteration", 3));
    ASSERT_TRUE(grid) << to_text(grid.error());
    EXPECT_EQ(grid->trials().size(), 1u);
  };

  std::thread one{run, "one"};
  std::thread other{run, "other"};
  // Neither trial goes on before both have begun.
  EXPECT_TRUE(both.began.wait_for(2));
  both.gate.open();
  one.join();
  other.join();
}

TEST_F(tuner_test, runs_one_experiment_at_a_time) {
  meeting first;
  tuner uut{first.trainables()};
  std::thread runner{[&] {
    EXPECT_TRUE(uut.run(options().parameter("x", "1").stop_at("training_iteration", 1)));
  }};
  ASSERT_TRUE(first.began.wait_for(1));

  auto second = uut.run(options("second"));

  first.gate.open();
  runner.join();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ec::refused);
}

TEST_F(tuner_test, ends_in_order_when_another_thread_says_stop) {
  meeting endless;
  endless.gate.open();
  tuner uut{endless.trainables()};
  std::thread other{[&] {
    endless.began.wait_for(3);
    EXPECT_TRUE(uut.view().has_value());
    uut.stop("enough");
  }};

  auto grid = uut.run(options());

  other.join();
  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_EQ(grid->status(), experiment_status::stopped);
  EXPECT_EQ(grid->why(), "enough");
  for (const auto& x : grid->trials())
    EXPECT_EQ(x.status, trial_status::terminated);
  EXPECT_FALSE(uut.view().has_value());
}

TEST_F(tuner_test, goes_on_with_what_was_interrupted) {
  meeting endless;
  endless.gate.open();
  tuner uut{endless.trainables()};
  std::thread other{[&] {
    endless.began.wait_for(3);
    uut.interrupt();
  }};
  auto first = uut.run(options());
  other.join();

  auto second = tuner{bowls()}.run(options().resume());

  ASSERT_TRUE(first) << to_text(first.error());
  EXPECT_EQ(first->status(), experiment_status::interrupted);
  ASSERT_TRUE(second) << to_text(second.error());
  EXPECT_EQ(second->status(), experiment_status::done);
  ASSERT_EQ(second->trials().size(), 3u);
  for (const auto& x : second->trials())
    EXPECT_EQ(x.status, trial_status::terminated);
}

struct notes : tuner_callback {
  std::vector<trial_status> seen;
  std::filesystem::path directory;
  void began(const std::filesystem::path& where) override { directory = where; }
  void trial_changed(const cmd::trial_changed& what, instant) override {
    seen.push_back(what.status);
  }
};

TEST_F(tuner_test, tells_a_callback_what_happens) {
  auto heard = std::make_shared<notes>();

  ASSERT_TRUE(tuner{bowls()}.run(options().parameter("x", "1").callback(heard)));

  EXPECT_EQ(heard->directory, root / "e");
  ASSERT_FALSE(heard->seen.empty());
  EXPECT_EQ(heard->seen.back(), trial_status::terminated);
}

struct thrower : tuner_callback {
  void began(const std::filesystem::path&) override { throw std::runtime_error{"no room"}; }
};

TEST_F(tuner_test, survives_a_callback_that_throws) {
  auto grid = tuner{bowls()}.run(options().callback(std::make_shared<thrower>()));

  ASSERT_TRUE(grid) << to_text(grid.error());
  ASSERT_EQ(grid->warnings().size(), 1u);
  EXPECT_THAT(grid->warnings()[0], HasSubstr("no room"));
}

scheduler_catalogue::entry entry_of(const std::string& name, auto make) {
  scheduler_catalogue::entry result;
  result.name = name;
  result.make = [make](const options&, const scheduler_context&) {
    return expected<std::unique_ptr<scheduler>>{make()};
  };
  return result;
}

TEST_F(tuner_test, judges_by_a_scheduler_of_the_users_own_catalogue) {
  auto all = builtin_choices(bowls());
  all.schedulers.add(entry_of("impatient", [] { return std::make_unique<samples::impatient>(); }));

  auto grid = tuner{all}.run(options().scheduler("impatient"));

  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_EQ(grid->trials()[0].iterations, 2u);
  EXPECT_EQ(grid->trials()[1].iterations, 5u);
}

struct faulty : samples::impatient {
  [[nodiscard]] decision judge(sequence, trial_id) const override {
    throw std::logic_error{"I cannot judge"};
  }
};

TEST_F(tuner_test, ends_where_the_users_own_scheduler_throws) {
  auto all = builtin_choices(bowls());
  all.schedulers.add(entry_of("faulty", [] { return std::make_unique<faulty>(); }));

  auto grid = tuner{all}.run(options().scheduler("faulty"));

  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_EQ(grid->status(), experiment_status::interrupted);
  EXPECT_THAT(grid->why(), HasSubstr("I cannot judge"));
}

TEST_F(tuner_test, names_a_scheduler_whose_factory_throws_and_runs_the_next_experiment) {
  auto all = builtin_choices(bowls());
  all.schedulers.add(entry_of("unlicensed", []() -> std::unique_ptr<scheduler> {
    throw std::runtime_error{"no licence"};
  }));
  tuner uut{all};

  auto grid = uut.run(options().scheduler("unlicensed"));

  ASSERT_FALSE(grid);
  EXPECT_EQ(grid.error().code, ec::bad_option);
  EXPECT_THAT(grid.error().detail, HasSubstr("of unlicensed: its factory failed: no licence"));
  EXPECT_TRUE(uut.run(options()));
}

/// Ends the experiment at its `most`-th report.
class tally final : public stopper {
public:
  explicit tally(std::int64_t most) : most_{most} {}

  std::optional<stop_verdict> see(const report&) override {
    if (++seen_ < most_)
      return std::nullopt;
    return stop_verdict{stop_verdict::reach::experiment, "the tally is full"};
  }
  void forget(trial_id) override {}
  [[nodiscard]] std::vector<needed_metric> needs() const override { return {}; }
  void describe(fingerprint& into) const override { into.add(static_cast<std::uint64_t>(seen_)); }

private:
  std::int64_t most_;
  std::int64_t seen_ = 0;
};

choices with_tally() {
  auto result = builtin_choices(bowls());
  stopper_catalogue::entry entry;
  entry.name = "tally";
  entry.known = {{"most", option_kind::integer, "7", 1}};
  entry.make = [](const options& from, const stopper_context&) {
    return expected<std::unique_ptr<stopper>>{std::make_unique<tally>(from.integer("most"))};
  };
  result.stoppers.add(std::move(entry));
  return result;
}

std::uint64_t iterations_of(const result_grid& all) {
  std::uint64_t result = 0;
  for (const auto& x : all.trials())
    result += x.iterations;
  return result;
}

TEST_F(tuner_test, stops_by_a_stopper_of_the_users_own_catalogue) {
  auto grid = tuner{with_tally()}.run(options().set("cluster.cpus", 1).set("stop.tally", "most 8"));

  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_EQ(grid->status(), experiment_status::done);
  EXPECT_THAT(grid->why(), HasSubstr("the tally is full"));
  EXPECT_EQ(iterations_of(*grid), 8u);
}

TEST_F(tuner_test, goes_on_with_what_a_stopper_of_the_users_own_had_seen) {
  auto what = options().set("cluster.cpus", 1).set("stop.tally", "most 17");
  tuner uut{with_tally()};
  auto first = uut.run(what);
  ASSERT_TRUE(first) << to_text(first.error());
  EXPECT_EQ(iterations_of(*first), 15u);

  auto grid = uut.run(what.num_samples(2).resume());

  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_THAT(grid->why(), HasSubstr("the tally is full"));
  EXPECT_EQ(iterations_of(*grid), 17u);
}

TEST_F(tuner_test, names_key_and_range_of_a_wrong_option_of_a_stopper) {
  auto grid = tuner{with_tally()}.run(options().set("stop.tally", "most 0"));

  ASSERT_FALSE(grid);
  EXPECT_THAT(grid.error().detail,
              testing::AllOf(HasSubstr("tally"), HasSubstr("most"), HasSubstr(">= 1")));
}

/// Dispositions of all signals that a program can change.
std::vector<void*> dispositions() {
  std::vector<void*> result;
  for (auto number = 1; number < 65; ++number) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) == 0)
      result.push_back(reinterpret_cast<void*>(now.sa_handler));
  }
  return result;
}

TEST_F(tuner_test, D1_16_prints_nothing_and_leaves_signals_alone_on_any_thread) {
  auto before = dispositions();
  sigset_t mask_before;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask_before);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();

  auto grid = tuner{bowls()}.run(options().trainable("broken"));
  std::thread other{[&] { EXPECT_TRUE(tuner{bowls()}.run(options("other"))); }};
  other.join();

  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(grid);
  EXPECT_EQ(dispositions(), before);
  sigset_t mask_after;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask_after);
  for (auto number = 1; number < 65; ++number)
    EXPECT_EQ(::sigismember(&mask_before, number), ::sigismember(&mask_after, number));
}

} // namespace
} // namespace tune

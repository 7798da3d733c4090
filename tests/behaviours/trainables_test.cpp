// Guarantees that trainables may rely on: A3, A5 and part B of docs/ray-behaviours.md.
// SPDX-License-Identifier: BSD-3-Clause
#include "whole.hpp"

#include <atomic>
#include <cstdlib>
#include <set>

namespace tune {
namespace {

namespace fs = std::filesystem;
using samples::number;
using testing::ElementsAre;
using testing::HasSubstr;
using enum trial_status;

/// A class trainable made of functions for `setup`, `step` and `cleanup`.
class made_of : public trainable {
public:
  using step_function = std::function<metrics(const object&, const trial_context&, std::int64_t)>;

  explicit made_of(step_function step, std::function<void(const object&)> setup = {},
                   std::function<void(const trial_context&)> cleanup = {})
      : step_{std::move(step)}, setup_{std::move(setup)}, cleanup_{std::move(cleanup)} {}

  void setup(const object& config, const trial_context& context) override {
    config_ = config;
    context_ = context;
    if (setup_)
      setup_(config);
  }
  metrics step() override { return step_(config_, context_, ++n_); }
  [[nodiscard]] bool can_save() const override { return true; }
  void save(const fs::path& to) override { put_count(to, n_); }
  void load(const fs::path& from) override { n_ = count_in(from); }
  void cleanup() override {
    if (cleanup_)
      cleanup_(context_);
  }

private:
  step_function step_;
  std::function<void(const object&)> setup_;
  std::function<void(const trial_context&)> cleanup_;
  object config_;
  trial_context context_;
  std::int64_t n_ = 0;
};

metrics done_at(std::int64_t n, std::int64_t last) {
  return {{"loss", 1.0 / static_cast<double>(n)}, {"done", n == last}};
}

/// Counts to ten, reports its count each time (as a checkpoint too if `saves`), and fails after the
/// fifth report of its first try.
struct stumbling {
  std::atomic<int> tries{0};
  bool saves = true;

  void operator()(session& with) {
    auto first = tries++ == 0;
    auto n = with.restore_from() ? count_in(*with.restore_from()) : 0;
    while (n < 10) {
      if (first && n == 5)
        throw std::runtime_error{"stumbled"};
      ++n;
      auto place = with.context().directory / "own";
      put_count(place, n);
      metrics what{{"loss", 1.0 / static_cast<double>(n)}, {"n", n}};
      if (!(saves ? with.report(what, place) : with.report(what)))
        return;
    }
  }
};

// -- A3

TEST_F(behaviours, A3_1_a_trainable_that_cannot_be_set_up_costs_its_own_trial_alone) {
  known.add_class("picky", [] {
    return std::make_unique<made_of>(
        [](const object&, const trial_context&, std::int64_t n) { return done_at(n, 2); },
        [](const object& config) {
          if (number(config, "x") == 2)
            throw std::invalid_argument{"x must not be 2"};
        });
  });

  auto grid = run(experiment("picky").parameter("x", "grid(1, 2, 3)"));

  EXPECT_EQ(counts(grid), (std::map<trial_status, std::size_t>{{terminated, 2}, {errored, 1}}));
  ASSERT_EQ(grid.errors().size(), 1u);
  EXPECT_EQ(number(grid.errors()[0].config, "x"), 2);
  EXPECT_EQ(grid.errors()[0].error, "x must not be 2");
  EXPECT_EQ(grid.errors()[0].iterations, 0u);
}

// -- A5

TEST_F(behaviours, A5_5_configurations_of_every_kind_of_value_survive_saving_and_loading) {
  std::vector<object> seen;
  auto whole = [&](session& with) {
    seen.push_back(with.config());
    with.report({{"loss", 1.0}});
  };
  known.add_function("sees", whole);
  auto all = experiment("sees")
                 .parameter("x", "1")
                 .parameter("f", "0.1")
                 .parameter("whole", "2.0")
                 .parameter("yes", "true")
                 .parameter("text", "\"1\"")
                 .parameter("word", "\"Gr\u00fc\u00dfe, \\\"du\\\"\"")
                 .parameter("none", "null")
                 .parameter("list", "[1, 2.5, \"a\", [true]]")
                 .parameter("deep.er", "{\"lr\": 1e-05, \"layers\": [64, 32]}");
  auto first = run_one(all);

  auto again = run_one(all.resume());

  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(again.config, seen[0]);
  EXPECT_EQ(again.config, first.config);
  EXPECT_EQ(*again.config.find("whole"), value{2.0});
  EXPECT_EQ(*again.config.find("text"), value{"1"});
  EXPECT_EQ(*find_path(again.config, "deep/er/lr"), value{1e-05});
  EXPECT_EQ(again.config.find("list")->as_list()->size(), 4u);
}

// -- B1

TEST_F(behaviours, B1_4_a_trials_folder_is_short_however_long_the_names_of_parameters_are) {
  known = samples::bowls();

  auto trial = run_one(experiment("bowl").parameter(std::string(900, 'p'), "uniform(0, 1)"));

  EXPECT_EQ(trial.directory.filename(), "00000");
  EXPECT_EQ(trial.status, terminated);
  auto params = std::ifstream{trial.directory / "params.json"};
  std::string line;
  std::getline(params, line);
  EXPECT_THAT(line, HasSubstr(std::string(900, 'p')));
}

TEST_F(behaviours, B1_5_names_from_configurations_never_become_names_of_folders) {
  known = samples::bowls();
  auto odd = experiment("bowl").parameter("x", "choice(\"a/../b\", \"(<>:|?*\")").num_samples(3);

  auto grid = run(odd);
  EXPECT_EQ(grid.trials().size(), 3u);
  for (const auto& x : grid.trials())
    EXPECT_EQ(x.directory.filename(), to_text(x.trial));

  for (const auto* name : {"a/b", "..", "."})
    EXPECT_THAT(refusal(odd.name(name)), HasSubstr("must be one directory's name"));
}

// -- B2: functions.

TEST_F(behaviours, B2_1_a_function_without_checkpoints_begins_again_at_the_first_iteration) {
  stumbling stumbles;
  stumbles.saves = false;
  known.add_function("stumbles", std::ref(stumbles));

  auto trial = run_one(experiment("stumbles").max_failures(3));

  EXPECT_EQ(trial.status, terminated);
  EXPECT_THAT(logged(trial, "training_iteration"),
              ElementsAre(1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
}

TEST_F(behaviours, B2_2_what_was_restored_and_saved_again_is_the_same) {
  std::vector<std::string> contents;
  known.add_function("copies", [&](session& with) {
    auto place = with.context().directory / "own";
    fs::remove_all(place);
    if (!with.restore_from()) {
      put_count(place, 7);
      with.report({{"loss", 1.0}}, place);
      throw std::runtime_error{"once more"};
    }
    fs::copy(*with.restore_from(), place);
    EXPECT_EQ(count_in(place), 7);
    with.report({{"loss", 0.5}}, place);
  });

  auto trial = run_one(experiment("copies").max_failures(1));

  EXPECT_EQ(trial.status, terminated);
  EXPECT_EQ(count_in(trial.checkpoint), 7);
}

TEST_F(behaviours, B2_3_a_checkpoint_with_the_last_report_is_kept_and_is_the_newest) {
  known.add_function("counts", [](session& with) {
    for (auto n = 1; n <= 6; ++n) {
      auto place = with.context().directory / "own";
      put_count(place, n);
      if (!with.report({{"loss", 10 - n}}, place))
        return;
    }
  });
  for (auto keep : {0, 3}) {
    auto trial
        = run_one(experiment("counts", "e" + std::to_string(keep)).set("checkpoint.keep", keep));

    EXPECT_EQ(count_in(trial.checkpoint), 6) << keep;
    std::set<std::int64_t> kept;
    for (const auto& x : fs::directory_iterator{trial.checkpoint.parent_path()})
      kept.insert(count_in(x.path()));
    EXPECT_EQ(kept, keep == 0 ? (std::set<std::int64_t>{1, 2, 3, 4, 5, 6})
                              : (std::set<std::int64_t>{4, 5, 6}));
  }
}

TEST_F(behaviours, B2_4_a_restored_function_counts_on) {
  stumbling stumbles;
  known.add_function("stumbles", std::ref(stumbles));

  auto trial = run_one(experiment("stumbles").max_failures(1));

  std::map<std::string, std::vector<double>> by_attempt;
  for (const auto& x : logged(trial))
    by_attempt[*x.find("attempt")->as_string()].push_back(number(x, "training_iteration"));
  ASSERT_EQ(by_attempt.size(), 2u);
  EXPECT_THAT(by_attempt.begin()->second, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(by_attempt.rbegin()->second, ElementsAre(6, 7, 8, 9, 10));
}

TEST_F(behaviours, B2_5_a_retried_function_logs_no_iteration_twice) {
  stumbling stumbles;
  known.add_function("stumbles", std::ref(stumbles));

  auto trial = run_one(experiment("stumbles").max_failures(3));

  EXPECT_EQ(stumbles.tries, 2);
  EXPECT_THAT(logged(trial, "training_iteration"), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(logged(trial, "n"), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_EQ(trial.failures, 1u);
}

// -- B3: guarantees for trainables.

/// The user's part of each result, and the number of results in which `done` is true.
struct shown {
  std::vector<object> results;
  std::size_t done = 0;
};

shown of(const trial_result& trial) {
  shown result;
  for (auto& x : behaviours::logged(trial)) {
    result.done += x.find("done") != nullptr && *x.find("done") == value{true} ? 1 : 0;
    for (const auto* name : {"time_this_iter_s", "time_total_s", "attempt", "timestamp"})
      x.erase(name);
    result.results.push_back(std::move(x));
  }
  return result;
}

TEST_F(behaviours, B3_1_functions_and_classes_log_the_same) {
  auto step = [](std::int64_t n) {
    return metrics{{"loss", 1.0 / static_cast<double>(n)}, {"text", "n"}, {"done", n == 4}};
  };
  known.add_function("same", [&](session& with) {
    for (auto n = 1; with.report(step(n)); ++n) {}
  });
  auto by_function = of(run_one(experiment("same", "function")));
  known.add_class("same", [&] {
    return std::make_unique<made_of>(
        [&](const object&, const trial_context&, std::int64_t n) { return step(n); });
  });
  auto by_class = of(run_one(experiment("same", "class")));

  EXPECT_EQ(by_function.results.size(), 4u);
  EXPECT_EQ(by_function.done, 1u);
  EXPECT_EQ(by_class.done, 1u);
  EXPECT_EQ(by_function.results, by_class.results);
}

TEST_F(behaviours, B3_2_a_later_registration_wins_and_bound_functions_will_do) {
  auto report_both = [](double loss, session& with) { with.report({{"loss", loss}}); };
  known.add_function("twice", [](session&) { throw std::runtime_error{"the first"}; });
  known.add_function("twice", std::bind(report_both, 4.0, std::placeholders::_1));

  auto trial = run_one(experiment("twice"));

  EXPECT_EQ(trial.error, "");
  EXPECT_EQ(number(trial.metrics, "loss"), 4);
}

TEST_F(behaviours, B3_4_the_configuration_reaches_the_trainable_unchanged) {
  object seen;
  known.add_function("sees", [&](session& with) {
    seen = with.config();
    with.report({{"loss", 1.0}});
  });

  auto trial = run_one(experiment("sees").parameter("optimizer.lr", "0.5"));

  EXPECT_EQ(seen, (object{{"x", 1}, {"optimizer", object{{"lr", 0.5}}}}));
  EXPECT_EQ(trial.config, seen);
}

TEST_F(behaviours, B3_5_a_trial_has_a_directory_of_its_own_and_storage_may_begin_at_home) {
  std::string before = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  ::setenv("HOME", root.c_str(), 1);
  known.add_function("writes", [](session& with) {
    std::ofstream{with.context().directory / "mine"} << "here";
    with.report({{"loss", 1.0}});
  });

  auto trial = run_one(experiment("writes", std::string(200, 'n')).storage("~/below"));

  ::setenv("HOME", before.c_str(), 1);
  EXPECT_EQ(trial.directory, root / "below" / std::string(200, 'n') / "trials" / "00000");
  EXPECT_TRUE(fs::exists(trial.directory / "mine"));
}

TEST_F(behaviours, B3_6_what_cannot_be_run_is_refused_before_anything_is_made) {
  known = samples::bowls();
  auto good = experiment("bowl");

  EXPECT_THAT(refusal(run_options{good}.set("experiment.metrik", "a")), HasSubstr("\"metric\"?"));
  EXPECT_THAT(refusal(run_options{}.name("e").storage(root).minimise("loss")),
              HasSubstr("[trainable]"));
  EXPECT_THAT(refusal(run_options{good}.parameter("x", "grid()")), HasSubstr("at least one value"));
  EXPECT_THAT(refusal(run_options{good}.trainable("bowel")), HasSubstr("did you mean \"bowl\"?"));
  EXPECT_THAT(refusal(run_options{good}.resource("custom.tpu", 1)), HasSubstr("tpu"));
  EXPECT_FALSE(fs::exists(root / "e"));
  // A metric that is never reported causes a warning.
  auto grid = run(good.stop_at("accuracy", 1));
  ASSERT_EQ(grid.warnings().size(), 1u);
  EXPECT_THAT(grid.warnings()[0], HasSubstr("\"accuracy\""));
}

TEST_F(behaviours, B3_7_a_nested_metric_stops_by_its_path) {
  known.add_function("nested", [](session& with) {
    for (auto n = 0; with.report({{"loss", 1.0}, {"test", object{{"value", n}}}}); ++n) {}
  });

  EXPECT_EQ(run_one(experiment("nested").stop_at("test/value", 6)).iterations, 7u);
  EXPECT_THAT(refusal(experiment("nested", "f").set("stop.test", "{\"value\": 6}")),
              HasSubstr("[stop]"));
}

TEST_F(behaviours, B3_12_nothing_is_counted_that_the_trainable_does_not_report) {
  known = samples::bowls();

  auto results = logged(run_one(experiment("bowl")));

  ASSERT_EQ(results.size(), 5u);
  for (const auto& x : results) {
    for (const auto& [name, what] : x)
      EXPECT_EQ(name.find("timestep"), name.npos) << name;
  }
}

TEST_F(behaviours, B3_13_a_trainable_knows_its_trial_and_its_resources) {
  std::vector<trial_context> seen;
  known.add_function("asks", [&](session& with) {
    seen.push_back(with.context());
    with.report({{"loss", 1.0}});
  });
  auto what = experiment("asks", "f")
                  .resource("cpu", 3)
                  .parameter("x", "grid(1, 2)")
                  .set("cluster.cpus", 3);
  auto by_function = run(what);
  known.add_class("asks", [&] {
    return std::make_unique<made_of>(
        [&](const object&, const trial_context& context, std::int64_t) {
          seen.push_back(context);
          return done_at(1, 1);
        });
  });
  auto by_class = run(what.name("c"));

  ASSERT_EQ(seen.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(seen[i].trial_id, i % 2 == 0 ? "00000" : "00001");
    EXPECT_EQ(seen[i].cpus, 3);
    EXPECT_EQ(seen[i].experiment, i < 2 ? "f" : "c");
    EXPECT_EQ(seen[i].directory, (i < 2 ? by_function : by_class).trials()[i % 2].directory);
  }
}

TEST_F(behaviours, B3_14_trials_that_end_at_once_are_all_cleaned_up) {
  known.add_class("marks", [this] {
    return std::make_unique<made_of>(
        [](const object&, const trial_context&, std::int64_t n) { return done_at(n, 1); },
        [](const object&) {},
        [this](const trial_context& context) {
          std::ofstream{root / ("gone " + context.trial_id)};
        });
  });

  auto grid = run(
      experiment("marks").parameter("x", "uniform(0, 1)").num_samples(10).set("cluster.cpus", 10));

  EXPECT_EQ(grid.trials().size(), 10u);
  std::size_t marks = 0;
  for (const auto& x : fs::directory_iterator{root})
    marks += x.path().filename().string().starts_with("gone ") ? 1 : 0;
  EXPECT_EQ(marks, 10u);
}

TEST_F(behaviours, B3_15_folders_are_told_apart_by_the_trials_numbers) {
  known = samples::bowls();

  auto grid = run(experiment("bowl").parameter("x", "grid(1, 1, 1)"));

  std::set<fs::path> folders;
  for (const auto& x : grid.trials())
    folders.insert(x.directory);
  EXPECT_EQ(folders,
            (std::set<fs::path>{root / "e" / "trials" / "00000", root / "e" / "trials" / "00001",
                                root / "e" / "trials" / "00002"}));
}

TEST_F(behaviours, B3_16_only_what_failed_runs_again) {
  std::atomic<bool> broken{true};
  std::atomic<int> calls{0};
  known.add_function("half", [&](session& with) {
    ++calls;
    if (broken && static_cast<int>(number(with.config(), "x")) % 2 == 0)
      throw std::runtime_error{"even"};
    with.report({{"loss", 1.0}});
  });
  auto what = experiment("half").parameter("x", "grid(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)");
  auto first = run(what);
  EXPECT_EQ(first.errors().size(), 5u);
  broken = false;

  auto second = run(what.resume(resume_mode::errored_only));

  EXPECT_EQ(calls, 15);
  EXPECT_TRUE(second.errors().empty());
  ASSERT_EQ(second.trials().size(), 10u);
  for (const auto& x : second.trials())
    EXPECT_EQ(x.iterations, 1u);
}

// -- B5: stoppers.

/// Reports `value` = 0, 1, 2, … without end.
void count_for_ever(session& with) {
  for (auto n = 0; with.report({{"loss", 1.0}, {"value", n}}); ++n) {}
}

TEST_F(behaviours, B5_1_a_condition_ends_a_trial_at_the_first_report_that_meets_it) {
  known.add_function("counts", count_for_ever);

  auto trial = run_one(experiment("counts").set("stop.when", "value > 6"));

  EXPECT_EQ(trial.iterations, 8u);
  EXPECT_EQ(trial.reason, "value 7 > 6");
  EXPECT_THAT(refusal(experiment("counts", "f").set("stop.when", "value is large")),
              HasSubstr("expected >="));
}

TEST_F(behaviours, B5_2_one_trial_may_end_them_all_some_before_they_ran) {
  known.add_function("counts", count_for_ever);

  auto grid = run(experiment("counts")
                      .parameter("x", "grid(1, 2, 3, 4, 5)")
                      .set("cluster.cpus", 2)
                      .set("stop.all_when", "value >= 3"));

  EXPECT_EQ(grid.status(), experiment_status::done);
  EXPECT_EQ(counts(grid), (std::map<trial_status, std::size_t>{{terminated, 5}}));
  std::size_t never_ran = 0;
  for (const auto& x : grid.trials())
    never_ran += x.iterations == 0 ? 1 : 0;
  EXPECT_GE(never_ran, 3u);
}

} // namespace
} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "io/spec/spec_support.hpp"

#include "tune/io/spec/convert.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

using namespace tune;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

spec loaded(const std::string& text, const load_request& with = support::request()) {
  auto result = support::load_text(text, with);
  EXPECT_TRUE(result) << to_text(result.faults);
  return result ? result.loaded->what : spec{};
}

std::string small_and(const std::string& more) {
  return std::string{support::small} + more;
}

TEST(load, takes_the_defaults_of_the_struct) {
  auto uut = loaded(std::string{support::small});

  EXPECT_EQ(uut.experiment.name, "digits");
  EXPECT_EQ(uut.experiment.objectives, (std::vector<objective>{{"accuracy", true}}));
  EXPECT_EQ(uut.experiment.storage, experiment_section{}.storage);
  EXPECT_EQ(uut.trainable.kind, trainable_kind::command);
  EXPECT_EQ(uut.search.type, "any");
  EXPECT_EQ(uut.scheduler.type, "first");
  EXPECT_EQ(uut.failure.max_killed, 0u);
  EXPECT_EQ(uut.ini_dir, "/nowhere");
}

TEST(load, names_the_line_of_a_range_that_may_be_empty) {
  auto result = support::load_text(small_and("a = uniform(0, 1)\nb = uniform({a}, 0.5)\n"
                                             "c = uniform(0, {bb})\n"),
                                   support::request());
  ASSERT_FALSE(result);
  EXPECT_THAT(to_text(result.faults),
              testing::AllOf(HasSubstr("\"b\": its range uniform({a}, 0.5) is empty where a = "),
                             HasSubstr("\"c\": its range reads \"bb\", which is not a parameter")));
}

TEST(load, warns_of_bounds_that_are_no_multiples_of_their_step) {
  auto result = support::load_text(small_and("n = qrandint(0, 10, 3)\nm = qrandint(0, 9, 3)\n"),
                                   support::request());
  ASSERT_TRUE(result) << to_text(result.faults);
  EXPECT_THAT(result.warnings,
              Contains(HasSubstr("[space] n: qrandint(0, 10, 3): high = 10 is no multiple of q = 3:"
                                 " the greatest value is 9")));
  EXPECT_THAT(result.warnings, Not(Contains(HasSubstr("[space] m: "))));
}

TEST(load, warns_of_whole_numbers_whose_bounds_meet) {
  auto result = support::load_text(
      small_and("layers = randint(1, 4)\nn = randint(1, {layers})\nm = randint(1, {layers} + 1)\n"),
      support::request());
  ASSERT_TRUE(result) << to_text(result.faults);
  EXPECT_THAT(result.warnings,
              Contains(HasSubstr("[space] n: randint(1, {layers}), whose upper bound is excluded, "
                                 "is taken for its lower bound where both are equal, as where "
                                 "layers = 1")));
}

TEST(load, refuses_a_point_outside_of_the_range_that_holds) {
  auto result = support::load_text(small_and("a = uniform(0, 1)\nb = uniform(0, {a})\n[search]\n"
                                             "points = [{\"a\": 0.5, \"b\": 1}, {\"b\": 1}]\n"),
                                   support::request());
  ASSERT_FALSE(result);
  EXPECT_THAT(
      to_text(result.faults),
      testing::AllOf(HasSubstr("points: number 1: \"b\": 1 is not in uniform(0, {a}), which "
                               "is uniform(0, 0.5) here"),
                     testing::Not(HasSubstr("number 2"))));
}

TEST(load, reads_every_section) {
  auto uut = loaded(
      "[experiment]\nname = x\nmetric = accuracy:max, latency:min, size\nmode = min\n"
      "num_samples = 100\nmax_concurrent_trials = 3\nstorage = /tmp/y\nseed = 7\ntime_limit = "
      "1h30m\n"
      "[trainable]\ncommand = myrun \"./a b.py\" --lr {lr}\nreport = final\nreport_on = ^done\n"
      "metric.accuracy = acc = ([0-9.]+)\\#\nenv.OMP_NUM_THREADS = 1\noutput_cap = 1MiB\nfiles = "
      "/, /\n"
      "[space]\nlr = loguniform(1e-5, 0.1)\nopt = grid(sgd, adam)\nm = uniform(0, 1) if opt == "
      "sgd\n"
      "[resources]\ncpu = 2\ngpu = 0.5\nmemory = 2GiB\ncustom.licence = 1.5\nstrategy = spread\n"
      "bundles = [{\"cpu\": 1, \"memory\": \"1KiB\"}]\n"
      "[search]\nportion = 2\npoints = [{\"lr\": 0.01}]\n"
      "[scheduler]\ntype = halving\nmax_t = 9\n"
      "[stop]\ntraining_iteration = 50\nwhen = accuracy >= 0.995\n"
      "[failure]\nmax_failures = 3\nmax_killed = unlimited\nfail_fast = true\nbackoff = 500ms\n"
      "progress_timeout = 10m\n"
      "[checkpoint]\nfrequency = 5\nat_end = yes\n"
      "[cluster]\ncpus = 4\ngpus = 0\nmemory = auto\nqueue_trials = true\npolicy = spread\n"
      "kill_grace = 2s\n"
      "[log]\nlevel = debug\ntrial_files = false\nfile = log.txt\n");

  EXPECT_EQ(uut.experiment.objectives,
            (std::vector<objective>{{"accuracy", true}, {"latency", false}, {"size", false}}));
  EXPECT_EQ(uut.experiment.time_limit, 90min);
  EXPECT_EQ(uut.trainable.report, report_mode::final);
  EXPECT_THAT(uut.trainable.metrics, ElementsAre(named_text{"accuracy", "acc = ([0-9.]+)#"}));
  EXPECT_THAT(uut.trainable.env, ElementsAre(named_text{"OMP_NUM_THREADS", "1"}));
  EXPECT_THAT(uut.trainable.files, ElementsAre("/", "/"));
  EXPECT_EQ(uut.trainable.output_cap, 1024u * 1024u);
  ASSERT_EQ(uut.space.size(), 3u);
  EXPECT_EQ(uut.space[2].text, "uniform(0, 1) if opt == sgd");
  EXPECT_THAT(uut.search.options, ElementsAre(named_text{"portion", "2"}));
  EXPECT_THAT(uut.search.points, ElementsAre(object{{"lr", 0.01}}));
  EXPECT_THAT(uut.scheduler.options,
              ElementsAre(named_text{"grace_period", "1"}, named_text{"max_t", "9"}));
  EXPECT_EQ(uut.stop.size(), 2u);
  EXPECT_EQ(uut.failure.max_killed, failure_policy::unlimited);
  EXPECT_EQ(uut.failure.max_timeouts, 3u);
  EXPECT_EQ(uut.failure.backoff, 500ms);
  EXPECT_EQ(uut.cluster.cpus, 4.0);
  EXPECT_EQ(uut.cluster.memory, std::nullopt);
  EXPECT_EQ(uut.cluster.policy, placement_policy::spread);
  EXPECT_EQ(uut.log.level, log_level::debug);
}

TEST(load, lets_the_command_line_win_over_the_environment_over_the_file) {
  auto with = support::request();
  with.environment = {{"TUNE_EXPERIMENT_SEED", "2"}, {"TUNE_EXPERIMENT_NUM_SAMPLES", "20"}};
  with.overrides = {{"experiment.seed", "3"}};
  auto text = "[experiment]\nseed = 1\nnum_samples = 10\ntime_limit = 5s\n" + small_and("");

  auto uut = support::load_text(text, with);

  ASSERT_TRUE(uut) << to_text(uut.faults);
  EXPECT_EQ(uut.loaded->what.experiment.seed, 3u);
  EXPECT_EQ(uut.loaded->what.experiment.num_samples, 20u);
  EXPECT_EQ(uut.loaded->what.experiment.time_limit, 5s);
  const auto& origins = uut.loaded->origins;
  EXPECT_EQ(to_text(origins.at("experiment.seed")), "command line --experiment.seed");
  EXPECT_EQ(to_text(origins.at("experiment.num_samples")),
            "environment TUNE_EXPERIMENT_NUM_SAMPLES");
  EXPECT_EQ(to_text(origins.at("experiment.time_limit")), "/nowhere/digits.ini:4");
  EXPECT_FALSE(origins.contains("experiment.storage"));
}

TEST(load, keeps_the_order_of_parameters_when_one_is_overridden) {
  auto with = support::request();
  with.overrides = {{"space.new", "3"}, {"space.lr", "0.5"}};

  auto uut = loaded(small_and("z = 1\n"), with);

  EXPECT_THAT(uut.space,
              ElementsAre(named_text{"lr", "0.5"}, named_text{"z", "1"}, named_text{"new", "3"}));
}

TEST(load, finds_the_keys_that_variables_mean) {
  auto with = support::request();
  with.environment = {{"TUNE_SPACE_LR", "0.5"},
                      {"TUNE_SPACE_momentum", "0.9"},
                      {"TUNE_SPACE_opt__lr", "2"},
                      {"TUNE_RESOURCES_CUSTOM__LICENCE", "1"},
                      {"TUNE_TRAINABLE_ENV__OMP_X", "4"},
                      {"TUNE_SEARCH_PORTION", "9"},
                      {"TUNE_STOP_TRAINING_ITERATION", "5"},
                      {"TUNE_TRAINABLE_METRIC__accuracy", "(.*)"},
                      {"TUNE_SPACE_C", "7"}};

  auto uut = loaded(small_and("C = 1\n"), with);

  EXPECT_THAT(uut.space, ElementsAre(named_text{"lr", "0.5"}, named_text{"C", "7"},
                                     named_text{"momentum", "0.9"}, named_text{"opt.lr", "2"}));
  EXPECT_THAT(uut.resources.custom, ElementsAre(named_text{"licence", "1"}));
  EXPECT_THAT(uut.trainable.env, ElementsAre(named_text{"OMP_X", "4"}));
  EXPECT_THAT(uut.search.options, ElementsAre(named_text{"portion", "9"}));
  EXPECT_THAT(uut.stop, ElementsAre(named_text{"training_iteration", "5"}));
  EXPECT_THAT(uut.trainable.metrics, ElementsAre(named_text{"accuracy", "(.*)"}));
}

TEST(load, ignores_variables_of_trials_empty_ones_and_those_of_others) {
  auto with = support::request();
  with.environment = {{"TUNE_TRIAL_DIR", "/x"},
                      {"TUNE_TRIAL_PARAM_lr", "3"},
                      {"TUNE_EXPERIMENT_SEED", ""},
                      {"TUNE_CERTS", "/certs"},
                      {"TUNED", "1"},
                      {"EXPERIMENT_SEED", "4"}};

  auto uut = support::load_text(support::small, with);

  ASSERT_TRUE(uut);
  EXPECT_EQ(uut.loaded->what.experiment.seed, 0u);
  EXPECT_THAT(uut.warnings, IsEmpty());
}

TEST(load, warns_of_unknown_variables_with_the_nearest) {
  auto with = support::request();
  with.environment = {{"TUNE_EXPERIMENT_NUM_SAMPLE", "3"}, {"TUNE_SCHEDULER_GRACE_PERIOD", "3"}};

  auto uut = support::load_text(support::small, with);

  ASSERT_TRUE(uut) << to_text(uut.faults);
  ASSERT_EQ(uut.warnings.size(), 2u);
  EXPECT_THAT(uut.warnings[0], HasSubstr("did you mean TUNE_EXPERIMENT_NUM_SAMPLES?"));
  EXPECT_THAT(uut.warnings[1], HasSubstr("TUNE_SCHEDULER_GRACE_PERIOD: of first"));
}

constexpr std::string_view halving_lines
    = "[scheduler]\ntype = halving\ngrace_period = 2\nmax_t = 9\n";

TEST(load, lets_points_give_way_to_what_the_command_line_fixes) {
  auto request = support::request();
  request.overrides = {{"space.lr", "0.5"}, {"space.net.kind", "plain"}};

  auto uut = support::load_text(
      std::string{support::small}
          + "net.kind = choice(plain, deep)\nlayers = randint(1, 9) if net.kind == deep\n"
            "[search]\npoints = [{\"lr\": 0.25, \"net.kind\": \"deep\", \"layers\": 3}, "
            "{\"lr\": 0.5}, {\"net\": {\"kind\": \"plain\"}}]\n",
      request);

  ASSERT_TRUE(uut) << to_text(uut.faults);
  const std::string at = "/nowhere/digits.ini:10: [search] points: number 1: ";
  EXPECT_THAT(uut.warnings,
              ElementsAre(at + "lr = 0.25 gives way to lr = 0.5 (command line --space.lr)",
                          at
                              + "net.kind = deep gives way to net.kind = plain (command line "
                                "--space.net.kind)",
                          at
                              + "layers = 3 gives way to net.kind = plain (command line "
                                "--space.net.kind)"));
  for (const auto& point : uut.loaded->what.search.points)
    EXPECT_TRUE(flatten(point).empty() || flatten(point).front().first == "net")
        << flatten(point).front().first;
}

TEST(load, still_refuses_points_outside_of_what_is_not_fixed) {
  const auto text = std::string{support::small} + "b = 3\n[search]\npoints = [{\"lr\": 0.25}]\n";
  auto request = support::request();
  request.overrides = {{"space.lr", "uniform(0.5, 1)"}};
  EXPECT_FALSE(support::load_text(text, request));

  // Both come from the same source, so one of them is a mistake.
  EXPECT_FALSE(
      support::load_text(std::string{support::small} + "b = 3\n[search]\npoints = [{\"b\": 4}]\n"));
  request.overrides = {{"space.lr", "0.5"}, {"search.points", "[{\"lr\": 0.25}]"}};
  EXPECT_FALSE(support::load_text(text, request));
  // Fixing a parameter does not hide a fault that was there before.
  request.overrides = {{"space.lr", "0.5"}};
  EXPECT_FALSE(support::load_text(std::string{support::small}
                                      + "b = 3\n[search]\npoints = [{\"lr\": 0.25, \"b\": 4}]\n",
                                  request));
}

TEST(load, warns_of_conditions_that_never_hold) {
  auto uut = support::load_text(std::string{support::small}
                                + "k = choice(rbf, poly)\nx = randint(2, 6) if k == polly\n");

  ASSERT_TRUE(uut) << to_text(uut.faults);
  EXPECT_THAT(uut.warnings,
              Contains("/nowhere/digits.ini:8: [space] x: in its condition k == polly never "
                       "holds: k is choice(rbf, poly)"));
}

TEST(load, takes_signs_of_numbers) {
  auto uut
      = loaded(small_and("[resources]\ncpu = -0\n[experiment]\nnum_samples = +5\nseed = -0\n"));

  EXPECT_EQ(uut.experiment.num_samples, 5u);
  EXPECT_EQ(uut.experiment.seed, 0u);
  EXPECT_FALSE(std::signbit(uut.resources.cpu));
  EXPECT_FALSE(support::load_text(small_and("[experiment]\nnum_samples = 0x10\n")));
}

TEST(load, leaves_the_options_of_a_type_that_the_command_line_replaces) {
  auto with = support::request();
  with.overrides = {{"scheduler.type", "first"}};

  auto uut = support::load_text(small_and(std::string{halving_lines}), with);

  ASSERT_TRUE(uut) << to_text(uut.faults);
  EXPECT_EQ(uut.loaded->what.scheduler.type, "first");
  EXPECT_THAT(uut.loaded->what.scheduler.options, IsEmpty());
  EXPECT_THAT(uut.warnings,
              ElementsAre("command line --scheduler.type: [scheduler] type = first has no "
                          "grace_period (/nowhere/digits.ini:9), max_t (/nowhere/digits.ini:10); "
                          "left out"));
}

TEST(load, warns_of_a_mode_that_no_metric_goes_by) {
  auto with = support::request();
  with.overrides = {{"experiment.metric", "accuracy:min"}, {"experiment.mode", "max"}};

  auto uut = support::load_text(small_and(""), with);

  ASSERT_TRUE(uut) << to_text(uut.faults);
  EXPECT_FALSE(uut.loaded->what.experiment.objectives.front().maximise);
  EXPECT_THAT(uut.warnings,
              ElementsAre("command line --experiment.mode: [experiment] mode = max has no effect: "
                          "metric = accuracy:min says itself which way it is to go"));
  with.overrides = {{"experiment.metric", "accuracy:max"}, {"experiment.mode", "max"}};
  EXPECT_THAT(support::load_text(small_and(""), with).warnings, IsEmpty());
}

TEST(load, speaks_of_no_command_line_where_a_program_sets_keys) {
  auto with = support::request();
  with.overrides = {{"scheduler.type", "first"}};
  with.is_embedded = true;

  auto uut = support::load_text(small_and(std::string{halving_lines}), with);

  ASSERT_TRUE(uut) << to_text(uut.faults);
  EXPECT_THAT(uut.warnings,
              ElementsAre("run_options::set(\"scheduler.type\"): [scheduler] type = first has no "
                          "grace_period (/nowhere/digits.ini:9), max_t (/nowhere/digits.ini:10); "
                          "left out"));
  with.overrides = {{"experiment.num_samples", "-1"}};
  EXPECT_EQ(to_text(support::load_text(small_and(""), with).faults).find("command line"),
            std::string::npos);
}

TEST(load, leaves_the_options_of_a_type_that_the_environment_replaces) {
  auto with = support::request();
  with.environment = {{"TUNE_SEARCH_TYPE", "narrow"}};

  auto uut = support::load_text(small_and("[search]\ntype = any\nportion = 2\n"), with);

  ASSERT_TRUE(uut) << to_text(uut.faults);
  EXPECT_EQ(uut.loaded->what.search.type, "narrow");
  EXPECT_THAT(uut.warnings,
              ElementsAre("environment TUNE_SEARCH_TYPE: [search] type = narrow has no portion "
                          "(/nowhere/digits.ini:9); left out"));
}

TEST(load, leaves_the_options_of_the_environment_too_where_the_command_line_replaces_the_type) {
  auto with = support::request();
  with.environment = {{"TUNE_SCHEDULER_GRACE_PERIOD", "3"}};
  with.overrides = {{"scheduler.type", "first"}};

  auto uut = support::load_text(small_and(std::string{halving_lines}), with);

  ASSERT_TRUE(uut) << to_text(uut.faults);
  EXPECT_THAT(uut.warnings, ElementsAre(HasSubstr("grace_period (environment "
                                                  "TUNE_SCHEDULER_GRACE_PERIOD), max_t (")));
}

TEST(load, keeps_the_options_that_the_new_type_knows) {
  auto with = support::request();
  with.overrides = {{"scheduler.type", "halving"}};

  auto uut
      = support::load_text(small_and("[scheduler]\ntype = first\nmax_t = 9\nbracket = 2\n"), with);

  ASSERT_TRUE(uut) << to_text(uut.faults);
  EXPECT_EQ(option_texts(uut.loaded->what.scheduler.options).at("max_t"), "9");
  EXPECT_THAT(uut.warnings, ElementsAre(HasSubstr("has no bracket (")));
}

TEST(load, still_refuses_options_that_come_with_the_type_or_after_it) {
  auto refused = [](const std::string& lines, std::vector<named_text> overrides,
                    std::map<std::string, std::string> environment = {}) {
    auto with = support::request();
    with.overrides = std::move(overrides);
    with.environment = std::move(environment);
    auto uut = support::load_text(small_and(lines), with);
    return !uut && uut.faults.total() == 1 && uut.faults.list()[0].key == "max_t";
  };

  EXPECT_TRUE(refused("[scheduler]\ntype = first\nmax_t = 9\n", {}));
  EXPECT_TRUE(refused("[scheduler]\ntype = first\n", {{"scheduler.max_t", "9"}}));
  EXPECT_TRUE(refused("[scheduler]\ntype = halving\n",
                      {{"scheduler.type", "first"}, {"scheduler.max_t", "9"}}));
  EXPECT_TRUE(refused("[scheduler]\ntype = halving\n", {{"scheduler.max_t", "9"}},
                      {{"TUNE_SCHEDULER_TYPE", "first"}}));
  // A value that the new type knows is checked, wherever it comes from.
  EXPECT_TRUE(refused("[scheduler]\ntype = first\nmax_t = 0\n", {{"scheduler.type", "halving"}}));
}

TEST(load, takes_the_limit_of_other_runners_on_training_time) {
  auto with = support::request();
  with.environment = {{"TRIALRUNNER_WALLTIME_LIMIT", "30"}};
  auto text = "[experiment]\ntime_limit = 5s\ntraining_limit = 6s\n" + small_and("");

  EXPECT_EQ(loaded(text, with).experiment.training_limit, 30s);
  EXPECT_EQ(loaded(text, with).experiment.time_limit, 5s);
  with.environment.emplace("TUNE_EXPERIMENT_TRAINING_LIMIT", "40");
  EXPECT_EQ(loaded(text, with).experiment.training_limit, 40s);
}

TEST(load, names_the_source_of_what_is_wrong) {
  auto with = support::request();
  with.environment = {{"TUNE_EXPERIMENT_SEED", "x"}, {"TUNE_SPACE_LR", "unifrom(0, 1)"}};
  with.overrides = {{"experiment.mode", "x"}, {"failure.x", "1"}, {"falure.x", "1"}};

  auto uut = support::load_text(support::small, with);

  ASSERT_FALSE(uut);
  std::vector<std::string> shown;
  for (const auto& x : uut.faults.list())
    shown.push_back(to_text(x));
  EXPECT_THAT(shown,
              testing::UnorderedElementsAre(
                  testing::StartsWith("environment TUNE_EXPERIMENT_SEED: [experiment] seed = x"),
                  testing::StartsWith("environment TUNE_SPACE_LR: [space] \"lr\""),
                  testing::StartsWith("command line --experiment.mode: [experiment] mode = x"),
                  testing::StartsWith("command line --failure.x: [failure] unknown key \"x\""),
                  testing::StartsWith("command line --falure.x: unknown section [falure]; did "
                                      "you mean [failure]?")));
}

TEST(load, refuses_an_override_given_twice) {
  auto with = support::request();
  with.overrides = {{"experiment.seed", "1"}, {"experiment.seed", "2"}};

  EXPECT_EQ(support::load_text(support::small, with).faults.total(), 1u);
}

TEST(load, works_with_a_byte_order_mark_and_carriage_returns) {
  std::string text = "\xEF\xBB\xBF";
  for (auto c : support::small)
    text += c == '\n' ? std::string{"\r\n"} : std::string{c};

  EXPECT_EQ(loaded(text).experiment.objectives.front().metric, "accuracy");
}

TEST(load, keeps_hashes_through_all_layers) {
  auto with = support::request();
  with.environment = {{"TUNE_TRAINABLE_ENV__A", "#1"}};
  with.overrides = {{"trainable.env.B", "x #2"}};

  auto uut = loaded("[trainable]\nenv.C = \\#3\n" + small_and(""), with);

  EXPECT_THAT(uut.trainable.env,
              ElementsAre(named_text{"C", "#3"}, named_text{"A", "#1"}, named_text{"B", "x #2"}));
}

TEST(load, names_the_experiment_after_its_file) {
  auto uut = load_spec_text(support::small, "some/my.first.ini", support::request());

  ASSERT_TRUE(uut);
  EXPECT_EQ(uut.loaded->what.experiment.name, "my.first");
  EXPECT_EQ(std::filesystem::path{uut.loaded->what.ini_dir},
            std::filesystem::current_path() / "some");
}

TEST(load, does_without_a_trainable_where_none_is_needed) {
  auto with = support::request();
  with.needs_trainable = false;

  EXPECT_EQ(loaded("[experiment]\nmetric = a\n", with).trainable.kind, std::nullopt);
  // What is there counts for nothing.
  for (const auto* text :
       {"report = line\n", "command = ./not-there {y}\nmetric.b = b=(.)\n", "name = unknown\n",
        "kind = table\npath = not-there.csv\n", "kind = banana\n", "metric.foo = xx\n"})
    EXPECT_EQ(
        loaded("[experiment]\nmetric = a\n[trainable]\n" + std::string{text}, with).trainable.kind,
        std::nullopt);
}

TEST(load, finds_registered_trainables_and_their_kind) {
  trainable_registry known;
  known.add_function("bowl", [](session&) {});
  known.add_class("network", trainable_maker{[] { return std::unique_ptr<trainable>{}; }});
  auto with = support::request();
  with.trainables = &known;
  auto text = [](const std::string& name) {
    return "[experiment]\nmetric = a\n[trainable]\nname = " + name + "\n";
  };

  EXPECT_EQ(loaded(text("bowl"), with).trainable.kind, trainable_kind::function);
  EXPECT_EQ(loaded(text("network"), with).trainable.kind, trainable_kind::class_type);
  auto unknown = support::load_text(text("netwrk"), with);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(to_text(unknown.faults), HasSubstr("digits.ini:4: [trainable] name = netwrk"));
  EXPECT_THAT(to_text(unknown.faults), HasSubstr("did you mean \"network\"?"));
  auto wrong = support::load_text(text("bowl\nkind = class"), with);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(to_text(wrong.faults),
              HasSubstr("digits.ini:5: [trainable] kind: \"bowl\" is a function"));
}

TEST(load, has_actors_live_in_the_process_of_their_node) {
  auto something = std::make_shared<char>();
  trainable_registry known;
  known.add_actor("walker", {something, reinterpret_cast<const own_trainable*>(something.get())},
                  true);
  auto with = support::request();
  with.trainables = &known;
  auto text = [](const std::string& more) {
    return "[experiment]\nmetric = a\n[trainable]\nname = walker\n" + more;
  };

  auto uut = loaded(text(""), with).trainable;
  EXPECT_EQ(uut.kind, trainable_kind::actor);
  EXPECT_EQ(uut.isolation, isolation_kind::thread);
  EXPECT_EQ(loaded(text("kind = actor\nisolation = thread\n"), with).trainable.kind,
            trainable_kind::actor);
  for (const std::string wrong : {"isolation = process\n", "reuse_actors = true\n"}) {
    auto refused = support::load_text(text(wrong), with);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_THAT(to_text(refused.faults),
                HasSubstr("digits.ini:5: [trainable] " + wrong.substr(0, 9)));
    EXPECT_THAT(to_text(refused.faults), HasSubstr("kind = actor"));
  }
  auto not_a_class = support::load_text(text("kind = class\n"), with);
  EXPECT_THAT(to_text(not_a_class.faults), HasSubstr("\"walker\" is an actor"));
}

TEST(load, warns_of_scripts_that_trials_will_not_find) {
  auto dir = std::filesystem::path{testing::TempDir()} / "tune_load_test";
  std::filesystem::create_directories(dir);
  std::ofstream{dir / "train.py"} << "print()\n";
  std::ofstream{dir / "x.ini"}
      << "[experiment]\nmetric = a\n[trainable]\ncommand = python3 train.py\n[space]\nx = 1\n";

  auto uut = load_spec(dir / "x.ini", support::request());

  ASSERT_TRUE(uut) << to_text(uut.faults);
  ASSERT_EQ(uut.warnings.size(), 1u);
  EXPECT_THAT(uut.warnings[0], HasSubstr("x.ini:4"));
  EXPECT_THAT(uut.warnings[0], HasSubstr("write ./train.py"));
  std::filesystem::remove_all(dir);
}

TEST(load, warns_of_a_further_objective_that_no_expression_reads) {
  auto uut = support::load_text("[experiment]\nmetric = accuracy, loss\n[trainable]\n"
                                "command = /bin/true\nmetric.accuracy = (.*)\n[space]\nx = 1\n");

  ASSERT_TRUE(uut) << to_text(uut.faults);
  ASSERT_EQ(uut.warnings.size(), 1u);
  EXPECT_THAT(uut.warnings[0], HasSubstr("digits.ini:2"));
  EXPECT_THAT(uut.warnings[0], HasSubstr("no metric.loss reads it"));
}

TEST(load, warns_of_a_run_without_an_end_and_of_an_empty_space) {
  auto text = [](const char* more) {
    return std::string{"[experiment]\nmetric = a\nnum_samples = 0\n[trainable]\n"
                       "command = /bin/true\n[space]\n"}
           + more;
  };

  auto both = support::load_text(text(""));
  auto neither = support::load_text(text("x = uniform(0, 1)\n[stop]\nall_when = a > 1\n"));

  ASSERT_EQ(both.warnings.size(), 2u);
  EXPECT_THAT(both.warnings[0], HasSubstr("digits.ini:3: [experiment] num_samples = 0"));
  EXPECT_THAT(both.warnings[1], HasSubstr("digits.ini:6: [space] has no parameters"));
  EXPECT_EQ(neither.warnings.size(), 0u);
}

TEST(load, warns_of_a_space_in_which_nothing_varies) {
  auto warnings = [](const std::string& more) {
    return support::load_text("[experiment]\nmetric = a\nnum_samples = 4\n[trainable]\n"
                              "command = /bin/true\n[space]\nx = 1\n"
                              + more)
        .warnings;
  };

  EXPECT_THAT(warnings("y = 2 if x == 1\n"),
              ElementsAre(HasSubstr("digits.ini:7: [space] has nothing that varies: all trials are "
                                    "alike")));
  EXPECT_THAT(warnings("y = choice(1.5)\nz = randint(0, 1)\n"),
              ElementsAre(HasSubstr("nothing that varies")));
  EXPECT_THAT(warnings("y = uniform(0, 1)\n"), IsEmpty());
  EXPECT_THAT(warnings("y = choice(1.5, 2)\n"), IsEmpty());
  EXPECT_THAT(warnings("[search]\ntype = none\n"), IsEmpty());
}

TEST(load, takes_names_of_metrics_with_blanks_in_quotes) {
  const auto uut = support::load_text("[experiment]\nmetric = \"val loss\":min, size:min\n"
                                      "[trainable]\ncommand = /bin/true\n[space]\nx = 1\n");

  ASSERT_TRUE(uut.loaded);
  EXPECT_EQ(uut.loaded->what.experiment.objectives,
            (std::vector<objective>{{"val loss", false}, {"size", false}}));
}

TEST(load, warns_of_a_stop_at_a_high_value_of_what_is_minimised) {
  auto warnings = [](const std::string& mode, const std::string& lines) {
    return support::load_text("[experiment]\nmetric = f\nmode = " + mode
                              + "\nnum_samples = 4\n[trainable]\ncommand = ./a.out\n"
                                "metric.f = f={number}\n[space]\nx = uniform(0, 1)\n[stop]\n"
                              + lines)
        .warnings;
  };
  const auto told
      = HasSubstr("digits.ini:11: [stop] f = 8 ends a trial once f >= 8, and the "
                  "objective is minimised; to stop at a low value, write when = f <= 8");

  EXPECT_THAT(warnings("min", "f = 8\n"), Contains(told));
  const auto any = HasSubstr("the objective is minimised");
  EXPECT_THAT(warnings("max", "f = 8\n"), Not(Contains(any)));
  EXPECT_THAT(warnings("min", "g = 8\nwhen = f <= 8\n"), Not(Contains(any)));
}

TEST(load, warns_of_options_of_a_search_that_stand_in_stop) {
  auto warnings = [](const std::string& lines, const std::string& trainable = "") {
    return support::load_text("[experiment]\nmetric = batch\nnum_samples = 4\n[trainable]\n"
                              "command = ./a.out\n"
                              + trainable + "[space]\nx = uniform(0, 1)\n[stop]\n" + lines)
        .warnings;
  };
  auto taken = [](const std::string& line, const std::string& name) {
    return HasSubstr("digits.ini:9: [stop] " + line
                     + " is taken for a metric of that name; the option is [search] " + name);
  };

  // An option of one of the searchers, and a key that all of them have.
  EXPECT_THAT(warnings("portion = 0.01\n"), Contains(taken("portion = 0.01", "portion")));
  EXPECT_THAT(warnings("max_pending = 3\n"), Contains(taken("max_pending = 3", "max_pending")));
  // Metrics of the file, and keys of [stop] itself.
  auto none = Not(Contains(HasSubstr("is taken for a metric")));
  EXPECT_THAT(warnings("batch = 3\n"), none);
  EXPECT_THAT(warnings("portion = 10\n", "metric.portion = p={number}\n"), none);
  EXPECT_THAT(warnings("loss = 10\ntraining_iteration = 4\n"), none);
}

TEST(load, warns_of_a_list_that_looks_like_several_values) {
  auto warnings = [](const std::string& line) {
    return support::load_text("[experiment]\nmetric = a\nnum_samples = 4\n[trainable]\n"
                              "command = /bin/true\n[space]\ny = uniform(0, 1)\n"
                              + line)
        .warnings;
  };

  EXPECT_THAT(warnings("x = [0.1, 0.2]\n"),
              ElementsAre(AllOf(HasSubstr("digits.ini:8: [space] x: [0.1, 0.2] is one value"),
                                HasSubstr("write choice(0.1, 0.2) to try each of its items, or "
                                          "choice([0.1, 0.2])"))));
  EXPECT_THAT(warnings("x = choice([0.1, 0.2])\n"), IsEmpty());
  EXPECT_THAT(warnings("x = [64]\n"), IsEmpty());
}

TEST(load, warns_of_a_distribution_without_its_brackets) {
  auto warnings = [](const std::string& line) {
    return support::load_text("[experiment]\nmetric = a\nnum_samples = 4\n[trainable]\n"
                              "command = /bin/true\n[space]\ny = uniform(0, 1)\n"
                              + line)
        .warnings;
  };

  EXPECT_THAT(warnings("x = loguniform\n"),
              ElementsAre(AllOf(HasSubstr("digits.ini:8: [space] x: loguniform is one text, the "
                                          "same in all trials; write loguniform(…)"),
                                HasSubstr("or \"loguniform\" if the text is meant"))));
  EXPECT_THAT(warnings("x = randn if y > 0.5\n"), ElementsAre(HasSubstr("x: randn is one text")));
  EXPECT_THAT(warnings("x = choice\n"), ElementsAre(HasSubstr("x: choice is one text")));
  for (const auto* meant : {"x = \"loguniform\"\n", "x = adam\n", "x = uniform_\n",
                            "x = choice(uniform, randn)\n", "x = 3\n"})
    EXPECT_THAT(warnings(meant), IsEmpty()) << meant;
}

TEST(load, warns_of_keys_that_mean_nothing_for_a_function) {
  auto uut = support::load_text("[experiment]\nmetric = a\n[trainable]\nname = f\n"
                                "kind = function\nreport = final\nenv.X = 1\n[space]\nx = 1\n");

  ASSERT_TRUE(uut) << to_text(uut.faults);
  ASSERT_EQ(uut.warnings.size(), 2u);
  EXPECT_THAT(uut.warnings[0], HasSubstr("digits.ini:6: [trainable] report: has no meaning"));
  EXPECT_THAT(uut.warnings[1], HasSubstr("digits.ini:7: [trainable] env.X: has no meaning"));
}

TEST(load, does_not_warn_of_defaults_that_are_written_out) {
  for (const auto* keys : {"command = /bin/true\nreport_on =\nstream = stdout\n",
                           "name = f\nkind = function\nreport = line\npty = auto\n"}) {
    auto uut = support::load_text("[experiment]\nmetric = a\n[trainable]\n" + std::string{keys}
                                  + "[space]\nx = 1\n");

    ASSERT_TRUE(uut) << to_text(uut.faults);
    EXPECT_EQ(uut.warnings, std::vector<std::string>{}) << keys;
  }
}

TEST(load, warns_of_no_line_that_reports_what_files_hold) {
  auto uut = support::load_text("[experiment]\nmetric = a\n[trainable]\ncommand = /bin/true\n"
                                "metric.a = file:r.json:/a\nreport_on = ^x\nstream = both\n"
                                "[space]\nx = 1\n");

  ASSERT_TRUE(uut) << to_text(uut.faults);
  EXPECT_EQ(uut.warnings, std::vector<std::string>{});
}

TEST(load, warns_where_output_is_read_by_nobody) {
  auto uut = support::load_text("[experiment]\nmetric = a\n[trainable]\ncommand = /bin/true\n"
                                "report_on = ^x\nstream = both\n[space]\nx = 1\n");

  ASSERT_EQ(uut.warnings.size(), 2u);
  EXPECT_THAT(uut.warnings[0], HasSubstr("digits.ini:5: [trainable] report_on: has no meaning"));
  EXPECT_THAT(uut.warnings[1], HasSubstr("digits.ini:6: [trainable] stream: has no meaning"));
}

TEST(load, of_a_record_warns_only_of_what_is_given_beside_it) {
  auto with = support::request();
  with.is_record = true;
  const std::string text = "[experiment]\nmetric = a\nnum_samples = 0\n[trainable]\n"
                           "command = /bin/true\nreport_on = ^x\n[space]\n";

  auto alone = support::load_text(text, with);
  with.overrides = {{"trainable.stream", "both"}};
  auto beside = support::load_text(text, with);

  ASSERT_TRUE(alone) << to_text(alone.faults);
  EXPECT_EQ(alone.warnings, std::vector<std::string>{});
  ASSERT_EQ(beside.warnings.size(), 1u);
  EXPECT_THAT(beside.warnings[0], HasSubstr("command line --trainable.stream: [trainable] stream"));
}

TEST(load, of_a_record_names_no_line_that_nobody_wrote) {
  auto with = support::request();
  with.is_record = true;

  auto uut = support::load_text("[experiment]\nmetric = a\n[trainable]\ncommand = /bin\n"
                                "[space]\nx = 1\n",
                                with);

  ASSERT_FALSE(uut);
  EXPECT_EQ(to_text(uut.faults),
            "as recorded: [trainable] command: \"/bin\" is a directory, not a program");
}

TEST(load, of_a_record_leaves_files_that_are_gone_to_who_goes_on) {
  const std::string text = "[experiment]\nmetric = a\n[trainable]\ncommand = /nowhere/train {x}\n"
                           "files = /nowhere/x\ntemplate = /nowhere/y -> y\n[space]\nx = 1\n";
  auto with = support::request();
  EXPECT_FALSE(support::load_text(text, with));

  with.is_record = true;
  auto uut = support::load_text(text, with);
  EXPECT_TRUE(uut) << to_text(uut.faults);

  // Files that are named anew must exist at once.
  with.overrides = {{"trainable.command", "/elsewhere/train {x}"}};
  EXPECT_FALSE(support::load_text(text, with));
}

TEST(load, takes_points_with_dotted_names_and_whole_floats) {
  auto uut = loaded("[experiment]\nmetric = a\n[trainable]\ncommand = /bin/true\n"
                    "[space]\nopt.lr = uniform(0, 2)\nn = randint(1, 4)\n"
                    "[search]\npoints = [{\"opt.lr\": 1, \"n\": 2}, {\"opt\": {\"lr\": 1}}]\n");

  EXPECT_THAT(uut.search.points, ElementsAre(object{{"opt", object{{"lr", 1.0}}}, {"n", 2}},
                                             object{{"opt", object{{"lr", 1.0}}}}));
}

TEST(take_overrides, sorts_words_out) {
  auto uut = take_overrides({"run", "--experiment.seed", "7", "x.ini", "--space.lr=uniform(0, 1)",
                             "--resume", "--space.x", "-1", "--output=a.b", "--", "--a.b"});

  ASSERT_TRUE(uut);
  EXPECT_THAT(uut->overrides,
              ElementsAre(named_text{"experiment.seed", "7"},
                          named_text{"space.lr", "uniform(0, 1)"}, named_text{"space.x", "-1"}));
  EXPECT_THAT(uut->rest, ElementsAre("run", "x.ini", "--resume", "--output=a.b", "--", "--a.b"));
}

TEST(take_overrides, refuses_options_without_a_value) {
  EXPECT_FALSE(take_overrides({"--experiment.seed"}));
  EXPECT_FALSE(take_overrides({"--experiment.seed", "--resume"}));
}

TEST(environment_of, splits_variables) {
  const char* variables[] = {"A=1", "B=", "C=x=y", "nonsense", nullptr};

  EXPECT_THAT(
      environment_of(variables),
      ElementsAre(testing::Pair("A", "1"), testing::Pair("B", ""), testing::Pair("C", "x=y")));
}

TEST(convert, makes_the_settings_of_the_engine) {
  auto uut = settings_of(loaded(
      "[experiment]\nseed = 7\nnum_samples = 12\nmax_concurrent_trials = 3\ntime_limit = 2h\n"
      "[resources]\ncpu = 0.5\ngpu = 2\nmemory = 1KiB\ncustom.licence = 2\nstrategy = strict_pack\n"
      "bundles = [{\"gpu\": 0.25, \"custom.licence\": 1}]\n"
      "[failure]\nmax_failures = 2\nmax_timeouts = 5\nmax_node_losses = unlimited\nbackoff = 2s\n"
      "[checkpoint]\nfrequency = 3\nat_end = true\n[cluster]\nqueue_trials = on\nstop_grace = 4s\n"
      + small_and("")));

  EXPECT_EQ(uut.seed, 7u);
  EXPECT_EQ(uut.max_trials, 12u);
  EXPECT_EQ(uut.max_concurrent, 3u);
  EXPECT_EQ(uut.time_limit, 2h);
  EXPECT_EQ(uut.stop_grace, 4s);
  EXPECT_TRUE(uut.queue_trials);
  EXPECT_EQ(uut.checkpoints.frequency, 3u);
  EXPECT_TRUE(uut.checkpoints.at_end);
  auto budget = [&](end_class x) { return uut.failures.budget[static_cast<std::size_t>(x)]; };
  EXPECT_EQ(budget(end_class::user_error), 2u);
  EXPECT_EQ(budget(end_class::timeout), 5u);
  EXPECT_EQ(budget(end_class::killed), 2u);
  EXPECT_EQ(budget(end_class::node_lost), failure_policy::unlimited);
  EXPECT_EQ(uut.failures.backoff, 2s);
  EXPECT_EQ(uut.request.placement, resource_request::strategy::strict_pack);
  ASSERT_EQ(uut.request.bundles.size(), 2u);
  EXPECT_EQ(uut.request.bundles[0],
            (resources{amount::of(0.5), amount::of(2), 1024, {{"licence", amount::of(2)}}}));
  EXPECT_EQ(uut.request.bundles[1],
            (resources{{}, amount::of(0.25), 0, {{"licence", amount::of(1)}}}));
}

TEST(convert, bounds_what_the_searcher_has_under_way) {
  auto plain = settings_of(loaded(small_and("")));
  auto bound = settings_of(loaded(small_and("[search]\nmax_pending = 4\nbatch = true\n")));

  EXPECT_EQ(plain.max_pending, 0u);
  EXPECT_FALSE(plain.in_batches);
  EXPECT_EQ(bound.max_pending, 4u);
  EXPECT_TRUE(bound.in_batches);
}

TEST(convert, gives_each_rank_a_bundle) {
  auto bundles_of = [](const std::string& ranks, const std::string& resources) {
    return settings_of(loaded("[trainable]\ncommand = a\nranks = " + ranks
                              + "\n[resources]\ncpu = 2\n" + resources
                              + "[experiment]\nmetric = loss\nmode = min\n[space]\nx = 1\n"))
        .request.bundles;
  };
  const resources own{amount::of(2), {}, 0, {}};
  const resources other{amount::of(3), {}, 0, {}};

  EXPECT_THAT(bundles_of("1", ""), ElementsAre(own));
  EXPECT_THAT(bundles_of("3", ""), ElementsAre(own, own, own));
  EXPECT_THAT(bundles_of("bundles", "bundles = [{\"cpu\": 3}]\n"), ElementsAre(own, other));
  EXPECT_THAT(bundles_of("2", "bundles = [{\"cpu\": 3}]\n"), ElementsAre(own, other));
}

TEST(convert, lays_the_overrides_over_what_a_machine_has) {
  spec x;
  x.cluster.cpus = 3;
  x.cluster.custom = {{"licence", "2"}};

  auto uut = offered_by(x, {amount::of(8), amount::of(1), 1024, {}});

  EXPECT_EQ(uut, (resources{amount::of(3), amount::of(1), 1024, {{"licence", amount::of(2)}}}));
}

TEST(convert, finds_paths) {
  spec x;
  x.ini_dir = "/home/u";
  x.experiment.name = "a";

  EXPECT_EQ(against_ini(x, "./data/x.csv"), "/home/u/data/x.csv");
  EXPECT_EQ(against_ini(x, "/x.csv"), "/x.csv");
  EXPECT_EQ(experiment_directory(x, "/tmp"), "/tmp/results/a");
}

} // namespace

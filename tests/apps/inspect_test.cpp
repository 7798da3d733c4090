// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/trials.hpp"

#include "io/scratch_directory.hpp"
#include "sample.hpp"

#include "inspect/experiment_directory.hpp"
#include "inspect/list.hpp"
#include "tune/core/trial/end_reasons.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/experiment_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

namespace tune::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

/// A recorded experiment: a finished trial, one that ASHA stopped, one that failed.
class inspect_test : public samples::scratch_directory {
protected:
  std::filesystem::path directory() const { return root / "results" / "digits"; }

  void SetUp() override {
    samples::scratch_directory::SetUp();
    spec what;
    what.experiment.name = "digits";
    what.experiment.objectives = {{"loss", false}};
    auto store = experiment_store::create(directory());
    ASSERT_TRUE(store) << store.error().detail;
    std::vector<store_item> items;
    items.emplace_back(event{1, 0s, on::opened{1, "0.1.0", to_json(what), 7}});
    end_trial(items, 0, trial_status::terminated, "finished", 0.5, end_class::finished);
    end_trial(items, 1, trial_status::terminated, "stopped by asha", 0.75, end_class::stopped);
    items.emplace_back(
        2, cmd::decision_taken{
               {1}, {1, 2}, 4, "stop", {{"rule", "asha"}, {"rung", 1}, {"cutoff", 0.6125}}});
    end_trial(items, 2, trial_status::errored, "exit status 1", std::nullopt,
              end_class::user_error);
    auto written = store->write(items);
    ASSERT_TRUE(written) << written.error().detail;
  }

  static void end_trial(std::vector<store_item>& to, std::uint64_t number, trial_status status,
                        const std::string& reason, std::optional<double> loss, end_class how) {
    cmd::trial_changed row;
    row.trial = {number};
    row.status = status;
    row.config = sample::shared({{"lr", 0.1 * static_cast<double>(number + 1)}});
    row.origin = "random";
    row.reason = reason;
    if (loss) {
      auto made = std::make_shared<report>();
      made->trial = row.trial;
      made->iteration = 4;
      made->time_total = 8s;
      made->metrics = sample::shared({{"loss", *loss}});
      row.last = row.best = made;
    } else {
      row.failures = 1;
      row.error = "Traceback\n\x1b[31mValueError: no\x1b[0m";
    }
    cmd::attempt_changed attempt;
    attempt.trial = row.trial;
    attempt.attempt = {1, number + 1};
    attempt.node = "node-a";
    attempt.config = row.config;
    attempt.began = 1s;
    attempt.finished = 3s;
    attempt.how = how;
    attempt.exit_status = status == trial_status::errored ? 1 : 0;
    auto seq = number + 2;
    to.emplace_back(event{seq, std::chrono::seconds{seq},
                          on::ended{row.trial, attempt.attempt, how, "", attempt.exit_status}});
    to.emplace_back(seq, row);
    to.emplace_back(seq, attempt);
  }

  std::string shown(trials_request what, output_format format = output_format::table) {
    if (what.directory.empty())
      what.directory = directory().string();
    std::ostringstream out;
    auto result = show_trials(what, format, {}, out);
    EXPECT_TRUE(result) << result.error().detail;
    return out.str();
  }

  error refused(const trials_request& what) {
    std::ostringstream out;
    auto result = show_trials(what, output_format::table, {}, out);
    EXPECT_FALSE(result);
    EXPECT_EQ(out.str(), "");
    return result ? error{} : result.error();
  }

  static trials_request of(const std::filesystem::path& where) {
    trials_request result;
    result.directory = where.string();
    return result;
  }
};

TEST_F(inspect_test, lists_all_trials) {
  EXPECT_EQ(shown({}), R"(trial  status      iter  loss   lr  reason           failures
00000  TERMINATED     4   0.5  0.1  finished
00001  TERMINATED     4  0.75  0.2  stopped by asha
00002  ERRORED        0     -  0.3  exit status 1           1
)");
}

TEST_F(inspect_test, says_which_trials_there_are_none_of) {
  trials_request what;
  what.status = trial_status::running;
  EXPECT_EQ(shown(what), "no trial is RUNNING\n");
  EXPECT_EQ(shown(what, output_format::json), "[]\n");
  EXPECT_THAT(shown(what, output_format::csv), StartsWith("trial,status,"));

  what.pareto = true;
  EXPECT_EQ(shown(what), "no RUNNING trial is on the Pareto front\n");
  // The one that failed has no value.
  what.status = trial_status::errored;
  EXPECT_EQ(shown(what), "no ERRORED trial is on the Pareto front\n");
  what.status = trial_status::terminated;
  EXPECT_THAT(shown(what), StartsWith("trial  status"));

  what = of(directory());
  what.status = trial_status::paused;
  what.columns = {"nonsense"};
  EXPECT_EQ(refused(what).code, ec::unknown_name);
}

TEST_F(inspect_test, says_that_no_trial_is_on_the_front_where_all_miss_the_constraints) {
  const auto other = root / "results" / "missed";
  spec missed;
  missed.experiment.name = "missed";
  missed.experiment.objectives = {{"loss", false}};
  missed.experiment.constraints = {metric_comparison{"loss", metric_comparison::op::at_most, 0.25}};
  auto store = experiment_store::create(other);
  ASSERT_TRUE(store) << store.error().detail;
  std::vector<store_item> items;
  items.emplace_back(event{1, 0s, on::opened{1, "0.1.0", to_json(missed), 7}});
  end_trial(items, 0, trial_status::terminated, "finished", 0.5, end_class::finished);
  auto written = store->write(items);
  ASSERT_TRUE(written) << written.error().detail;

  auto what = of(other);
  EXPECT_THAT(shown(what), HasSubstr("00000"));
  what.pareto = true;
  EXPECT_EQ(shown(what), "no trial is on the Pareto front\n");
}

TEST_F(inspect_test, can_read_a_running_experiment_as_of_one_moment) {
  auto uut = open_experiment(directory(), seen_at::one_moment);
  ASSERT_TRUE(uut);
  cmd::trial_changed row;
  row.trial = {3};
  row.status = trial_status::running;
  row.config = sample::shared({{"lr", 0.4}});
  std::vector<store_item> items;
  items.emplace_back(event{5, 5s, on::stop_asked{}});
  items.emplace_back(5, row);
  ASSERT_TRUE(experiment_store::open(directory())->write(items));

  trial_query running;
  running.status = trial_status::running;
  EXPECT_EQ(uut->recorded.row.counts[static_cast<std::size_t>(trial_status::running)], 0u);
  EXPECT_TRUE(uut->reader.trials(running)->empty());
  auto now = open_experiment(directory());
  ASSERT_TRUE(now);
  EXPECT_EQ(now->recorded.row.counts[static_cast<std::size_t>(trial_status::running)], 1u);
  EXPECT_EQ(now->reader.trials(running)->size(), 1u);
}

TEST_F(inspect_test, has_no_metrics_of_the_best_report_where_no_report_is_the_best) {
  auto made = std::make_shared<report>();
  made->iteration = 4;
  made->metrics = sample::shared({{"loss", std::nan("")}, {"mem", 16}});
  cmd::trial_changed row;
  row.trial = made->trial = {3};
  row.status = trial_status::running;
  row.config = sample::shared({{"lr", 0.4}});
  row.last = made;
  std::vector<store_item> items;
  items.emplace_back(event{5, 5s, on::reported{made}});
  items.emplace_back(5, row);
  ASSERT_TRUE(experiment_store::open(directory())->write(items));
  trials_request what;
  what.columns = {"trial", "mem"};

  EXPECT_EQ(shown(what, output_format::csv), "trial,mem\n00000,\n00001,\n00002,\n00003,\n");
  what.scope = metric_scope::last;
  EXPECT_THAT(shown(what, output_format::csv), HasSubstr("00003,16\n"));
}

/// Trial 0 reports with lr = 1, twice with lr = 2, and takes over lr = 3 with the last report.
class population_test : public inspect_test {
protected:
  void SetUp() override {
    samples::scratch_directory::SetUp();
    spec what;
    what.experiment.name = "digits";
    what.experiment.objectives = {{"loss", false}};
    std::vector<store_item> items;
    items.emplace_back(event{1, 0s, on::opened{1, "0.1.0", to_json(what), 7}});
    cmd::trial_changed row;
    sequence seq = 1;
    const std::pair<std::uint64_t, double> reports[] = {{1, 0.25}, {2, 0.75}, {2, 0.5}};
    for (const auto& [attempt, loss] : reports) {
      auto made = std::make_shared<report>();
      made->attempt = {1, attempt};
      made->number = made->iteration = seq;
      made->metrics = sample::shared({{"loss", loss}});
      row.last = made;
      row.best = row.best ? row.best : made;
      items.emplace_back(event{++seq, 1s, on::reported{made}});
    }
    for (std::uint64_t i = 1; i <= 3; ++i) {
      cmd::attempt_changed run;
      run.attempt = {1, i};
      run.lineage = i;
      row.config = run.config = sample::shared({{"lr", static_cast<double>(i)}});
      items.emplace_back(seq, run);
    }
    row.lineage = 3;
    items.emplace_back(seq, row);
    auto store = experiment_store::create(directory());
    ASSERT_TRUE(store) << store.error().detail;
    ASSERT_TRUE(store->write(items));
  }
};

TEST_F(population_test, shows_a_value_with_the_configuration_that_reported_it) {
  const std::map<metric_scope, std::string> wanted{
      {metric_scope::best, "0.25,1"}, {metric_scope::last, "0.5,2"},
      {metric_scope::min, "0.25,1"},  {metric_scope::max, "0.75,2"},
      {metric_scope::avg, "0.5,2"},   {metric_scope::last_5_avg, "0.5,2"}};
  for (const auto& [scope, line] : wanted) {
    trials_request what;
    what.scope = scope;
    what.columns = {"loss", "lr"};
    EXPECT_EQ(shown(what, output_format::csv), "loss,lr\n" + line + "\n")
        << static_cast<int>(scope);
  }
}

TEST_F(inspect_test, lists_in_the_order_asked_for) {
  trials_request what;
  what.sort = "objective";
  what.limit = 1;
  EXPECT_THAT(shown(what, output_format::csv), HasSubstr("\n00000,"));

  what.sort = "trial";
  what.reverse = true;
  EXPECT_THAT(shown(what, output_format::csv), HasSubstr("\n00002,"));

  what.limit.reset();
  what.reverse = false;
  what.status = trial_status::errored;
  EXPECT_EQ(shown(what, output_format::csv),
            "trial,status,iterations,loss,config.lr,reason,failures,best_iteration,time_total_s,"
            "created_s,ended_s,node,attempts,checkpoint,origin,error\n"
            "00002,ERRORED,0,,0.30000000000000004,exit status 1,1,,0,4,4,node-a,1,,random,"
            "\"Traceback\n\\x1b[31mValueError: no\\x1b[0m\"\n");
}

TEST_F(inspect_test, shows_the_columns_that_were_named) {
  trials_request what;
  what.columns = {"trial", "node", "lr"};
  what.limit = 1;
  EXPECT_EQ(shown(what), "trial  node     lr\n00000  node-a  0.1\n");
  EXPECT_EQ(shown(what, output_format::csv), "trial,node,lr\n00000,node-a,0.1\n");
  EXPECT_EQ(shown(what, output_format::jsonl),
            "{\"trial\":\"00000\",\"node\":\"node-a\",\"lr\":0.1}\n");
  what.columns = {"config.lr"};
  EXPECT_EQ(shown(what, output_format::csv), "config.lr\n0.1\n");

  what.columns = {"nodes"};
  what.directory = directory().string();
  EXPECT_THAT(refused(what).detail, HasSubstr("did you mean 'node'?"));
}

TEST_F(inspect_test, sorts_in_the_direction_asked_for) {
  trials_request what;
  what.limit = 1;
  for (const auto& [key, first] : std::map<std::string, std::string>{{"loss:asc", "00000"},
                                                                     {"loss:desc", "00001"},
                                                                     {"lr:desc", "00002"},
                                                                     {"node:asc", "00000"}}) {
    what.sort = key;
    EXPECT_THAT(shown(what, output_format::csv), HasSubstr("\n" + first + ",")) << key;
  }
}

TEST_F(inspect_test, groups_failures) {
  trials_request what;
  what.failed = true;
  EXPECT_THAT(shown(what, output_format::csv),
              StartsWith("count,class,text,trials\n1,user_error,"));
}

TEST_F(inspect_test, takes_the_database_for_its_directory) {
  EXPECT_EQ(shown(of(database_file(directory()))), shown({}));
}

TEST_F(inspect_test, tells_why_a_trial_was_stopped) {
  trials_request what;
  what.why = trial_id{1};
  EXPECT_EQ(shown(what), R"(trial 00001 TERMINATED at iteration 4
  reason: stopped by asha
  config: lr=0.2
  origin: random
  best: loss 0.75 at iteration 4
  reached: loss=0.75
attempts
  attempt  node    from     started  ended  how      exit
  1.2      node-a  scratch     1.0s   3.0s  stopped     0
decisions
  iter  action  why                             attempt
     4  stop    rule=asha rung=1 cutoff=0.6125  1.2
)");
}

TEST_F(inspect_test, tells_why_a_trial_failed) {
  trials_request what;
  what.why = trial_id{2};
  EXPECT_EQ(shown(what), R"(trial 00002 ERRORED at iteration 0, 1 failure
  reason: exit status 1
  config: lr=0.3
  origin: random
attempts
  attempt  node    from     started  ended  how         exit
  1.3      node-a  scratch     1.0s   3.0s  user_error     1
error
  | Traceback
  | ValueError: no
)");
}

TEST_F(inspect_test, tells_programs_the_same) {
  trials_request what;
  what.why = trial_id{1};
  EXPECT_EQ(shown(what, output_format::csv),
            "seq,attempt,iteration,action,reason\n"
            "2,1.2,4,stop,\"{\"\"rule\"\":\"\"asha\"\",\"\"rung\"\":1,\"\"cutoff\"\":0.6125}\"\n");
  EXPECT_EQ(
      shown(what, output_format::json),
      R"({"trial":"00001","status":"TERMINATED","iterations":4,"config":{"lr":0.2},"origin":"random","suggestion":null,"reason":"stopped by asha","error":"","failures":0,"metrics":{"loss":0.75},"best_metrics":{"loss":0.75},"best_iteration":4,"best_config":{"lr":0.2},"best_checkpoint":null,"attempts":[{"attempt":"1.2","lineage":1,"node":"node-a","checkpoint":null,"donor":null,"started_s":1.0,"ended_s":3.0,"end":"stopped","exit_status":0,"detail":"","costs":null}],"decisions":[{"seq":2,"attempt":"1.2","iteration":4,"action":"stop","reason":{"rule":"asha","rung":1,"cutoff":0.6125}}],"checkpoints":[],"exports":[]}
)");
}

TEST_F(inspect_test, says_that_an_experiment_has_not_begun) {
  const auto other = root / "results" / "other";
  auto store = experiment_store::create(other);
  ASSERT_TRUE(store) << store.error().detail;
  trials_request what;
  what.directory = other.string();
  std::ostringstream out;

  auto shown = show_trials(what, output_format::table, {}, out);

  ASSERT_FALSE(shown);
  EXPECT_EQ(shown.error().code, ec::unreadable);
  EXPECT_THAT(shown.error().detail, HasSubstr("has not begun yet"));
}

TEST_F(inspect_test, refuses_a_record_that_names_no_metric) {
  const auto other = root / "results" / "other";
  auto store = experiment_store::create(other);
  ASSERT_TRUE(store) << store.error().detail;
  auto written = store->write(std::vector<store_item>{
      store_item{event{1, 0s, on::opened{1, "0.1.0", to_json(spec{}), 7}}}});
  ASSERT_TRUE(written) << written.error().detail;
  trials_request what;
  what.directory = other.string();
  std::ostringstream out;

  auto shown = show_trials(what, output_format::table, {}, out);

  ASSERT_FALSE(shown);
  EXPECT_THAT(shown.error().detail, HasSubstr("it names no metric"));
}

TEST_F(inspect_test, says_which_directory_is_missing) {
  auto why = refused(of(root / "nowhere"));
  EXPECT_EQ(why.code, ec::unreadable);
  EXPECT_EQ(why.detail, (root / "nowhere").string() + ": no such directory");
}

TEST_F(inspect_test, names_experiments_below_a_directory_without_one) {
  auto why = refused(of(root / "results"));
  EXPECT_EQ(why.code, ec::unreadable);
  EXPECT_EQ(why.detail, (root / "results").string()
                            + ": no experiment here (no experiment.db); did you mean "
                            + directory().string() + "?");

  std::filesystem::create_directories(root / "empty");
  EXPECT_EQ(refused(of(root / "empty")).detail,
            (root / "empty").string() + ": no experiment here (no experiment.db)");
}

TEST_F(inspect_test, says_that_a_file_is_no_directory) {
  std::ofstream{root / "file"} << "x";
  EXPECT_EQ(refused(of(root / "file")).detail, (root / "file").string() + ": not a directory");
}

TEST_F(inspect_test, says_that_a_directory_may_not_be_entered) {
  std::filesystem::create_directories(root / "shut" / "inside");
  std::filesystem::permissions(root, std::filesystem::perms{0755});
  std::filesystem::permissions(root / "shut", std::filesystem::perms::none);

  // Root may read everywhere: the child is nobody.
  const auto child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && ::setuid(nobody) != 0)
      ::_exit(1);
    for (const auto& path : {root / "shut", root / "shut" / "inside"}) {
      if (refused(of(path)) != error{ec::storage, path.string() + ": Permission denied"})
        ::_exit(2);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  std::filesystem::permissions(root / "shut", std::filesystem::perms::owner_all);
}

TEST_F(inspect_test, refuses_what_is_no_database) {
  std::filesystem::create_directories(root / "fake");
  std::ofstream{root / "fake" / "experiment.db"} << std::string(5000, 'x');
  EXPECT_EQ(refused(of(root / "fake")).code, ec::storage);
}

TEST_F(inspect_test, refuses_a_newer_version) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(database_file(directory()).c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "PRAGMA user_version = 999", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);

  auto why = refused(of(directory()));

  EXPECT_EQ(why.code, ec::storage);
  EXPECT_THAT(why.detail, HasSubstr("999"));
}

TEST_F(inspect_test, says_that_there_is_no_such_trial_or_key) {
  auto what = of(directory());
  what.why = trial_id{99};
  EXPECT_EQ(refused(what).code, ec::unknown_name);
  EXPECT_EQ(refused(what).detail, directory().string() + ": there is no trial 00099");

  what.why.reset();
  what.sort = "los";
  EXPECT_EQ(refused(what).code, ec::unknown_name);
  EXPECT_EQ(refused(what).detail,
            "--sort 'los': no trial has such a column, metric or parameter; did you mean 'loss'?");
}

std::vector<std::uint64_t> sorted(const std::string& key, bool reverse = false) {
  using enum trial_status;
  std::vector<listed_trial> rows{
      {{0}, errored, 5, {std::nan(""), 1}, sample::shared({{"lr", 0.5}, {"opt", "sgd"}}), "", 2},
      {{1}, terminated, 7, {0.25, 3}, sample::shared({{"lr", 0.1}, {"opt", "adam"}}), "", 0},
      {{2}, pending, 0, {}, sample::shared({{"lr", 2}}), "", 0},
      {{3}, terminated, 7, {0.75, 2}, sample::shared({{"a", object{{"b", true}}}}), "", 1}};
  auto result = sort_trials(rows, {{"accuracy", true}, {"latency", false}}, key, reverse);
  EXPECT_TRUE(result);
  std::vector<std::uint64_t> numbers;
  for (const auto& x : rows)
    numbers.push_back(x.trial.number);
  return numbers;
}

TEST(sort_trials, knows_parameters_that_no_trial_has) {
  std::vector<listed_trial> rows{{{1}, trial_status::pending, 0, {}, sample::shared({{"lr", 2}})},
                                 {{0}, trial_status::pending, 0, {}, sample::shared({{"lr", 3}})}};
  for (const auto* key : {"momentum", "config.momentum"}) {
    EXPECT_FALSE(sort_trials(rows, {{"accuracy", true}}, key, false)) << key;
    EXPECT_TRUE(sort_trials(rows, {{"accuracy", true}}, key, false, {"lr", "momentum"})) << key;
  }
  EXPECT_EQ(rows.front().trial.number, 1U) << "the order stays";
}

TEST(sort_trials, knows_fixed_keys_objectives_and_parameters) {
  using testing::ElementsAre;
  EXPECT_THAT(sorted("trial"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(sorted("status"), ElementsAre(2, 1, 3, 0));
  EXPECT_THAT(sorted("iterations"), ElementsAre(2, 0, 1, 3));
  EXPECT_THAT(sorted("failures", true), ElementsAre(0, 3, 1, 2));
  EXPECT_THAT(sorted("objective"), ElementsAre(3, 1, 0, 2)) << "best first, NaN and none last";
  EXPECT_THAT(sorted("objective", true), ElementsAre(1, 3, 0, 2)) << "still last";
  EXPECT_THAT(sorted("latency"), ElementsAre(0, 3, 1, 2)) << "the least is best";
  EXPECT_THAT(sorted("lr"), ElementsAre(1, 0, 2, 3));
  EXPECT_THAT(sorted("opt"), ElementsAre(1, 0, 2, 3));
  EXPECT_THAT(sorted("a.b"), ElementsAre(3, 0, 1, 2));
}

TEST(sort_trials, orders_a_parameter_alike_by_its_own_name_and_by_that_of_its_column) {
  using testing::ElementsAre;
  const std::vector<value> mixed{true, "b", 2, nullptr, false, "1", value::list{"a", 1}, 0.5};
  auto order_by = [&](const std::string& name, const std::string& key) {
    std::vector<listed_trial> rows;
    for (const auto& x : mixed)
      rows.push_back({{rows.size()}, trial_status::pending, 0, {}, sample::shared({{name, x}})});
    EXPECT_TRUE(sort_trials(rows, {{"accuracy", true}}, key, false)) << key;
    std::vector<std::uint64_t> numbers;
    for (const auto& x : rows)
      numbers.push_back(x.trial.number);
    return numbers;
  };

  // Numbers, then texts: "1", ["a",1] as JSON, "b", false, null, true.
  EXPECT_THAT(order_by("kind", "kind"), ElementsAre(7, 2, 5, 6, 1, 4, 3, 0));
  EXPECT_THAT(order_by("kind", "config.kind"), ElementsAre(7, 2, 5, 6, 1, 4, 3, 0));
  EXPECT_THAT(order_by("trial", "config.trial"), ElementsAre(7, 2, 5, 6, 1, 4, 3, 0));
}

TEST(sort_trials, tells_parameters_from_columns_of_the_same_name) {
  using testing::ElementsAre;
  auto order_by = [&](const std::string& key) {
    std::vector<listed_trial> rows;
    for (int i = 0; i < 3; ++i) {
      rows.push_back({{static_cast<std::uint64_t>(i)},
                      trial_status::terminated,
                      1,
                      {},
                      sample::shared({{"time_total_s", 3 - i}, {"lr", 3 - i}})});
      rows.back().age = std::chrono::seconds{i};
      rows.back().details = std::make_shared<const trial_details>();
    }
    EXPECT_TRUE(sort_trials(rows, {{"accuracy", true}}, key, false)) << key;
    std::vector<std::uint64_t> numbers;
    for (const auto& x : rows)
      numbers.push_back(x.trial.number);
    return numbers;
  };

  EXPECT_THAT(order_by("time_total_s"), ElementsAre(0, 1, 2)) << "the column";
  EXPECT_THAT(order_by("config.time_total_s"), ElementsAre(2, 1, 0));
  EXPECT_THAT(order_by("lr"), ElementsAre(2, 1, 0));
}

TEST(sort_trials, tells_objectives_from_columns_of_the_same_name) {
  using testing::ElementsAre;
  const std::vector<objective> goals{{"iterations", true}, {"objective", false}};
  auto order_by = [&](const std::string& key) {
    std::vector<listed_trial> rows{{{0}, trial_status::terminated, 2, {1.0, 6.0}},
                                   {{1}, trial_status::terminated, 3, {3.0, 5.0}},
                                   {{2}, trial_status::terminated, 1, {2.0, 4.0}}};
    EXPECT_TRUE(sort_trials(rows, goals, key, false)) << key;
    std::vector<std::uint64_t> numbers;
    for (const auto& x : rows)
      numbers.push_back(x.trial.number);
    return numbers;
  };

  EXPECT_THAT(order_by("iterations"), ElementsAre(2, 0, 1));
  EXPECT_THAT(order_by("iterations:asc"), ElementsAre(2, 0, 1));
  EXPECT_THAT(order_by("iterations:desc"), ElementsAre(1, 0, 2));
  EXPECT_THAT(order_by("metric.iterations"), ElementsAre(1, 2, 0)) << "best first";
  EXPECT_THAT(order_by("metric.iterations:asc"), ElementsAre(0, 2, 1));
  EXPECT_THAT(order_by("objective"), ElementsAre(1, 2, 0)) << "the first";
  EXPECT_THAT(order_by("metric.objective"), ElementsAre(2, 1, 0));
}

TEST(show_list, lists_registered_trainables) {
  choices all;
  all.trainables.add_function(
      "bowl", [](session&) {}, "a bowl");
  all.trainables.add_function("bare", [](session&) {});
  std::ostringstream out;
  show_list({list_request::part::trainables}, all, output_format::table, {}, out);
  EXPECT_EQ(out.str(), "bare\n  function\nbowl\n  function: a bowl\n");
}

TEST(show_list, lists_the_schedulers_shipped) {
  choices all;
  all.schedulers = builtin_schedulers();
  ASSERT_FALSE(all.schedulers.entries().empty());
  std::ostringstream out;
  show_list({list_request::part::schedulers}, all, output_format::table, {}, out);
  for (const auto& entry : all.schedulers.entries()) {
    EXPECT_THAT(out.str(), HasSubstr(entry.name + "\n  "));
    for (const auto& option : entry.known)
      EXPECT_THAT(out.str(), HasSubstr("\n  " + option.name + "  "));
  }
}

TEST(show_list, says_that_there_is_nothing) {
  std::ostringstream out;
  show_list({list_request::part::trainables}, {}, output_format::table, {}, out);
  show_list({list_request::part::trainables}, {}, output_format::json, {}, out);
  EXPECT_EQ(out.str(), "none\n[]\n");
}

TEST_F(inspect_test, says_that_a_trial_which_lost_its_pause_waits_for_its_scheduler) {
  const auto other = root / "results" / "other";
  auto store = experiment_store::create(other);
  ASSERT_TRUE(store) << store.error().detail;
  spec what;
  what.experiment.name = "other";
  what.experiment.objectives = {{"loss", false}};
  cmd::trial_changed row;
  row.config = sample::shared({{"lr", 0.1}});
  row.origin = "random";
  row.status = trial_status::pending;
  row.reason = lost_its_pause;
  std::vector<store_item> items;
  items.emplace_back(event{1, 0s, on::opened{1, "0.1.0", to_json(what), 7}});
  items.emplace_back(event{2, 1s, on::node_down{"w2", "silent"}});
  items.emplace_back(2, cmd::decision_taken{row.trial, {}, 0, "pause_lost", {{"why", "so"}}});
  items.emplace_back(2, row);
  ASSERT_TRUE(store->write(items));
  auto asked = of(other);
  asked.why = row.trial;
  const auto wanted = "paused by the scheduler, until it is chosen again";

  EXPECT_THAT(shown(asked), HasSubstr(wanted));

  ASSERT_TRUE(
      store->write(std::vector<store_item>{event{3, 2s, on::chosen{choice{2, {row.trial}}}}}));
  EXPECT_THAT(shown(asked), testing::Not(HasSubstr(wanted)));
}

} // namespace
} // namespace tune::cli

// The read model over records as heads write them.
// SPDX-License-Identifier: BSD-3-Clause
#include "view/views.hpp"

#include "io/scratch_directory.hpp"
#include "support/grown_record.hpp"

#include "inspect/compare.hpp"
#include "inspect/experiments.hpp"
#include "inspect/trials.hpp"
#include "report/gather_study.hpp"
#include "tune/io/json.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

namespace tune::cli {
namespace {

using support::grown_record;
using support::growth;

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> result;
  std::istringstream from{path};
  for (std::string part; std::getline(from, part, '/');)
    result.push_back(part);
  return result;
}

class views_test : public samples::scratch_directory {
protected:
  void SetUp() override {
    samples::scratch_directory::SetUp();
    std::filesystem::create_directories(storage());
    uut = std::make_unique<views>(storage());
  }

  std::filesystem::path storage() const { return root / "results"; }

  void grow(const std::string& name, growth how = {}) {
    grown_record record{storage() / name, how, support::grown_spec(name)};
    record.write_all();
    record.finish();
  }

  view_answer ask(const std::string& path, std::multimap<std::string, std::string> query = {}) {
    return uut->answer({parts_of("experiments" + path), std::move(query)});
  }
  /// The answer as an object.
  object got(const std::string& path, std::multimap<std::string, std::string> query = {}) {
    auto answer = ask(path, std::move(query));
    if (auto* fault = std::get_if<view_fault>(&answer)) {
      ADD_FAILURE() << path << ": " << fault->status << " " << fault->detail;
      return {};
    }
    return *std::get<value>(answer).as_object();
  }
  int refused(const std::string& path, std::multimap<std::string, std::string> query = {}) {
    auto answer = ask(path, std::move(query));
    auto* fault = std::get_if<view_fault>(&answer);
    return fault == nullptr ? 0 : fault->status;
  }

  static const value& at(const object& x, const std::string& path) {
    static const value none;
    const auto* found = find_path(x, path);
    EXPECT_NE(found, nullptr) << path << " of " << to_json(x).substr(0, 500);
    return found == nullptr ? none : *found;
  }
  static const value::list& list(const object& x, const std::string& path) {
    return *at(x, path).as_list();
  }

  std::unique_ptr<views> uut;
};

TEST_F(views_test, says_what_list_experiments_says) {
  grow("one", {24, 9, 3, 5});

  auto seen = got("/one");

  auto facts = facts_of(storage() / "one");
  ASSERT_TRUE(facts);
  const auto wanted = to_object(*facts);
  EXPECT_EQ(at(seen, "status"), at(wanted, "status"));
  EXPECT_EQ(at(seen, "trials/total"), at(wanted, "trials"));
  EXPECT_EQ(at(seen, "trials/errored"), at(wanted, "errored"));
  EXPECT_EQ(at(seen, "best/value"), at(wanted, "best"));
  EXPECT_EQ(at(seen, "best/trial_id"), at(wanted, "best_trial"));
  EXPECT_EQ(at(seen, "elapsed_s"), at(wanted, "elapsed_s"));
  EXPECT_EQ(at(seen, "metric"), at(wanted, "metric"));
  EXPECT_EQ(at(seen, "mode"), at(wanted, "mode"));
  EXPECT_EQ(list(seen, "parameters").size(), 3u);
  EXPECT_EQ(to_json(at(seen, "metrics")), R"(["loss","accuracy","epoch"])");
  EXPECT_LE(list(seen, "spark").size(), 40u);
  EXPECT_EQ(list(seen, "spark").back(), at(wanted, "best"));
}

TEST_F(views_test, says_everywhere_that_the_best_trial_failed_later) {
  growth how{4, 9, 3};
  how.fails_late = true;
  grow("one", how);
  std::ostringstream shown, compared;
  const auto place = (storage() / "one").string();
  ASSERT_TRUE(list_experiments(storage(), output_format::table, {}, shown, shown));
  ASSERT_TRUE(compare_experiments({{place, place}}, output_format::table, {}, compared));

  const auto seen = got("/one");

  EXPECT_EQ(at(seen, "best/status"), value{"ERRORED"});
  EXPECT_TRUE(at(seen, "best/best_checkpoint").is_null());
  const std::string said = " (which failed later)";
  EXPECT_THAT(to_text(at(seen, "summary_text")), testing::HasSubstr(said + "."));
  EXPECT_THAT(shown.str(), testing::HasSubstr(said));
  EXPECT_THAT(compared.str(), testing::HasSubstr(to_text(at(seen, "best/trial_id")) + said));
  EXPECT_EQ(at(to_object(*facts_of(place)), "best_status"), value{"ERRORED"});
}

TEST_F(views_test, says_of_trials_what_trials_says) {
  grow("one", {24, 9, 3, 5});
  std::ostringstream out;
  trials_request what;
  what.directory = (storage() / "one").string();
  ASSERT_TRUE(show_trials(what, output_format::json, {}, out));
  auto wanted = from_json(out.str());
  ASSERT_TRUE(wanted && wanted->as_list() != nullptr) << out.str().substr(0, 300);

  auto seen = got("/one/trials");

  ASSERT_EQ(list(seen, "trials").size(), wanted->as_list()->size());
  for (std::size_t i = 0; i < wanted->as_list()->size(); ++i) {
    const auto& x = *list(seen, "trials")[i].as_object();
    const auto& y = *(*wanted->as_list())[i].as_object();
    EXPECT_EQ(at(x, "trial_id"), at(y, "trial"));
    for (const auto* name : {"status", "iterations", "reason", "failures"})
      EXPECT_EQ(at(x, name), at(y, name)) << i << name;
    if (const auto* loss = y.find("loss"); loss != nullptr && !loss->is_null()) {
      EXPECT_EQ(at(x, "best_metrics/loss"), *loss);
    }
  }
}

TEST_F(views_test, tells_the_story_of_why) {
  grow("one", {24, 9, 3, 5});
  std::ostringstream out;
  trials_request what;
  what.directory = (storage() / "one").string();
  what.why = trial_id{7};
  ASSERT_TRUE(show_trials(what, output_format::json, {}, out));

  auto seen = got("/one/trials/7");

  auto wanted = *from_json(out.str());
  // It takes a replay of the record, and has a route of its own.
  EXPECT_TRUE(wanted.as_object()->erase("suggestion"));
  EXPECT_EQ(at(seen, "why"), wanted);
  EXPECT_EQ(at(seen, "status"), value{"TERMINATED"});
  const auto& decision = *list(seen, "decisions")[0].as_object();
  EXPECT_GT(at(decision, "t").number().value_or(-1), 0);
  const auto all = got("/one/decisions");
  for (const auto& x : list(all, "decisions"))
    EXPECT_GT(at(*x.as_object(), "t").number().value_or(-1), 0);
  EXPECT_EQ(to_text(at(*list(seen, "decisions")[0].as_object(), "action")), "stop");
  EXPECT_EQ(refused("/one/trials/24"), 404);
  EXPECT_EQ(refused("/one/trials/x"), 404);
  EXPECT_EQ(refused("/one/trials/7/other"), 404);
}

TEST_F(views_test, pages_through_sorted_and_filtered_trials) {
  grow("one", {60, 9, 3, 5});
  for (const std::string sort :
       {"trial", "-best:loss", "param:optimizer", "metric:loss", "-ended"}) {
    std::vector<std::string> ids;
    std::multimap<std::string, std::string> query{{"sort", sort}, {"limit", "7"}};
    for (;;) {
      auto page = got("/one/trials", query);
      EXPECT_EQ(at(page, "total"), value{60});
      for (const auto& x : list(page, "trials"))
        ids.push_back(to_text(at(*x.as_object(), "trial_id")));
      if (at(page, "next_cursor").is_null())
        break;
      query.erase("cursor");
      query.emplace("cursor", to_text(at(page, "next_cursor")));
    }
    EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 60u) << sort;
    EXPECT_EQ(ids.size(), 60u) << sort;
  }
  EXPECT_EQ(at(got("/one/trials", {{"status", "errored"}}), "total"), value{12});
  EXPECT_EQ(at(got("/one/trials", {{"filter", "text ~ valueerror"}}), "total"), value{12});
  EXPECT_EQ(
      at(got("/one/trials", {{"filter", "param:layers = 3 and status = TERMINATED"}}), "total"),
      value{7});
  auto few = got("/one/trials", {{"fields", "status"}, {"limit", "1"}});
  EXPECT_EQ(to_json(list(few, "trials")[0]),
            R"({"trial":0,"trial_id":"00000","status":"TERMINATED"})");
  (void)got("/one/trials", {{"fields", "trial,ended,node"}});
}

TEST_F(views_test, sorts_and_filters_by_what_the_runtime_adds_to_reports) {
  grow("one", {24, 9, 3, 0});
  std::int64_t stopped = 0;
  for (std::uint64_t i = 0; i < 24; ++i)
    stopped += grown_record::is_stopped(i) ? 1 : 0;
  const auto total = [this](const std::string& filter) {
    return at(got("/one/trials", {{"filter", filter}}), "total");
  };

  EXPECT_EQ(total("last:training_iteration = 3"), value{stopped});
  EXPECT_EQ(total("metric:training_iteration > 3"), value{24 - stopped}) << "they get better";
  EXPECT_EQ(total("best:time_this_iter_s = 0.1"), value{24});
  EXPECT_EQ(total("last:time_total_s > 0.8"), value{24 - stopped});
  EXPECT_EQ(at(got("/one/trials", {{"sort", "-metric:training_iteration"}}), "total"), value{24});
}

TEST_F(views_test, refuses_what_it_does_not_understand) {
  grow("one");
  for (const auto& [name, text] : std::multimap<std::string, std::string>{{"limit", "0"},
                                                                          {"limit", "-1"},
                                                                          {"limit", "x"},
                                                                          {"sort", "loss"},
                                                                          {"sort", "-"},
                                                                          {"sort", "text"},
                                                                          {"filter", "a"},
                                                                          {"fields", "trial,stats"},
                                                                          {"cursor", "abc"},
                                                                          {"cursor", "5b5d"}})
    EXPECT_EQ(refused("/one/trials", {{name, text}}), 400) << name << text;
  for (const auto* path :
       {"/two", "/..", "/one/other", "/one/trials/1/results/x", "/one/curves/x", "/one%00", "/."})
    EXPECT_EQ(refused(path), 404) << path;
  EXPECT_EQ(refused("/one/curves", {{"x", "epoch"}}), 400);
}

TEST_F(views_test, samples_results_with_their_extremes) {
  grow("one", {1, 1000, 0});
  auto seen = got("/one/trials/0/results", {{"metric", "loss"}, {"points", "50"}});
  EXPECT_EQ(to_json(at(seen, "columns")), R"(["training_iteration","t","time_total_s","loss"])");
  EXPECT_LE(list(seen, "rows").size(), 50u);
  EXPECT_EQ(at(seen, "sampled"), value{true});
  EXPECT_EQ((*list(seen, "rows").back().as_list())[3], value{grown_record::loss_of(0, 1000)});
  EXPECT_EQ(list(got("/one/trials/0/results"), "columns").size(), 6u);
}

TEST_F(views_test, draws_curves_and_marks_stops) {
  grow("one", {24, 9, 3, 0});
  auto seen = got("/one/curves", {{"trials", "24"}});
  ASSERT_EQ(list(seen, "curves").size(), 24u);
  for (const auto& x : list(seen, "curves")) {
    const auto& curve = *x.as_object();
    const auto trial = static_cast<std::uint64_t>(*at(curve, "trial").as_int());
    const auto stopped = grown_record::is_stopped(trial);
    EXPECT_EQ(list(curve, "points").size(), stopped ? 3u : 9u);
    EXPECT_EQ(at(curve, "stopped_at"), stopped ? value{3.0} : value{});
    EXPECT_EQ(at(curve, "cut_off_at"), value{});
  }
}

TEST_F(views_test, tells_trials_that_ended_from_outside_from_those_that_the_scheduler_stopped) {
  grown_record record{storage() / "one", {12, 9, 3, 0}, support::grown_spec("one")};
  record.write_all();
  for (auto i = 0; i < 2; ++i) {
    record.begin_trial();
    record.report_once();
    record.report_once();
    if (i == 0)
      record.end_from_outside();
  }
  record.flush();

  auto seen = got("/one/curves");

  ASSERT_EQ(list(seen, "curves").size(), 14u);
  for (const auto& x : list(seen, "curves")) {
    const auto& curve = *x.as_object();
    const auto is_cut_off = at(curve, "trial") == value{12};
    EXPECT_EQ(at(curve, "cut_off_at"), is_cut_off ? value{2.0} : value{});
    EXPECT_TRUE(!is_cut_off || at(curve, "stopped_at").is_null());
  }
}

TEST_F(views_test, goes_by_the_last_end_of_a_trial_that_was_to_run_again) {
  // The scheduler stops the last trial, 11, and 7, 8 and 10.
  grown_record record{storage() / "one", {12, 9, 3, 0}, support::grown_spec("one")};
  record.write_all();
  EXPECT_EQ(at(got("/one/rungs"), "cost/iterations_without"), value{12 * 9});
  record.retry_and_stop();
  record.flush();

  const auto rungs = got("/one/rungs");
  EXPECT_EQ(at(rungs, "cost/iterations_without"), value{12 * 9 - 6});
  const auto& rung = *list(*list(rungs, "brackets")[0].as_object(), "rungs")[0].as_object();
  EXPECT_EQ(at(rung, "stopped"), value{4}) << "it came no farther";
  const auto curves = got("/one/curves");
  for (const auto& x : list(curves, "curves")) {
    const auto& curve = *x.as_object();
    const auto is_last = at(curve, "trial") == value{11};
    EXPECT_EQ(at(curve, "cut_off_at"), is_last ? value{3.0} : value{});
    EXPECT_TRUE(!is_last || at(curve, "stopped_at").is_null());
  }
  watched_experiment from{storage() / "one"};
  const auto study = gather_study(from, "one");
  ASSERT_TRUE(study) << study.error().detail;
  ASSERT_EQ(study->what.trials.size(), 12u);
  EXPECT_EQ(study->what.trials[10].fate, trial_fate::stopped);
  EXPECT_EQ(study->what.trials[11].fate, trial_fate::ended);
}

TEST_F(views_test, follows_the_best_over_trials_and_time) {
  grow("one", {100, 9, 3, 0});
  auto seen = got("/one/history");
  double best = std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, double>> wanted;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const auto loss = grown_record::loss_of(i, grown_record::is_stopped(i) ? 3 : 9);
    if (loss < best)
      wanted.emplace_back(static_cast<double>(i), best = loss);
  }
  const auto& over_trials = list(seen, "best_over_trials");
  ASSERT_GE(over_trials.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(*over_trials[i].as_list(), (value::list{wanted[i].first, wanted[i].second}));
  EXPECT_EQ((*list(seen, "best_over_time").back().as_list())[1], value{best});
  EXPECT_EQ(list(seen, "values").size(), 100u);
  EXPECT_EQ(list(got("/one/history", {{"metric", "accuracy"}}), "values").size(), 100u);
}

TEST_F(views_test, counts_rungs_and_what_stopping_saved) {
  grow("one", {24, 9, 3, 0});
  auto seen = got("/one/rungs");
  EXPECT_EQ(at(seen, "kind"), value{"asha"});
  const auto& rung = *list(*list(seen, "brackets")[0].as_object(), "rungs")[0].as_object();
  std::int64_t stopped = 0;
  for (std::uint64_t i = 0; i < 24; ++i)
    stopped += grown_record::is_stopped(i) ? 1 : 0;
  EXPECT_EQ(at(rung, "at"), value{3.0});
  EXPECT_EQ(at(rung, "entered"), value{24});
  EXPECT_EQ(at(rung, "stopped"), value{stopped});
  EXPECT_EQ(at(rung, "went_on"), value{24 - stopped});
  EXPECT_EQ(list(rung, "values").size(), 24u);
  EXPECT_EQ(at(seen, "cost/iterations"), value{24 * 9 - stopped * 6});
  EXPECT_EQ(at(seen, "cost/iterations_without"), value{24 * 9});
}

TEST_F(views_test, counts_as_cost_what_was_done_again) {
  grown_record record{storage() / "one", {3, 9, 3, 0}, support::grown_spec("one")};
  record.write_all();
  EXPECT_EQ(at(got("/one/rungs"), "cost/iterations"), value{27});

  record.begin_trial();
  record.report_once();
  record.report_again();
  record.flush();

  const auto seen = got("/one/rungs");
  EXPECT_EQ(at(seen, "cost/iterations"), value{29});
  EXPECT_NEAR(at(seen, "cost/spent_s").number().value_or(0), 2.9, 1e-9);
}

TEST_F(views_test, takes_no_seconds_for_iterations) {
  auto what = support::grown_spec("one");
  what.scheduler.options = {{"max_t", "3600"}, {"time_attr", "time_total_s"}};
  grown_record record{storage() / "one", {24, 9, 3, 0}, what};
  record.write_all();
  record.finish();

  // Nobody knows how far the others would have come: as far as the farthest did.
  EXPECT_EQ(at(got("/one/rungs"), "cost/iterations_without"), value{24 * 9});
}

TEST_F(views_test, answers_all_other_resources) {
  grow("one", {24, 9, 3, 5});
  auto lines = got("/one/parallel");
  EXPECT_EQ(list(lines, "axes").size(), 3u);
  EXPECT_EQ(at(lines, "metric_axis/name"), value{"loss"});
  EXPECT_EQ(list(lines, "lines").size(), 20u);
  EXPECT_EQ(list(lines, "lines")[0].as_list()->size(), 6u);
  EXPECT_EQ(list(got("/one/pareto"), "front").size(), 1u);
  EXPECT_EQ(list(got("/one/importance"), "parameters").size(), 3u);
  EXPECT_EQ(list(got("/one/timeline"), "attempts").size(), 24u);
  EXPECT_EQ(list(got("/one/lineage"), "nodes").size(), 0u);
  EXPECT_EQ(list(got("/one/nodes"), "nodes").size(), 1u);
  EXPECT_EQ(list(got("/one/checkpoints"), "checkpoints").size(), 0u);
  auto log = got("/one/log", {{"limit", "5"}});
  EXPECT_EQ(list(log, "events").size(), 5u);
  EXPECT_EQ(find_path(log, "events/0/body/spec"), nullptr);
  auto decisions = got("/one/decisions", {{"limit", "2"}});
  EXPECT_LE(list(decisions, "decisions").size(), 2u);
  EXPECT_EQ(at(*list(decisions, "decisions")[0].as_object(), "text"), value{"is above the cutoff"});
}

TEST_F(views_test, sees_what_is_written_meanwhile) {
  growth how{3, 9, 3, 0};
  grown_record record{storage() / "one", how, support::grown_spec("one")};
  record.write_all();
  EXPECT_EQ(at(got("/one"), "trials/total"), value{3});
  (void)got("/one/history");

  record.begin_trial();
  record.report_once();
  record.flush();
  EXPECT_EQ(at(got("/one"), "trials/running"), value{1});
  const auto before = record.last_seq();
  record.report_once();
  record.flush();

  EXPECT_EQ(to_json(at(*list(got("/one/trials"), "trials")[3].as_object(), "iterations")), "2");
  auto change = uut->change_since("one", 0, before);
  ASSERT_TRUE(std::holds_alternative<std::optional<seen_change>>(change));
  const auto told = *std::get<std::optional<seen_change>>(change);
  const auto& seen = *told.what.as_object();
  EXPECT_EQ(to_json(at(seen, "changed")), "[3]");
  EXPECT_EQ(at(seen, "last_seq"), value{static_cast<std::int64_t>(record.last_seq())});
  EXPECT_EQ(at(seen, "created_ms"), value{told.record});
  EXPECT_EQ(told.last, record.last_seq());
  const auto is_silent = [&](std::int64_t of, sequence after) {
    return !std::get<std::optional<seen_change>>(uut->change_since("one", of, after));
  };
  EXPECT_TRUE(is_silent(0, told.last));
  EXPECT_TRUE(is_silent(told.record, told.last));
  EXPECT_FALSE(is_silent(told.record + 1, told.last)) << "a place of a record that is gone";
  EXPECT_FALSE(is_silent(0, told.last + 1)) << "a place that this record has not come to";
}

TEST_F(views_test, notices_that_a_database_was_replaced) {
  grow("one", {5});
  EXPECT_EQ(at(got("/one"), "trials/total"), value{5});
  std::filesystem::remove_all(storage() / "one");
  grow("one", {2});
  EXPECT_EQ(at(got("/one"), "trials/total"), value{2});
}

TEST_F(views_test, shows_one_directory) {
  grow("one");
  uut = std::make_unique<views>(storage() / "one");
  EXPECT_EQ(list(got(""), "experiments").size(), 1u);
  EXPECT_EQ(at(got("/one"), "name"), value{"one"});
  EXPECT_EQ(refused("/two"), 404);
}

TEST_F(views_test, names_what_cannot_be_read_and_shows_the_others) {
  grow("good");
  grow("outside");
  std::filesystem::rename(storage() / "outside", root / "outside");
  std::filesystem::create_directory_symlink(root / "outside", storage() / "leads_out");
  std::filesystem::create_directories(storage() / "linked");
  std::filesystem::create_symlink(database_file(root / "outside"),
                                  database_file(storage() / "linked"));
  std::filesystem::create_directories(storage() / "fifo");
  ASSERT_EQ(::mkfifo(database_file(storage() / "fifo").c_str(), 0600), 0);
  fill(database_file(storage() / "junk"), std::string(8192, 'x'));
  fill(database_file(storage() / "empty"), "");
  grow("newer");
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(database_file(storage() / "newer").c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "PRAGMA user_version = 99", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);

  auto seen = got("");

  std::map<std::string, bool> fine;
  for (const auto& x : list(seen, "experiments"))
    fine[to_text(at(*x.as_object(), "name"))] = x.as_object()->find("problem") == nullptr;
  EXPECT_EQ(fine, (std::map<std::string, bool>{{"good", true},
                                               {"leads_out", false},
                                               {"linked", false},
                                               {"fifo", false},
                                               {"junk", false},
                                               {"empty", false},
                                               {"newer", false}}));
  for (const auto* name : {"/leads_out", "/linked", "/fifo", "/junk", "/empty", "/newer"})
    EXPECT_NE(refused(name), 0) << name;
}

TEST_F(views_test, tells_a_lock_from_a_fault) {
  grow("one");
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(database_file(storage() / "one").c_str(), &db), SQLITE_OK);
  auto run = [&](const char* sql) {
    EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql;
  };
  run("PRAGMA journal_mode = DELETE");
  (void)got("/one");

  run("BEGIN EXCLUSIVE");
  EXPECT_EQ(refused("/one"), 503);
  run("COMMIT");
  (void)got("/one");
  sqlite3_close(db);
}

TEST_F(views_test, does_not_show_secrets_of_the_environment) {
  auto what = support::grown_spec("one");
  what.trainable.env = {{"API_KEY", "marker-token"}};
  grown_record record{storage() / "one", {}, what};
  record.write_all();
  for (const auto* path : {"/one", "/one/log", "/one/trials", "/one/nodes"})
    EXPECT_EQ(to_json(got(path)).find("marker-token"), std::string::npos) << path;
}

TEST_F(views_test, answers_several_threads_while_the_record_grows) {
  growth how{50, 9, 3, 0};
  grown_record record{storage() / "one", how, support::grown_spec("one")};
  record.write_all();
  std::atomic<bool> done{false};
  std::vector<std::thread> readers;
  std::atomic<int> bad{0};
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&, i] {
      const std::vector<std::string> paths[] = {{"experiments", "one"},
                                                {"experiments", "one", "trials"},
                                                {"experiments", "one", "history"},
                                                {"experiments", "one", "parallel"}};
      while (!done)
        bad += std::holds_alternative<view_fault>(uut->answer({paths[i], {}})) ? 1 : 0;
    });
  }
  for (int i = 0; i < 40; ++i) {
    record.begin_trial();
    for (int k = 0; k < 5; ++k)
      record.report_once();
    record.flush();
  }
  done = true;
  for (auto& x : readers)
    x.join();
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(at(got("/one"), "trials/total"), value{90});
}

} // namespace
} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/sinks/trial_files/trial_files.hpp"

#include "../store_fixture.hpp"

#include "tune/io/json.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tune {
namespace {

namespace fs = std::filesystem;

const std::string automatic_columns
    = "training_iteration,time_this_iter_s,time_total_s,trial_id,attempt,timestamp,node,pid,done";

class trial_files_test : public samples::store_fixture {
protected:
  using warnings = std::shared_ptr<std::vector<std::string>>;

  std::unique_ptr<trial_files> sink(const warnings& to = nullptr) {
    auto made = trial_files::open(directory(), [to](const std::string& text) {
      if (to)
        to->push_back(text);
    });
    EXPECT_TRUE(made.has_value()) << made.error().detail;
    return std::move(*made);
  }
  fs::path file(std::uint64_t trial, const char* name) const {
    return directory() / "trials" / to_text(trial_id{trial}) / name;
  }
  std::string text(std::uint64_t trial, const char* name) const {
    return content(file(trial, name));
  }
  std::size_t lines(std::uint64_t trial, const char* name) const {
    const auto all = text(trial, name);
    return static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n'));
  }
  /// Starts an experiment with one running trial; the next event has number 4.
  experiment_store begun() {
    auto store = fresh();
    auto items = a_run(1, 0);
    items.erase(items.end() - 3, items.end());
    EXPECT_TRUE(store.write(items).has_value());
    EXPECT_EQ(store.last_seq(), 3u);
    return store;
  }
  static void report_to(experiment_store& store, std::uint64_t iteration, object metrics) {
    const auto what = samples::a_report(0, iteration, {1, 1}, std::move(metrics));
    auto written
        = store.write(std::vector<store_item>{at(store.last_seq() + 1, on::reported{what})});
    ASSERT_TRUE(written.has_value()) << written.error().detail;
  }
};

TEST_F(trial_files_test, writes_the_files_of_each_trial) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(2, 2)).has_value());
  auto uut = sink();

  ASSERT_TRUE(uut->catch_up(15).has_value());

  EXPECT_EQ(uut->cursor(), 15u);
  EXPECT_EQ(text(1, "params.json"), "{\"lr\":0.5,\"layers\":1}\n");
  EXPECT_EQ(text(1, "result.jsonl"),
            R"({"loss":0.5,"n":1,"training_iteration":1,"time_this_iter_s":0.123456789,)"
            R"("time_total_s":9.87654321,"trial_id":"00001","attempt":"1.2",)"
            R"("timestamp":1700000000,"node":"node-a","pid":4242,"done":true})"
            "\n"
            R"({"loss":0.3333333333333333,"n":1,"training_iteration":2,)"
            R"("time_this_iter_s":0.123456789,"time_total_s":9.87654321,"trial_id":"00001",)"
            R"("attempt":"1.2","timestamp":1700000000,"node":"node-a","pid":4242,"done":false})"
            "\n");
  EXPECT_EQ(text(1, "progress.csv"),
            automatic_columns
                + ",loss,n\r\n"
                  "1,0.123456789,9.87654321,00001,1.2,1700000000,node-a,4242,true,0.5,1\r\n"
                  "2,0.123456789,9.87654321,00001,1.2,1700000000,node-a,4242,false,"
                  "0.3333333333333333,1\r\n");
  EXPECT_FALSE(fs::exists(file(1, "error.txt")));
}

TEST_F(trial_files_test, takes_no_more_than_was_committed_and_goes_on_from_there) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(2, 2)).has_value());
  auto uut = sink();

  ASSERT_TRUE(uut->catch_up(4).has_value());
  EXPECT_EQ(uut->cursor(), 4u);
  EXPECT_EQ(lines(0, "result.jsonl"), 1u);
  EXPECT_FALSE(fs::exists(file(1, "params.json")));
  ASSERT_TRUE(uut->catch_up(15).has_value());

  EXPECT_EQ(lines(0, "result.jsonl"), 2u);
  EXPECT_EQ(lines(0, "progress.csv"), 3u);
  EXPECT_TRUE(fs::exists(file(1, "params.json")));
}

TEST_F(trial_files_test, leaves_parameters_alone_that_are_there) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(1, 1)).has_value());
  fill(file(0, "params.json"), "mine");

  ASSERT_TRUE(sink()->catch_up(6).has_value());

  EXPECT_EQ(text(0, "params.json"), "mine");
}

TEST_F(trial_files_test, puts_files_in_the_place_of_pipes_and_says_so) {
  auto store = begun();
  auto heard = std::make_shared<std::vector<std::string>>();
  auto uut = sink(heard);
  report_to(store, 1, {{"loss", 1.0}});
  ASSERT_TRUE(uut->catch_up(4).has_value());
  for (const char* name : {"params.json", "result.jsonl", "progress.csv", "error.txt"}) {
    fs::remove(file(0, name));
    ASSERT_EQ(::mkfifo(file(0, name).c_str(), 0666), 0);
    ASSERT_EQ(::mkfifo(file(0, name).string().append(".new").c_str(), 0666), 0);
  }
  report_to(store, 2, {{"loss", 0.5}});

  ASSERT_TRUE(uut->catch_up(5).has_value());

  EXPECT_EQ(lines(0, "params.json"), 1u);
  EXPECT_EQ(lines(0, "result.jsonl"), 2u);
  EXPECT_EQ(lines(0, "progress.csv"), 3u);
  ASSERT_EQ(heard->size(), 3u);
  EXPECT_EQ(heard->front(), "trial 00000: " + file(0, "params.json").string()
                                + " was a named pipe and is replaced by a new file");
}

TEST_F(trial_files_test, writes_through_no_link) {
  auto store = begun();
  fill(root / "victim", "precious");
  fs::create_directories(file(0, "").parent_path());
  for (const char* name : {"params.json", "params.json.new", "result.jsonl", "result.jsonl.new"})
    fs::create_symlink(root / "victim", file(0, name));
  fs::create_hard_link(root / "victim", file(0, "progress.csv"));
  report_to(store, 1, {{"loss", 1.0}});

  ASSERT_TRUE(sink()->catch_up(4).has_value());

  EXPECT_EQ(content(root / "victim"), "precious");
  EXPECT_EQ(lines(0, "params.json"), 1u);
  EXPECT_EQ(lines(0, "result.jsonl"), 1u);
  EXPECT_EQ(lines(0, "progress.csv"), 2u);
}

TEST_F(trial_files_test, writes_the_files_of_others_where_a_trial_spoilt_its_directory) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(2, 2)).has_value());
  fs::create_directories(root / "elsewhere");
  fs::create_directories(directory() / "trials");
  fs::create_directory_symlink(root / "elsewhere", file(0, "").parent_path());
  auto heard = std::make_shared<std::vector<std::string>>();
  auto uut = sink(heard);

  ASSERT_TRUE(uut->catch_up(15).has_value());

  EXPECT_TRUE(fs::is_empty(root / "elsewhere"));
  EXPECT_EQ(lines(1, "result.jsonl"), 2u);
  ASSERT_EQ(heard->size(), 1u);
  EXPECT_EQ(heard->front(),
            "trial 00000: its files are not written: " + file(0, "").parent_path().string()
                + " is a link, not a directory: remove it");
}

TEST_F(trial_files_test, writes_the_files_of_others_where_a_trial_made_its_own_read_only) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(2, 1)).has_value());
  // Mounts apply to the whole process, hence a child.
  const auto child = ::fork();
  if (child == 0) {
    const auto own = file(0, "").parent_path();
    fs::create_directories(own);
    const bool mounted
        = ::unshare(CLONE_NEWNS) == 0
          && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0
          && ::mount(own.c_str(), own.c_str(), nullptr, MS_BIND, nullptr) == 0
          && ::mount(nullptr, own.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0;
    if (!mounted)
      ::_exit(77);
    auto heard = std::make_shared<std::vector<std::string>>();
    if (!sink(heard)->catch_up(store.last_seq()))
      ::_exit(1);
    if (lines(1, "result.jsonl") != 1 || heard->size() != 1
        || heard->front().find("trial 00000: its files are not written") != 0)
      ::_exit(2);
    // If no trial's files can be written, no single trial is blamed.
    const auto all = directory() / "trials";
    fs::remove_all(file(1, "").parent_path());
    if (::mount(all.c_str(), all.c_str(), nullptr, MS_BIND, nullptr) != 0
        || ::mount(nullptr, all.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0)
      ::_exit(77);
    auto whole = sink()->catch_up(store.last_seq());
    ::_exit(!whole && whole.error().code == ec::storage ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    GTEST_SKIP() << "only root can mount";
  EXPECT_EQ(status, 0);
}

TEST_F(trial_files_test, completes_what_could_not_be_written_once_the_way_is_free) {
  auto store = begun();
  auto uut = sink();
  report_to(store, 1, {{"loss", 1.0}});
  fs::create_directories(file(0, "result.jsonl"));
  ASSERT_TRUE(uut->catch_up(4).has_value());
  fs::remove(file(0, "result.jsonl"));
  report_to(store, 2, {{"loss", 0.5}});

  ASSERT_TRUE(uut->catch_up(5).has_value());

  EXPECT_EQ(lines(0, "result.jsonl"), 2u);
  EXPECT_EQ(lines(0, "progress.csv"), 3u);
}

TEST_F(trial_files_test, needs_no_mark_of_how_far_it_came) {
  auto store = begun();
  report_to(store, 1, {{"loss", 1.0}});
  fs::create_directories(directory() / "trials");
  ASSERT_EQ(::mkfifo((directory() / "trials" / ".trial_files").c_str(), 0666), 0);

  ASSERT_TRUE(sink()->catch_up(4).has_value());
  EXPECT_EQ(lines(0, "result.jsonl"), 1u);
  fs::remove(directory() / "trials" / ".trial_files");
  fs::create_directories(directory() / "trials" / ".trial_files");
  ASSERT_TRUE(sink()->catch_up(4).has_value());

  EXPECT_EQ(lines(0, "result.jsonl"), 1u);
}

TEST_F(trial_files_test, widens_the_table_when_a_metric_appears) {
  auto store = begun();
  auto uut = sink();
  report_to(store, 1, {{"loss", 1.0}});
  ASSERT_TRUE(uut->catch_up(4).has_value());
  report_to(store, 2, {{"loss", 0.5}, {"eval", object{{"f1", 0.25}, {"by", object{{"a", 1}}}}}});
  report_to(store, 3, {{"new", true}});
  ASSERT_TRUE(uut->catch_up(6).has_value());

  const std::string same = ",0.123456789,9.87654321,00000,1.1,1700000000,node-a,4242,";
  EXPECT_EQ(text(0, "progress.csv"),
            automatic_columns + ",loss,eval/f1,eval/by/a,new\r\n" + "1" + same + "true,1,,,\r\n"
                + "2" + same + "false,0.5,0.25,1,\r\n" + "3" + same + "true,,,,true\r\n");
  EXPECT_EQ(lines(0, "result.jsonl"), 3u);
}

TEST_F(trial_files_test, quotes_what_tables_choke_on) {
  auto store = begun();
  report_to(store, 2,
            {{"a,\"b\"\n", "x,y"},
             {"text", "say \"hi\"\r\nthere"},
             {"list", value::list{1, "z"}},
             {"nothing", nullptr},
             {"nan", samples::nan},
             {"inf", -samples::inf}});
  auto uut = sink();
  ASSERT_TRUE(uut->catch_up(4).has_value());
  report_to(store, 4, {{"text", "plain"}});
  ASSERT_TRUE(uut->catch_up(5).has_value());

  const std::string same = ",0.123456789,9.87654321,00000,1.1,1700000000,node-a,4242,false,";
  EXPECT_EQ(text(0, "progress.csv"),
            automatic_columns + ",\"a,\"\"b\"\"\n\",text,list,nothing,nan,inf\r\n" + "2" + same
                + "\"x,y\",\"say \"\"hi\"\"\r\nthere\",\"[1,\"\"z\"\"]\",,nan,-inf\r\n" + "4" + same
                + ",plain,,,,\r\n");
}

TEST_F(trial_files_test, lets_a_metric_hide_the_automatic_one_of_its_name) {
  auto store = begun();
  report_to(store, 2, {{"timestamp", 5}});
  ASSERT_TRUE(sink()->catch_up(4).has_value());

  auto line = object_from_json(text(0, "result.jsonl"));
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(*line->find("timestamp"), value{5});
  EXPECT_EQ(text(0, "progress.csv"), automatic_columns
                                         + "\r\n2,0.123456789,9.87654321,00000,1.1,5,node-a,4242,"
                                           "false\r\n");
}

TEST_F(trial_files_test, keeps_non_finite_metrics_in_lines_of_json) {
  auto store = begun();
  report_to(store, 1, {{"loss", samples::nan}, {"best", samples::inf}});
  ASSERT_TRUE(sink()->catch_up(4).has_value());

  EXPECT_EQ(text(0, "result.jsonl").substr(0, 27), R"({"loss":"nan","best":"inf",)");
}

TEST_F(trial_files_test, appends_a_block_for_each_attempt_that_failed) {
  auto store = begun();
  ASSERT_TRUE(store
                  .write(std::vector<store_item>{
                      at(4, on::ended{{0},
                                      {1, 1},
                                      end_class::user_error,
                                      "Traceback\n=== attempt 1.2: forged ===",
                                      3}),
                      at(5, on::ended{{0}, {1, 2}, end_class::killed, "", -9}),
                      at(6, on::ended{{0}, {1, 3}, end_class::preempted, "no failure", {}}),
                      at(7, on::ended{{0}, {1, 4}, end_class::timeout, "silent\n", {}})})
                  .has_value());
  auto uut = sink();
  ASSERT_TRUE(uut->catch_up(6).has_value());
  ASSERT_TRUE(uut->catch_up(7).has_value());

  EXPECT_EQ(text(0, "error.txt"), "=== attempt 1.1: user_error, exit status 3 ===\n"
                                  "  Traceback\n"
                                  "  === attempt 1.2: forged ===\n"
                                  "=== attempt 1.2: killed, signal 9 ===\n"
                                  "=== attempt 1.4: timeout ===\n"
                                  "  silent\n");
}

TEST_F(trial_files_test, appends_a_block_for_each_attempt_that_was_lost_with_its_node) {
  auto store = begun();
  auto lost = [](std::uint64_t counter, instant when, std::string detail) {
    cmd::attempt_changed row;
    row.trial = {0};
    row.attempt = {1, counter};
    row.config = std::make_shared<const object>();
    row.node = "w2";
    row.finished = when;
    row.how = end_class::node_lost;
    row.detail = std::move(detail);
    return row;
  };
  const auto down = at(4, on::node_down{"w2", "its process has ended"});
  const auto tick = at(5, on::ticked{on::ticked::due::kill_time, {0}});
  const auto other = at(6, on::node_down{"w3", ""});
  const auto first = lost(1, down.at, "node w2 was lost: its process has ended");
  const auto second = lost(2, tick.at, "node w2 did not end it within 5 s");
  ASSERT_TRUE(
      store.write(std::vector<store_item>{down, {4, first}, tick, {5, second}, other}).has_value());

  ASSERT_TRUE(sink()->catch_up(6).has_value());

  EXPECT_EQ(text(0, "error.txt"), "=== attempt 1.1: node_lost ===\n"
                                  "  node w2 was lost: its process has ended\n"
                                  "=== attempt 1.2: node_lost ===\n"
                                  "  node w2 did not end it within 5 s\n");
}

/// Heads of earlier versions gave an attempt the class of what it was being ended for.
TEST_F(trial_files_test, appends_a_block_for_an_attempt_that_was_lost_while_it_was_ended) {
  auto store = begun();
  const auto silence = std::string{"no report within the progress timeout; "};
  auto timed_out = [&](std::uint64_t counter, instant when, const std::string& detail) {
    cmd::attempt_changed row;
    row.trial = {0};
    row.attempt = {1, counter};
    row.config = std::make_shared<const object>();
    row.finished = when;
    row.how = end_class::timeout;
    row.detail = silence + detail;
    return row;
  };
  const auto down = at(4, on::node_down{"w2", "silence"});
  const auto tick = at(5, on::ticked{on::ticked::due::kill_time, {0}});
  const auto first = timed_out(1, down.at, "node w2 was lost: silence");
  const auto second = timed_out(2, tick.at, "node w2 did not end it within 5 s");
  ASSERT_TRUE(
      store.write(std::vector<store_item>{down, {4, first}, tick, {5, second}}).has_value());

  ASSERT_TRUE(sink()->catch_up(5).has_value());

  EXPECT_EQ(text(0, "error.txt"), "=== attempt 1.1: timeout ===\n  " + silence
                                      + "node w2 was lost: silence\n"
                                        "=== attempt 1.2: timeout ===\n  "
                                      + silence + "node w2 did not end it within 5 s\n");
}

TEST_F(trial_files_test, tells_what_the_experiment_had_an_attempt_killed_for) {
  auto store = begun();
  cmd::attempt_changed row;
  row.trial = {0};
  row.attempt = {1, 1};
  row.config = std::make_shared<const object>();
  row.finished = instant{1};
  row.how = end_class::timeout;
  row.detail = "no report within the progress timeout; ended by SIGTERM";
  on::ended bare{{0}, {1, 1}, end_class::stopped, "", -15};
  ASSERT_TRUE(store.write(std::vector<store_item>{at(4, bare), {4, row}}).has_value());

  ASSERT_TRUE(sink()->catch_up(4).has_value());

  EXPECT_EQ(text(0, "error.txt"), "=== attempt 1.1: timeout, signal 15 ===\n"
                                  "  no report within the progress timeout; ended by SIGTERM\n");
}

TEST_F(trial_files_test, goes_on_after_a_restart) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(2, 2)).has_value());
  {
    auto first = sink();
    ASSERT_TRUE(first->catch_up(6).has_value());
    ASSERT_TRUE(first->close().has_value());
  }
  auto uut = sink();

  EXPECT_EQ(uut->cursor(), 6u);
  ASSERT_TRUE(uut->catch_up(15).has_value());
  EXPECT_EQ(lines(0, "result.jsonl"), 2u);
  EXPECT_EQ(lines(0, "progress.csv"), 3u);
  EXPECT_EQ(lines(1, "result.jsonl"), 2u);
}

/// Damage that a crash can leave between the lines and the mark, or before anything was synced.
struct wreck {
  const char* name;
  void (*happen)(const fs::path& trials);
};

void cut(const fs::path& file, std::uintmax_t size) {
  fs::resize_file(file, std::min(fs::file_size(file), size));
}

/// Blanks the end of a file, as if the file had grown without its content being written.
void blank(const fs::path& file, std::streamoff at) {
  std::fstream out{file, std::ios::binary | std::ios::in | std::ios::out};
  out.seekp(at);
  out << std::string(20, '\0');
}

void put(const fs::path& file, const std::string& text) {
  std::ofstream{file, std::ios::binary} << text;
}

void add(const fs::path& file, const std::string& text) {
  std::ofstream{file, std::ios::binary | std::ios::app} << text;
}

/// Makes sparse files so huge that reading them to the end would cost hours, and comparing them
/// unlimited memory.
void make_huge(const fs::path& folder, std::uintmax_t kept) {
  for (const auto* name : {"params.json", "result.jsonl", "progress.csv", "error.txt"}) {
    cut(folder / name, kept);
    fs::resize_file(folder / name, std::uintmax_t{1} << 42U);
  }
}

class wrecked_files : public trial_files_test, public testing::WithParamInterface<wreck> {};

TEST_P(wrecked_files, come_out_as_if_nothing_had_happened) {
  auto items = a_run(2, 3);
  items.emplace_back(at(20, on::ended{{0}, {1, 8}, end_class::user_error, "boom", 1}));
  auto store = fresh();
  auto written = store.write(items);
  ASSERT_TRUE(written.has_value()) << written.error().detail;
  const auto files = {"params.json", "result.jsonl", "progress.csv", "error.txt"};
  auto all = [&] {
    std::string result;
    for (std::uint64_t trial : {0, 1}) {
      for (const char* name : files)
        result += text(trial, name);
    }
    return result;
  };
  {
    auto first = sink();
    ASSERT_TRUE(first->catch_up(20).has_value());
  }
  const auto wanted = all();
  ASSERT_NE(wanted.find("boom"), std::string::npos);
  const auto mark = content(directory() / "trials" / ".trial_files");
  fs::remove_all(directory() / "trials" / "00000");
  fs::remove_all(directory() / "trials" / "00001");
  fs::remove(directory() / "trials" / ".trial_files");
  {
    auto part = sink();
    ASSERT_TRUE(part->catch_up(5).has_value());
  }
  const auto early = content(directory() / "trials" / ".trial_files");
  {
    auto rest = sink();
    ASSERT_TRUE(rest->catch_up(20).has_value());
  }
  ASSERT_EQ(all(), wanted);

  // All lines are written, but the mark is an early one: everything would be written again.
  put(directory() / "trials" / ".trial_files", early);
  GetParam().happen(directory() / "trials");
  auto uut = sink();
  ASSERT_TRUE(uut->catch_up(20).has_value());

  for (const char* name : files)
    ASSERT_LT(fs::file_size(file(0, name)), 10'000U) << name;
  EXPECT_EQ(all(), wanted);
  EXPECT_EQ(content(directory() / "trials" / ".trial_files"), mark);
}

INSTANTIATE_TEST_SUITE_P(
    trial_files, wrecked_files,
    testing::Values(
        wreck{"all_written_but_the_mark", [](const fs::path&) {}},
        wreck{"half_a_line",
              [](const fs::path& trials) {
                cut(trials / "00000/result.jsonl", 300);
                cut(trials / "00001/progress.csv", 150);
              }},
        wreck{"half_a_header",
              [](const fs::path& trials) { cut(trials / "00000/progress.csv", 10); }},
        wreck{"nothing_left_of_a_file",
              [](const fs::path& trials) {
                cut(trials / "00000/result.jsonl", 0);
                cut(trials / "00001/progress.csv", 0);
                fs::remove(trials / "00001/result.jsonl");
              }},
        wreck{"zeros_within_a_line",
              [](const fs::path& trials) {
                blank(trials / "00000/result.jsonl", 250);
                blank(trials / "00001/progress.csv", 120);
              }},
        wreck{"half_of_the_parameters",
              [](const fs::path& trials) {
                cut(trials / "00000/params.json", 5);
                cut(trials / "00001/params.json", 0);
              }},
        wreck{"zeros_for_parameters",
              [](const fs::path& trials) { blank(trials / "00000/params.json", 0); }},
        wreck{"half_of_an_error",
              [](const fs::path& trials) { cut(trials / "00000/error.txt", 38); }},
        wreck{"zeros_for_an_error",
              [](const fs::path& trials) { blank(trials / "00000/error.txt", 30); }},
        wreck{"doubled_lines",
              [](const fs::path& trials) { add(trials / "00000/result.jsonl", "{}\n{}\n"); }},
        wreck{"an_open_quote",
              [](const fs::path& trials) { add(trials / "00000/progress.csv", "1,\"a\r\n"); }},
        wreck{"files_of_holes", [](const fs::path& trials) { make_huge(trials / "00000", 0); }},
        wreck{"lines_before_holes",
              [](const fs::path& trials) { make_huge(trials / "00000", 10); }},
        wreck{"a_mark_cut_short", [](const fs::path& trials) { cut(trials / ".trial_files", 5); }},
        wreck{"a_mark_of_another_boot",
              [](const fs::path& trials) {
                put(trials / ".trial_files", R"({"seq":20,"boot":"other","synced":false})");
                cut(trials / "00000/result.jsonl", 0);
                fs::remove_all(trials / "00001");
              }},
        wreck{"a_mark_beyond_the_log",
              [](const fs::path& trials) {
                put(trials / ".trial_files", R"({"seq":99,"boot":"","synced":true})");
                fs::remove_all(trials / "00001");
              }}),
    [](const auto& x) { return std::string{x.param.name}; });

// The mark says that everything is written, and nothing new comes.
TEST_F(trial_files_test, writes_anew_what_was_removed_or_cut_since_the_last_start) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(3, 2)).has_value());
  const auto last = store.last_seq();
  ASSERT_TRUE(
      store
          .write(std::vector<store_item>{at(
              last + 1, on::ended{trial_id{2}, attempt_id{1, 3}, end_class::user_error, "why", 3})})
          .has_value());
  {
    auto first = sink();
    ASSERT_TRUE(first->catch_up(last + 1).has_value());
    ASSERT_TRUE(first->close().has_value());
  }
  std::map<fs::path, std::string> whole;
  for (const auto& entry : fs::recursive_directory_iterator{directory() / "trials"}) {
    if (entry.is_regular_file() && entry.path().filename() != ".trial_files")
      whole[entry.path()] = content(entry.path());
  }
  ASSERT_GE(whole.size(), 9U);
  fs::remove(file(0, "result.jsonl"));
  fs::remove_all(file(1, "").parent_path());
  cut(file(2, "result.jsonl"), 200);
  cut(file(2, "progress.csv"), 0);
  fs::remove(file(2, "params.json"));

  auto uut = sink();
  EXPECT_EQ(uut->cursor(), last + 1);
  ASSERT_TRUE(uut->catch_up(last + 1).has_value());

  for (const auto& [path, text] : whole)
    EXPECT_EQ(content(path), text) << path;
  // Another check writes nothing twice.
  ASSERT_TRUE(sink()->catch_up(last + 1).has_value());
  for (const auto& [path, text] : whole)
    EXPECT_EQ(content(path), text) << path;
}

TEST_F(trial_files_test, trusts_a_mark_of_another_boot_that_was_synced) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(1, 1)).has_value());
  fs::create_directories(directory() / "trials");
  auto sum = *store_reader::open(directory())->event_sum(4);
  ASSERT_TRUE(sum);
  const std::string rest = R"(,"boot":"other","synced":true})";
  const auto mark = directory() / "trials" / ".trial_files";
  put(mark, R"({"seq":4,"sum":)" + std::to_string(*sum) + rest);

  EXPECT_EQ(sink()->cursor(), 4u);
  // The mark of a log that was cut back and has grown again since.
  put(mark, R"({"seq":4,"sum":)" + std::to_string(*sum + 1) + rest);
  EXPECT_EQ(sink()->cursor(), 0u);
}

TEST_F(trial_files_test, tries_again_after_a_full_disk_without_doubling) {
  auto store = begun();
  for (std::uint64_t i = 1; i <= 40; ++i)
    report_to(store, i, {{"text", std::string(1000, 'x')}});

  // The limit applies to the whole process, hence a child.
  const auto child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    auto uut = trial_files::open(directory());
    const rlimit most{20'000, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &most);
    if (!uut || !(*uut)->catch_up(10))
      ::_exit(1);
    auto failed = (*uut)->catch_up(43);
    if (failed
        || failed.error().detail.find("result.jsonl: cannot write: File too large")
               == std::string::npos)
      ::_exit(2);
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &none);
    ::_exit((*uut)->catch_up(43) ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);

  EXPECT_EQ(lines(0, "result.jsonl"), 40u);
  EXPECT_EQ(lines(0, "progress.csv"), 41u);
}

TEST_F(trial_files_test, forgets_what_a_log_that_was_cut_back_knows_no_more) {
  for (const char* mark : {"as it was", "lost"}) {
    SCOPED_TRACE(mark);
    fs::remove_all(directory());
    {
      auto store = begun();
      fs::copy(directory(), root / "before", fs::copy_options::recursive);
      report_to(store, 1, {{"loss", 3.0}});
      report_to(store, 2, {{"loss", 2.0}});
      auto first = sink();
      ASSERT_TRUE(first->catch_up(5).has_value());
    }
    ASSERT_EQ(lines(0, "result.jsonl"), 2u);
    for (const char* ending : {"", "-wal", "-shm"}) {
      const auto name = "experiment.db" + std::string{ending};
      fs::remove(directory() / name);
      if (fs::exists(root / "before" / name))
        fs::copy(root / "before" / name, directory() / name);
    }
    fs::remove_all(root / "before");
    if (*mark == 'l')
      fs::remove(directory() / "trials" / ".trial_files");

    auto store = experiment_store::open(directory());
    ASSERT_TRUE(store.has_value()) << store.error().detail;
    ASSERT_EQ(store->last_seq(), 3u);
    auto uut = sink();
    ASSERT_TRUE(uut->catch_up(3).has_value());
    report_to(*store, 1, {{"loss", 9.0}});
    ASSERT_TRUE(uut->catch_up(4).has_value());

    EXPECT_EQ(lines(0, "result.jsonl"), 1u);
    EXPECT_NE(text(0, "result.jsonl").find("\"loss\":9.0"), std::string::npos);
  }
}

TEST_F(trial_files_test, refuses_a_place_the_log_has_not_reached) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(1, 1)).has_value());

  EXPECT_EQ(sink()->catch_up(7).error().code, ec::internal);
}

TEST_F(trial_files_test, holds_no_files_open) {
  auto count = [] {
    return std::distance(fs::directory_iterator{"/proc/self/fd"}, fs::directory_iterator{});
  };
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(200, 1)).has_value());
  auto uut = sink();
  const auto before = count();

  ASSERT_TRUE(uut->catch_up(store.last_seq()).has_value());

  EXPECT_LE(count(), before + 1);
  EXPECT_EQ(lines(199, "result.jsonl"), 1u);
}

TEST_F(trial_files_test, leaves_the_files_to_a_head_that_has_taken_over) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(2, 2)).has_value());
  auto uut = sink();
  sql().ask("UPDATE t_head SET epoch = 2");

  auto late = uut->catch_up(15);
  auto end = uut->close();

  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code, ec::refused);
  EXPECT_NE(late.error().detail.find("epoch 2, ours is 1"), std::string::npos);
  EXPECT_FALSE(end.has_value());
  EXPECT_FALSE(fs::exists(file(1, "result.jsonl")));
  EXPECT_FALSE(fs::exists(directory() / "trials" / ".trial_files"));
}

} // namespace
} // namespace tune

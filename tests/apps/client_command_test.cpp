// SPDX-License-Identifier: BSD-3-Clause
#include "client/client_command.hpp"
#include "client/logs_command.hpp"
#include "client/status_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace tune::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using kind = order_verdict::kind;

TEST(client_command, reads_values_as_the_space_writes_them) {
  client_command what;
  what.what = control_request::op::add;
  what.values
      = {{"lr", "1e-2"}, {"n", "3"}, {"kind", "adam"}, {"text", "\"4\""}, {"deep.x", "true"}};

  auto made = request_of(what);

  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(made->config,
            (object{{"lr", 0.01}, {"n", 3}, {"kind", "adam"}, {"text", "4"}, {"deep.x", true}}));
}

TEST(client_command, reads_a_configuration_as_json) {
  client_command what;
  what.what = control_request::op::add;
  what.config = R"({"lr":0.5})";
  EXPECT_EQ(request_of(what)->config, (object{{"lr", 0.5}}));

  what.config = "[]";
  EXPECT_THAT(request_of(what).error().detail, HasSubstr("--config: "));
}

TEST(client_command, names_the_value_that_cannot_be_read) {
  client_command what;
  what.what = control_request::op::add;
  what.values = {{"lr", "[1, "}};

  EXPECT_THAT(request_of(what).error().detail, HasSubstr("lr = [1, "));
}

const std::vector<order_verdict> some{{kind::taken, "it is told to end", trial_id{3}},
                                      {kind::unknown, "there is no such trial", trial_id{99}},
                                      {kind::needless, "it is paused already", {}}};

TEST(client_command, tells_people_what_was_not_done_where_they_look_for_it) {
  std::ostringstream out;
  std::ostringstream talk;

  write_told(some, "digits", output_format::table, out, talk);

  EXPECT_EQ(out.str(), "trial 00003: it is told to end\ndigits: it is paused already\n");
  EXPECT_EQ(talk.str(), "tune-node: trial 00099: there is no such trial\n");
}

TEST(client_command, tells_programs_everything_on_stdout) {
  std::ostringstream json;
  std::ostringstream csv;
  std::ostringstream talk;

  write_told(some, "digits", output_format::jsonl, json, talk);
  write_told(some, "digits", output_format::csv, csv, talk);

  EXPECT_EQ(json.str(),
            "{\"trial\":\"00003\",\"outcome\":\"taken\",\"text\":\"it is told to end\"}\n"
            "{\"trial\":\"00099\",\"outcome\":\"unknown\",\"text\":\"there is no such trial\"}\n"
            "{\"trial\":null,\"outcome\":\"needless\",\"text\":\"it is paused already\"}\n");
  EXPECT_EQ(csv.str(), "trial,outcome,text\n00003,taken,it is told to end\n"
                       "00099,unknown,there is no such trial\n,needless,it is paused already\n");
  EXPECT_EQ(talk.str(), "");
}

TEST(status_command, tells_how_it_stands_by_database_and_head) {
  known_state x;
  x.row.status = "running";
  EXPECT_EQ(state_of(x), "lost");
  x.is_asked = true;
  EXPECT_EQ(state_of(x), "at_rest");
  x.led = true;
  EXPECT_EQ(state_of(x), "running");
  x.head.emplace();
  EXPECT_EQ(state_of(x), "running");
  x.head->suspended = true;
  EXPECT_EQ(state_of(x), "paused");
  x.row.status = "time_limit";
  EXPECT_EQ(state_of(x), "time_limit");
}

TEST(status_command, says_it_in_words) {
  known_state x;
  x.row.status = "running";
  x.seen.experiment = "digits";
  x.seen.directory = "/results/digits";
  x.seen.objectives = {{"loss", false}};
  x.seen.counts[1] = 30;
  listed_trial row;
  row.trial = trial_id{4};
  row.iterations = 7;
  row.objectives = {0.5};
  auto last = row;
  last.trial = trial_id{33};
  last.reason = "it fell behind";
  x.shares = {{trial_status::running, 30, {row}, {last}}};
  x.led = true;
  x.head.emplace();
  x.head->scheduler = "asha: rung 1: 9, 4: 2";
  x.head->pid = 4242;
  x.head->held = 2;

  auto text = status_text(x, style{false});

  EXPECT_THAT(text, HasSubstr("digits: running for"));
  EXPECT_THAT(text, HasSubstr("head: pid 4242"));
  EXPECT_THAT(text, HasSubstr("2 trials paused by clients"));
  EXPECT_THAT(text, HasSubstr("  30 running:\n    trial 00004: iteration 7, loss = 0.5\n"
                              "    ... 28 not shown\n"
                              "    trial 00033: iteration 7, loss = 0.5; it fell behind\n"));
  EXPECT_THAT(text, HasSubstr("\n  scheduler: asha: rung 1: 9, 4: 2\n"));
}

TEST(status_command, deals_its_rows_fairly) {
  EXPECT_EQ(deal_rows({100, 3, 0, 1, 50}, 20), (status_counts{8, 3, 0, 1, 8}));
  EXPECT_EQ(deal_rows({1, 0, 0, 0, 2}, 20), (status_counts{1, 0, 0, 0, 2}));
  EXPECT_EQ(deal_rows({9, 9, 9, 9, 9}, 3), (status_counts{1, 1, 1, 0, 0}));
}

TEST(status_command, counts_the_nodes_of_a_cluster_once) {
  known_state x;
  x.row.status = "running";
  x.led = true;
  x.head.emplace();
  x.head->nodes = 2;
  x.seen.nodes = 2;
  x.seen.objectives = {{"loss", false}};

  auto text = status_text(x, style{false});

  EXPECT_THAT(text, HasSubstr("2 nodes"));
  EXPECT_THAT(text, Not(HasSubstr("2 nodes, 2 nodes")));
}

TEST(status_command, says_which_node_is_leaving) {
  known_state x;
  x.row.status = "running";
  x.led = true;
  x.head.emplace();
  x.head->nodes = 3;
  x.head->leaving = {"w2"};
  x.seen.nodes = 3;
  x.seen.leaving = 1;
  x.seen.objectives = {{"loss", false}};
  for (const char* name : {"w1", "w2"}) {
    x.nodes.emplace_back();
    x.nodes.back().node = name;
    x.nodes.back().up = true;
  }

  const auto text = status_text(x, style{false});
  const auto json = status_json(x);

  EXPECT_THAT(text, HasSubstr("3 nodes, 1 of them leaving"));
  EXPECT_THAT(text, HasSubstr("  node w2: leaving\n"));
  EXPECT_THAT(text, Not(HasSubstr("node w1")));
  EXPECT_THAT(json, HasSubstr("\"leaving\":[\"w2\"]"));
  EXPECT_THAT(json, HasSubstr("{\"node\":\"w1\",\"state\":\"up\""));
  EXPECT_THAT(json, HasSubstr("{\"node\":\"w2\",\"state\":\"leaving\""));
}

TEST(status_command, says_of_an_ended_conversation_how_to_go_on) {
  known_state x;
  x.row.status = "running";
  x.is_asked = true;
  x.seen.experiment = "bowl";
  x.seen.objectives = {{"loss", false}};

  auto text = status_text(x, style{false});

  EXPECT_THAT(text, HasSubstr("bowl: at rest after"));
  EXPECT_THAT(text, HasSubstr("tune-node ask-tell FILE --resume goes on"));
  EXPECT_THAT(text, Not(HasSubstr("its head is gone")));
}

TEST(file_follower, copies_what_came_since_the_last_look) {
  auto file = std::filesystem::path{testing::TempDir()} / "tune_followed";
  std::filesystem::remove(file);
  file_follower uut{testing::TempDir(), "tune_followed"};
  std::ostringstream out;

  EXPECT_FALSE(*uut.catch_up(out));
  std::ofstream{file} << "one\n";
  EXPECT_TRUE(*uut.catch_up(out));
  EXPECT_TRUE(*uut.catch_up(out));
  std::ofstream{file, std::ios::app} << "two\n";
  EXPECT_TRUE(*uut.catch_up(out));
  EXPECT_EQ(out.str(), "one\ntwo\n");

  // A log that was begun anew.
  std::ofstream{file} << "3\n";
  EXPECT_TRUE(*uut.catch_up(out));
  EXPECT_EQ(out.str(), "one\ntwo\n3\n");
  std::filesystem::remove(file);
}

} // namespace
} // namespace tune::cli

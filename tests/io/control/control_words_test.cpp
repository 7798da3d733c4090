// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/control/control_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune {
namespace {

using testing::HasSubstr;
using op = control_request::op;
using kind = order_verdict::kind;

TEST(control_words, every_request_comes_back_as_it_was) {
  control_request add;
  add.what = op::add;
  add.config = {{"lr", 0.5}, {"deep", object{{"n", 3}}}};
  add.key = "wish \"1\"";
  control_request retry;
  retry.what = op::retry;
  retry.trials = {{3}, {17}};
  retry.from_scratch = true;
  for (auto what : {op::status, op::stop, op::pause, op::unpause}) {
    control_request plain;
    plain.what = what;
    auto back = control_request_from_json(to_json(plain));
    ASSERT_TRUE(back) << back.error().detail;
    EXPECT_EQ(*back, plain);
  }
  for (const auto& x : {add, retry}) {
    auto back = control_request_from_json(to_json(x));
    ASSERT_TRUE(back) << back.error().detail;
    EXPECT_EQ(*back, x);
  }
}

TEST(control_words, trials_may_be_texts_and_unknown_fields_are_ignored) {
  auto back = control_request_from_json(R"({"op":"stop","trials":["00042",7],"mood":"good"})");

  ASSERT_TRUE(back) << back.error().detail;
  EXPECT_EQ(back->trials, (std::vector<trial_id>{{42}, {7}}));
}

TEST(control_words, requests_that_are_none_say_what_is_wrong) {
  auto why = [](const std::string& line) {
    auto read = control_request_from_json(line);
    return read ? std::string{"fine"} : read.error().detail;
  };

  EXPECT_NE(why("hello"), "fine");
  EXPECT_NE(why("[1]"), "fine");
  EXPECT_THAT(why("{}"), HasSubstr("op is missing"));
  EXPECT_THAT(why(R"({"op":"dance"})"), HasSubstr("op is one of status, stop"));
  EXPECT_THAT(why(R"({"op":"stop","trials":3})"), HasSubstr("trials has a wrong type"));
  EXPECT_THAT(why(R"({"op":"stop","trials":[-1]})"), HasSubstr("which is no trial"));
  EXPECT_THAT(why(R"({"op":"stop","trials":[]})"), HasSubstr("trials names none"));
  EXPECT_THAT(why(R"({"op":"add"})"), HasSubstr("config is missing"));
  EXPECT_THAT(why(R"({"op":"retry"})"), HasSubstr("trials names none"));
  EXPECT_THAT(why(R"({"op":"add","config":{},"key":")" + std::string(201, 'k') + "\"}"),
              HasSubstr("key is longer than 200"));
  std::string many = R"({"op":"stop","trials":[0)";
  for (std::size_t i = 0; i < most_control_trials; ++i)
    many += ",0";
  EXPECT_THAT(why(many + "]}"), HasSubstr("names more than 10000"));
}

TEST(control_words, answers_come_back_as_they_were) {
  control_answer told;
  told.told = {{kind::taken, "it is told to end", trial_id{3}},
               {kind::needless, "it is paused already", std::nullopt},
               {kind::unknown, "there is no such trial", trial_id{99}},
               {kind::refused, "it has ended", trial_id{4}}};
  control_answer status;
  status.status
      = control_status{4242, std::chrono::seconds{7}, true, 3, 2, {}, {}, "no node has 2 GPU"};
  status.status->total.cpu = amount{40000};
  status.status->used.memory = 1024;
  status.status->planned = 20;
  status.status->leaving = {"w1", "w2"};
  status.status->scaling = object{{"wanted", 5}, {"since_call", value{}}};

  for (const auto& x : {told, status}) {
    auto back = control_answer_from_json(to_json(x));
    ASSERT_TRUE(back) << back.error().detail;
    EXPECT_EQ(*back, x);
  }
}

TEST(control_words, faults_come_back_as_errors) {
  auto back = control_answer_from_json(control_fault({ec::refused, "not yours"}));

  ASSERT_FALSE(back);
  EXPECT_EQ(back.error(), (error{ec::refused, "not yours"}));
}

TEST(control_words, answers_that_are_none_are_errors) {
  for (const auto* line :
       {"", "3", "{}", R"({"ok":1})", R"({"ok":true,"told":[3]})",
        R"({"ok":true,"told":[{"outcome":"maybe","text":""}]})",
        R"({"ok":true,"status":{"pid":"x"}})", R"({"ok":true,"status":{"leaving":[3]}})"})
    EXPECT_FALSE(control_answer_from_json(line)) << line;
}

} // namespace
} // namespace tune

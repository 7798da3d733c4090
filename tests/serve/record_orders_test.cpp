// SPDX-License-Identifier: BSD-3-Clause
#include "serve/record_orders.hpp"

#include "fake_model.hpp"
#include "io/scratch_directory.hpp"
#include "serve/api_routes.hpp"
#include "serve/once_only.hpp"
#include "serve/submissions.hpp"
#include "tune/core/own_words.hpp"
#include "tune/io/control/control_server.hpp"
#include "tune/io/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>

namespace tune::cli {
namespace {

using op = control_request::op;
using testing::HasSubstr;

http::route route_named(const std::string& id) {
  const auto all = api_routes();
  return *std::find_if(all.begin(), all.end(), [&](const auto& x) { return x.id == id; });
}

http::request request_with(std::string body, const std::string& trial = {}) {
  http::request result;
  result.what = http::method::post;
  result.body = std::move(body);
  result.names["experiment"] = "x";
  if (!trial.empty())
    result.names["trial"] = trial;
  return result;
}

TEST(record_orders, are_those_of_the_control_vocabulary) {
  for (const auto& [id, what] :
       std::vector<std::pair<std::string, op>>{{"trial_stop", op::stop},
                                               {"trial_pause", op::pause},
                                               {"trial_unpause", op::unpause},
                                               {"trial_retry", op::retry}}) {
    auto uut = order_from(request_with("{}", "00042"), route_named(id));
    ASSERT_TRUE(uut) << id;
    EXPECT_EQ(uut->what, what);
    EXPECT_EQ(uut->trials, std::vector{trial_id{42}});
  }
  auto whole = order_from(request_with(""), route_named("pause"));
  ASSERT_TRUE(whole);
  EXPECT_TRUE(whole->trials.empty());
}

TEST(record_orders, take_a_configuration_and_a_key) {
  auto uut = order_from(request_with(R"({"config":{"lr":0.5},"key":"k"})"), route_named("add"));
  ASSERT_TRUE(uut);
  EXPECT_EQ(uut->config, (object{{"lr", 0.5}}));
  EXPECT_EQ(uut->key, "k");
  auto by_header = request_with(R"({"config":{}})");
  by_header.headers.add("Idempotency-Key", "h");
  EXPECT_EQ(order_from(by_header, route_named("add"))->key, "h");
}

TEST(record_orders, refuse_what_cannot_be_meant) {
  for (const auto* body : {"[]", "1", "{", "{}", R"({"config":1})", R"({"config":{},"key":1})",
                           R"({"config":{},"more":1})", R"({"config":{},"config":{}})", "nul"})
    EXPECT_FALSE(order_from(request_with(body), route_named("add"))) << body;
  EXPECT_FALSE(order_from(request_with(R"({"config":{},"key":")" + std::string(201, 'k') + "\"}"),
                          route_named("add")));
  EXPECT_FALSE(order_from(request_with(R"({"from_scratch":1})", "1"), route_named("trial_retry")));
  EXPECT_FALSE(
      order_from(request_with(R"({"from_scratch":true})", "1"), route_named("trial_stop")));
  EXPECT_FALSE(
      order_from(request_with("{\"config\":" + std::string(100, '[') + "}"), route_named("add")));
  for (const auto* trial : {"-1", "x", "1x", "9999999999999999999", "+1", " 1", "0x1"})
    EXPECT_EQ(order_from(request_with("", trial), route_named("trial_stop")).error().code,
              ec::unknown_name)
        << trial;
}

TEST(record_orders, answer_with_what_became_of_them) {
  using kind = order_verdict::kind;
  const auto told = [](kind what) {
    return told_response({{{what, "because", trial_id{1}}}, {}}).status;
  };
  EXPECT_EQ(told(kind::taken), 200U);
  EXPECT_EQ(told(kind::needless), 200U);
  EXPECT_EQ(told(kind::unknown), 404U);
  EXPECT_EQ(told(kind::refused), 409U);
}

class record_orders_test : public samples::scratch_directory {
protected:
  std::unique_ptr<support::fake_model> model;
  talk_requests nobody{nullptr};
  std::unique_ptr<control_server> head;
  std::atomic<int> carried_out = 0;

  void SetUp() override {
    scratch_directory::SetUp();
    model = std::make_unique<support::fake_model>(root);
  }

  void lead() {
    auto started = control_server::start(root, [this](const control_request&, control_reply reply) {
      ++carried_out;
      reply(to_json(control_answer{{{order_verdict::kind::taken, "done", std::nullopt}}, {}}));
    });
    ASSERT_TRUE(started);
    head = std::move(*started);
  }
};

TEST_F(record_orders_test, reach_the_head) {
  lead();
  record_orders uut{*model, nobody, false};
  auto told = uut.answer(request_with("{}"), route_named("pause"));
  EXPECT_EQ(told.status, 200U);
  EXPECT_EQ(told.body, R"({"told":[{"trial":null,"outcome":"taken","text":"done"}]})");
}

TEST(once_only, carries_out_once_for_each_key) {
  once_only uut;
  auto carried_out = 0;
  const auto work = [&] {
    ++carried_out;
    return http::json_response("{}");
  };
  auto asked = request_with("{}");
  asked.headers.add("Idempotency-Key", "k");
  const auto first = uut.answer(asked, route_named("pause"), work);
  const auto second = uut.answer(asked, route_named("pause"), work);

  EXPECT_EQ(carried_out, 1);
  EXPECT_EQ(second.body, first.body);
  EXPECT_EQ(second.headers.only("Idempotency-Replayed"), "true");
  EXPECT_EQ(uut.answer(asked, route_named("stop"), work).status, 422U) << "another request";
}

TEST(once_only, forgets_what_failed) {
  once_only uut;
  auto asked = request_with("{}");
  asked.headers.add("Idempotency-Key", "k");
  const auto fail = [] { return to_response(http::problem{409, "not_live", ""}); };
  EXPECT_EQ(uut.answer(asked, route_named("pause"), fail).status, 409U);
  const auto work = [] { return http::json_response("{}"); };
  EXPECT_EQ(uut.answer(asked, route_named("pause"), work).status, 200U);
}

TEST(once_only, carries_out_nothing_twice_that_may_yet_be_done) {
  once_only uut;
  auto asked = request_with("{}");
  asked.headers.add("Idempotency-Key", "k");
  const auto fail = [] { return to_response(http::problem{504, "unreachable", "it is stopped"}); };
  const auto first = uut.answer(asked, route_named("pause"), fail);
  const auto never = [] {
    ADD_FAILURE() << "carried out again";
    return http::json_response("{}");
  };
  const auto second = uut.answer(asked, route_named("pause"), never);
  EXPECT_EQ(second.status, 504U);
  EXPECT_EQ(second.body, first.body);
  EXPECT_EQ(second.headers.only("Idempotency-Replayed"), "true");
  EXPECT_EQ(second.headers.only("Content-Type"), "application/problem+json");
}

TEST_F(record_orders_test, say_what_goes_on_with_an_experiment_that_nobody_runs) {
  record_orders uut{*model, nobody, false};
  auto told = uut.answer(request_with("{}"), route_named("pause"));
  EXPECT_EQ(told.status, 409U);
  EXPECT_THAT(told.body, HasSubstr("not_live"));
  auto other = request_with("{}");
  other.names["experiment"] = "y";
  EXPECT_EQ(uut.answer(other, route_named("pause")).status, 404U);
}

TEST_F(record_orders_test, name_requests_where_a_head_takes_experiments) {
  record_orders uut{*model, nobody, true};
  auto detail = [&](const std::string& body, const std::string& id, const std::string& trial = {}) {
    auto told = object_from_json(uut.answer(request_with(body, trial), route_named(id)).body);
    return told ? to_text(*told->find("detail")) : std::string{};
  };
  for (const auto& text : {detail("{}", "pause"), detail(R"({"config":{}})", "add")}) {
    EXPECT_THAT(text, HasSubstr("POST /api/v1/experiments?resume=auto with its archive goes on"));
    EXPECT_THAT(text, testing::Not(HasSubstr("--")));
  }
}

TEST(submissions, name_what_a_request_can_say) {
  EXPECT_EQ(in_words_of_requests("go on with it by " + std::string{way_to_resume()}
                                 + ", or begin beside it by " + std::string{way_to_number()}),
            "go on with it by resume=auto in the query, or begin beside it by name = auto in "
            "[experiment]");
}

} // namespace
} // namespace tune::cli

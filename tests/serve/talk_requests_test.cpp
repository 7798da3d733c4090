// SPDX-License-Identifier: BSD-3-Clause
#include "serve/talk_requests.hpp"

#include "serve/api_routes.hpp"
#include "tune/io/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tune::cli {
namespace {

using testing::HasSubstr;

http::route talk_route(const std::string& id) {
  const auto all = api_routes();
  return *std::find_if(all.begin(), all.end(), [&](const auto& x) { return x.id == id; });
}

http::request said(std::string body) {
  http::request result;
  result.what = http::method::post;
  result.body = std::move(body);
  result.names["experiment"] = "x";
  return result;
}

std::string asked(const std::string& body, const std::string& id = "tell") {
  auto found = talk_request_from(said(body), talk_route(id));
  return found ? to_json(*found) : found.error().detail;
}

/// Answers by what it hears.
class echo final : public hosted_talk {
public:
  std::vector<std::string> heard;
  object gives{{"op", "ok"}};

  [[nodiscard]] const std::string& experiment() const override { return name_; }
  [[nodiscard]] expected<object> answer(const object& request) override {
    heard.push_back(to_json(request));
    if (is_broken)
      return error{ec::storage, "the disk is full"};
    return gives;
  }
  bool is_broken = false;

private:
  std::string name_ = "x";
};

TEST(talk_requests, are_those_of_the_conversation) {
  EXPECT_EQ(asked("", "ask"), R"({"op":"ask"})");
  EXPECT_EQ(asked(R"({"running":["00003"]})", "ask"), R"({"running":["00003"],"op":"ask"})");
  for (const auto* body :
       {R"({"op":"report","trial":"00003","attempt":1,"metrics":{"training_iteration":2}})",
        R"({"op":"complete","trial":"00003","attempt":1})",
        R"({"op":"error","trial":"00003","attempt":1,"message":"m","restore":true})",
        R"({"op":"stop","trial":"00003"})", R"({"op":"add","config":{"x":1}})",
        R"({"op":"alive","running":["00003"]})", R"({"op":"best"})", R"({"op":"status"})"})
    EXPECT_EQ(asked(body), body);
  EXPECT_THAT(asked(R"({"op":"report","trial":3,"attempt":1,"metrics":)"
                    R"({"training_iteration":1,"loss":NaN}})"),
              HasSubstr(R"("loss":"nan")"));
}

TEST(talk_requests, name_attempt_and_iteration) {
  EXPECT_THAT(asked(R"({"op":"report","trial":3,"metrics":{"training_iteration":1}})"),
              HasSubstr("attempt is missing"));
  EXPECT_THAT(asked(R"({"op":"error","trial":3})"), HasSubstr("attempt is missing"));
  EXPECT_THAT(asked(R"({"op":"report","trial":3,"attempt":1,"metrics":{"loss":1}})"),
              HasSubstr("training_iteration is missing"));
}

TEST(talk_requests, are_refused_where_nothing_can_be_meant) {
  for (const auto* body : {"[]", "1", "{", "{}", R"({"op":1})", R"({"op":"ask"})",
                           R"({"op":"best","more":1})", R"({"op":"best","op":"status"})"})
    EXPECT_FALSE(talk_request_from(said(body), talk_route("tell"))) << body;
  EXPECT_FALSE(talk_request_from(said(R"({"op":"ask"})"), talk_route("ask")));
}

TEST(talk_requests, take_the_key_of_an_addition_from_the_header) {
  auto what = said(R"({"op":"add","config":{}})");
  what.headers.add("Idempotency-Key", "k");
  EXPECT_EQ(to_json(*talk_request_from(what, talk_route("tell"))),
            R"({"op":"add","config":{},"key":"k"})");
}

TEST(talk_requests, reach_the_conversation_of_this_process_only) {
  auto talk = std::make_shared<echo>();
  talk_requests uut{talk};
  EXPECT_EQ(uut.answer(said(""), talk_route("ask")).body, R"({"op":"ok"})");
  auto other = said("");
  other.names["experiment"] = "y";
  EXPECT_EQ(uut.answer(other, talk_route("ask")).status, 409U);
  EXPECT_EQ(talk_requests{nullptr}.answer(said(""), talk_route("ask")).status, 409U);
  EXPECT_EQ(talk->heard.size(), 1U);
}

TEST(talk_requests, tell_faults_as_problems) {
  auto talk = std::make_shared<echo>();
  talk_requests uut{talk};
  talk->gives = {{"op", "fault"}, {"error", "there is no trial 00099"}};
  auto told = uut.answer(said(R"({"op":"stop","trial":99})"), talk_route("tell"));
  EXPECT_EQ(told.status, 422U);
  EXPECT_THAT(told.body, HasSubstr("there is no trial 00099"));
  talk->is_broken = true;
  EXPECT_GE(uut.answer(said(""), talk_route("ask")).status, 500U);
}

TEST(talk_requests, carry_out_what_a_conversation_can) {
  auto talk = std::make_shared<echo>();
  talk_requests uut{talk};
  control_request stop;
  stop.what = control_request::op::stop;
  stop.trials = {{3}};
  EXPECT_THAT(uut.carry_out(stop).body, HasSubstr(R"("trial":"00003","outcome":"taken")"));
  EXPECT_EQ(talk->heard.back(), R"({"op":"stop","trial":"00003","outcome":true})");

  control_request add;
  add.what = control_request::op::add;
  add.config = {{"x", 1}};
  add.key = "k";
  talk->gives = {{"op", "trial"}, {"trial", "00007"}};
  EXPECT_THAT(uut.carry_out(add).body, HasSubstr(R"("trial":"00007","outcome":"taken")"));
  EXPECT_EQ(talk->heard.back(), R"({"op":"add","config":{"x":1},"outcome":true,"key":"k"})");
  talk->gives.set("outcome", "needless");
  EXPECT_THAT(uut.carry_out(add).body, HasSubstr(R"("trial":"00007","outcome":"needless")"));

  control_request pause;
  pause.what = control_request::op::pause;
  EXPECT_EQ(uut.carry_out(pause).status, 409U);
  stop.trials.clear();
  EXPECT_EQ(uut.carry_out(stop).status, 409U);
}

} // namespace
} // namespace tune::cli

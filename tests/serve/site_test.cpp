// SPDX-License-Identifier: BSD-3-Clause
#include "serve/site.hpp"

#include "fake_model.hpp"
#include "io/scratch_directory.hpp"
#include "serve/api_routes.hpp"
#include "tune/http/byte_pipe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tune::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class site_test : public samples::scratch_directory {
protected:
  std::unique_ptr<site> uut;
  std::shared_ptr<support::fake_model> model;
  std::unique_ptr<http::http_server> server;
  std::shared_ptr<http::token_file> token;
  const choices all = builtin_choices();

  void SetUp() override {
    scratch_directory::SetUp();
    token = *http::token_file::open(root / "token");
    model = std::make_shared<support::fake_model>(root / "x");
    site_settings how{root, model, {}, token, "1.2.3", &all};
    how.page["index.html"] = {"text/html; charset=utf-8", "00112233445566778899aabbccddeeff",
                              "plain", "packed", false};
    how.page["assets/1/a.js"]
        = {"text/javascript", "ff112233445566778899aabbccddeeff", "code", "", true};
    uut = std::move(*site::make(std::move(how)));
    http::server_settings port;
    port.where = {"127.0.0.1", 0};
    port.token = token;
    server = std::move(*http::http_server::open(port));
    uut->served_by(*server);
  }

  http::response ask(const std::string& id, http::request what = {}) {
    const auto all = api_routes();
    const auto where
        = *std::find_if(all.begin(), all.end(), [&](const auto& x) { return x.id == id; });
    return uut->answer(what, where);
  }
};

TEST_F(site_test, answers_by_the_read_model) {
  http::request what;
  what.path = {"api", "v1", "experiments", "x", "trials"};
  what.query.emplace("limit", "3");
  auto told = ask("view_trials", what);
  EXPECT_EQ(told.body, R"({"path":"/experiments/x/trials","parameters":1})");

  what.headers.add("If-None-Match", std::string{*told.headers.only("ETag")});
  told = ask("view_trials", what);
  EXPECT_EQ(told.status, 304U);
  EXPECT_EQ(told.body, "");
}

TEST_F(site_test, works_once_for_clients_that_say_how_new_an_answer_has_to_be) {
  auto asked = [this](const std::string& at_least, const std::string& limit = "3") {
    http::request what;
    what.path = {"api", "v1", "experiments", "x", "trials"};
    what.query.emplace("limit", limit);
    if (!at_least.empty())
      what.headers.add("Tune-At-Least", at_least);
    const auto before = model->answers();
    EXPECT_EQ(ask("view_trials", what).status, 200U);
    return model->answers() - before;
  };
  model->commit(7);
  EXPECT_EQ(asked("5"), 1);
  EXPECT_EQ(asked("7"), 0);
  EXPECT_EQ(asked("7", "4"), 1) << "another question";
  EXPECT_EQ(asked(""), 1) << "as of now";
  EXPECT_EQ(asked("soon"), 1);
  model->commit(9);
  EXPECT_EQ(asked("7"), 0);
  EXPECT_EQ(asked("8"), 1);
  EXPECT_EQ(asked("9"), 0);
  model->replace();
  EXPECT_EQ(asked("1"), 1) << "of another record";
}

TEST_F(site_test, serves_the_page) {
  auto told = ask("page");
  EXPECT_EQ(told.fixed, "plain");
  EXPECT_EQ(told.headers.only("Cache-Control"), "no-cache");
  http::request what;
  what.path = {"assets", "1", "a.js"};
  told = ask("page_asset", what);
  EXPECT_EQ(told.fixed, "code");
  EXPECT_THAT(std::string{*told.headers.only("Cache-Control")}, HasSubstr("immutable"));
  what = {};
  what.headers.add("Accept-Encoding", "br, gzip");
  told = ask("page", what);
  EXPECT_EQ(told.fixed, "packed");
  EXPECT_EQ(told.headers.only("Content-Encoding"), "gzip");
  what.path = {"none"};
  EXPECT_EQ(ask("page_file", what).status, 404U);
}

TEST_F(site_test, gives_a_cookie_for_the_token_alone) {
  http::request what;
  for (const auto& body :
       {std::string{}, std::string{"{}"}, std::string{"[1]"}, std::string{R"({"token":1})"},
        R"({"token":")" + token->token() + R"(","more":1})"}) {
    what.body = body;
    EXPECT_EQ(ask("session_begin", what).status, 422U) << body;
  }
  what.body = R"({"token":"0"})";
  EXPECT_EQ(ask("session_begin", what).status, 401U);
  what.body = R"({"token":")" + token->token() + "\"}";
  auto told = ask("session_begin", what);
  EXPECT_EQ(told.status, 204U);
  EXPECT_THAT(std::string{*told.headers.only("Set-Cookie")},
              StartsWith("tune-node-" + std::to_string(server->where().port) + "="));
  what.body = R"({"token":"0"})";
  for (int i = 0; i < http::failed_tries::burst; ++i)
    static_cast<void>(ask("session_begin", what));
  EXPECT_EQ(ask("session_begin", what).status, 429U);
}

TEST_F(site_test, tells_about_itself) {
  EXPECT_EQ(ask("health").status, 200U);
  EXPECT_EQ(ask("ready").status, 200U);
  EXPECT_THAT(ask("version").body, HasSubstr("\"version\":\"1.2.3\""));
  model->spoil();
  EXPECT_EQ(ask("ready").status, 503U);
  uut->answers().note(http::method::get, "view_trials", 200);
  auto told = ask("metrics").body;
  EXPECT_THAT(told, HasSubstr("tune_build_info{version=\"1.2.3\"} 1\n"));
  EXPECT_THAT(told, HasSubstr("tune_http_requests_total{method=\"GET\",route=\"view_trials\","
                              "code=\"200\"} 1\n"));
  EXPECT_THAT(told, HasSubstr("process_resident_memory_bytes "));
}

TEST_F(site_test, follows_what_is_there_alone) {
  http::request what;
  what.names["experiment"] = "y";
  EXPECT_EQ(ask("events", what).status, 404U);
  what.names["experiment"] = "x";
  auto told = ask("events", what);
  EXPECT_EQ(told.headers.only("Content-Type"), "text/event-stream");
  ASSERT_NE(told.stream, nullptr);
  told.stream->close();
}

} // namespace
} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/admission.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tune::http {
namespace {

const std::string secret(64, 'a');
const std::chrono::seconds unix_now{1'000'000};

route route_of(method what, std::string pattern, std::string id, access who, std::size_t body = 0) {
  route result;
  result.what = what;
  result.pattern = std::move(pattern);
  result.id = std::move(id);
  result.who = who;
  result.body = body;
  return result;
}

class doorman_test : public testing::Test {
protected:
  doorman uut{router{{route_of(method::get, "/", "page", access::open),
                      route_of(method::get, "/api/x", "look", access::token),
                      route_of(method::post, "/api/x", "change", access::token, 100),
                      route_of(method::del, "/api/x", "remove", access::token),
                      route_of(method::post, "/api/session", "enter", access::open, 100)}},
              host_guard{{"lab:7780", "proxy"}}, "c"};

  /// The status of the answer to a head; 0 if it is let in, 1 if the token is in doubt.
  unsigned status(std::string what, std::string target, std::initializer_list<header_field> fields,
                  bool is_sure = true) {
    request_head head{std::move(what), std::move(target), {}};
    auto has_host = false;
    for (const auto& x : fields) {
      has_host = has_host || x.name == "Host";
      head.headers.add(x.name, x.value);
    }
    if (!has_host)
      head.headers.add("Host", "127.0.0.1:7780");
    auto told = uut.admit(head, secret, is_sure, unix_now, {});
    if (const auto* why = std::get_if<problem>(&told))
      return why->status;
    return std::holds_alternative<admitted>(told) ? 0 : 1;
  }

  const header_field token{"Authorization", "Bearer " + secret};
  const header_field cookie{"Cookie", "c=" + cookie_for(secret, unix_now)};
  const header_field ours{"X-Tune-Node", "1"};
};

TEST_F(doorman_test, opens_the_page_to_all_and_the_rest_to_the_token) {
  EXPECT_EQ(status("GET", "/", {}), 0U);
  EXPECT_EQ(status("GET", "/api/x", {}), 401U);
  EXPECT_EQ(status("GET", "/api/x", {token}), 0U);
  EXPECT_EQ(status("HEAD", "/api/x", {token}), 0U);
  EXPECT_EQ(status("GET", "/api/x", {cookie}), 0U);
  EXPECT_EQ(status("GET", "/api/unknown", {}), 401U) << "strangers do not hear what there is";
  EXPECT_EQ(status("GET", "/api/unknown", {token}), 404U);
}

TEST_F(doorman_test, changes_nothing_by_the_cookie_alone) {
  for (const auto* what : {"POST", "DELETE"}) {
    EXPECT_EQ(status(what, "/api/x", {}), 401U) << what;
    EXPECT_EQ(status(what, "/api/x", {cookie}), 403U) << what;
    EXPECT_EQ(status(what, "/api/x", {cookie, ours}), 0U) << what;
    EXPECT_EQ(status(what, "/api/x", {token}), 0U) << what;
  }
}

TEST_F(doorman_test, knows_no_other_methods) {
  for (const auto* what : {"PUT", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "FOO", "POST "})
    EXPECT_EQ(status(what, "/api/x", {token}), 405U) << what;
}

TEST_F(doorman_test, refuses_hosts_that_it_does_not_go_by) {
  for (const auto* host : {"localhost", "LOCALHOST:1", "127.0.0.1", "127.1.2.3:80", "[::1]:7780",
                           "lab:7780", "proxy", "proxy:443", "Proxy"})
    EXPECT_EQ(status("GET", "/", {{"Host", host}}), 0U) << host;
  for (const auto* host :
       {"evil.example", "lab", "lab:80", "localhost.evil.example", "127.0.0.1.evil.example",
        "127.1", "evil@127.0.0.1", "127.0.0.1:7780:80", "[::1", "[::2]", "",
        "localhost:", "localhost:port", "127.0.0.1 evil", "0.0.0.0", "localhost."})
    EXPECT_EQ(status("GET", "/", {{"Host", host}}), 403U) << host;
  EXPECT_EQ(status("GET", "/", {{"Host", "localhost"}, {"Host", "evil.example"}}), 403U);
}

TEST_F(doorman_test, refuses_pages_of_others) {
  const header_field same{"Origin", "http://127.0.0.1:7780"};
  for (const auto* what : {"GET", "POST", "DELETE"}) {
    EXPECT_EQ(status(what, "/api/x", {token, same}), 0U) << what;
    for (const auto* from : {"http://evil.example", "null", "http://127.0.0.1:7781",
                             "http://localhost:7780", "http://127.0.0.1", "file://", ""})
      EXPECT_EQ(status(what, "/api/x", {token, {"Origin", from}}), 403U) << what << from;
    for (const auto* site : {"cross-site", "same-site", "odd"})
      EXPECT_EQ(status(what, "/api/x", {token, {"Sec-Fetch-Site", site}}), 403U) << what << site;
    EXPECT_EQ(status(what, "/api/x", {token, {"Sec-Fetch-Site", "same-origin"}}), 0U);
    EXPECT_EQ(status(what, "/api/x", {token, same, {"Origin", "null"}}), 403U);
  }
  EXPECT_EQ(status("POST", "/api/session", {{"Origin", "http://evil.example"}}), 403U);
  EXPECT_EQ(status("GET", "/", {{"Sec-Fetch-Site", "cross-site"}}), 0U) << "a link leads here";
}

TEST_F(doorman_test, has_the_token_read_again_before_it_refuses) {
  const header_field wrong{"Authorization", "Bearer " + std::string(64, 'b')};
  EXPECT_EQ(status("GET", "/api/x", {wrong}, false), 1U);
  EXPECT_EQ(status("GET", "/api/x", {wrong}, true), 401U);
}

TEST_F(doorman_test, slows_down_who_guesses_and_nobody_else) {
  const header_field wrong{"Authorization", "Bearer " + std::string(64, 'b')};
  for (int i = 0; i < failed_tries::burst; ++i)
    EXPECT_EQ(status("GET", "/api/x", {wrong}), 401U);
  EXPECT_EQ(status("GET", "/api/x", {wrong}), 429U);
  EXPECT_EQ(status("GET", "/api/x", {token}), 0U);
}

TEST_F(doorman_test, looks_at_the_body_before_it_comes) {
  const header_field json{"Content-Type", "application/json"};
  EXPECT_EQ(status("POST", "/api/x", {token, json, {"Content-Length", "100"}}), 0U);
  EXPECT_EQ(status("POST", "/api/x", {token, json, {"Content-Length", "101"}}), 413U);
  EXPECT_EQ(status("POST", "/api/x", {token, json, {"Content-Length", "99999999999999999999"}}),
            400U);
  EXPECT_EQ(status("POST", "/api/x", {token, json, {"Content-Length", "-1"}}), 400U);
  EXPECT_EQ(status("POST", "/api/x", {token, json, {"Content-Length", "1, 1"}}), 400U);
  EXPECT_EQ(
      status("POST", "/api/x", {token, json, {"Content-Length", "1"}, {"Content-Length", "1"}}),
      400U);
  EXPECT_EQ(status("POST", "/api/x",
                   {token, json, {"Content-Length", "1"}, {"Transfer-Encoding", "chunked"}}),
            400U);
  EXPECT_EQ(status("POST", "/api/x", {token, json, {"Transfer-Encoding", "gzip, chunked"}}), 501U);
  EXPECT_EQ(status("POST", "/api/x", {token, json, {"Transfer-Encoding", "Chunked"}}), 0U);
  EXPECT_EQ(status("POST", "/api/x", {token, {"Content-Length", "5"}}), 415U);
  EXPECT_EQ(
      status("POST", "/api/x", {token, {"Content-Type", "text/plain"}, {"Content-Length", "5"}}),
      415U)
      << "a form can send that";
  EXPECT_EQ(status("GET", "/api/x", {token, json, {"Content-Length", "1"}}), 413U);
  EXPECT_EQ(status("GET", "/api/x", {token, json, {"Transfer-Encoding", "chunked"}}), 413U);
}

} // namespace
} // namespace tune::http

// SPDX-License-Identifier: BSD-3-Clause
#include "serve/api_routes.hpp"
#include "serve/downloads.hpp"

#include "tune/core/value.hpp"
#include "tune/io/json.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tune::cli {
namespace {

/// The routes of a description, as "get /path".
std::set<std::string> described(const object& text) {
  std::set<std::string> result;
  for (const auto& [path, methods] : *text.find("paths")->as_object())
    for (const auto& [method, operation] : *methods.as_object())
      result.insert(method + " " + path);
  return result;
}

std::string line_of(const http::route& x) {
  auto path = x.pattern;
  if (auto dots = path.find("...}"); dots != path.npos)
    path.erase(dots, 3);
  const auto what = x.what == http::method::post  ? "post"
                    : x.what == http::method::del ? "delete"
                                                  : "get";
  return std::string{what} + " " + path;
}

TEST(api_routes, have_names_and_places_of_their_own) {
  std::set<std::string> ids;
  std::set<std::string> places;
  for (const auto& x : api_routes()) {
    EXPECT_TRUE(ids.insert(x.id).second) << x.id;
    EXPECT_TRUE(places.insert(line_of(x)).second) << x.pattern;
    EXPECT_FALSE(x.summary.empty()) << x.id;
  }
}

TEST(api_routes, want_the_token_for_all_that_tells_or_changes_something) {
  const std::set<std::string> open{"health",    "ready",      "version",       "page",
                                   "page_file", "page_asset", "session_begin", "session_end"};
  for (const auto& x : api_routes())
    EXPECT_EQ(x.who == http::access::open, open.count(x.id) > 0) << x.id;
}

TEST(api_routes, are_all_described_and_no_others) {
  const auto text = openapi_text(api_routes(), "1.2.3");
  auto read = object_from_json(text);
  ASSERT_TRUE(read);

  std::set<std::string> there;
  for (const auto& x : api_routes())
    there.insert(line_of(x));
  EXPECT_EQ(described(*read), there);
  EXPECT_EQ(find_path(*read, "info/version")->as_string()->c_str(), std::string{"1.2.3"});
}

TEST(api_routes, are_found_by_what_is_described) {
  const http::router router{api_routes()};
  for (const auto& x : api_routes()) {
    std::vector<std::string> path;
    for (std::size_t i = 0; i < x.pattern.size();) {
      const auto end = std::min(x.pattern.find('/', i), x.pattern.size());
      if (end > i)
        path.push_back(x.pattern.substr(i, end - i));
      i = end + 1;
    }
    const auto found = router.find(x.what, path);
    const auto* match = std::get_if<http::route_match>(&found);
    ASSERT_NE(match, nullptr) << x.id;
    EXPECT_EQ(match->which->id, x.id);
  }
}

TEST(downloads, have_names_that_cannot_break_out) {
  EXPECT_EQ(attachment_named("model.pt"),
            "attachment; filename=\"model.pt\"; filename*=UTF-8''model.pt");
  EXPECT_EQ(attachment_named("a\"; x=\r\ny"),
            "attachment; filename=\"a___x___y\"; filename*=UTF-8''a%22%3B%20x%3D%0D%0Ay");
}

} // namespace
} // namespace tune::cli

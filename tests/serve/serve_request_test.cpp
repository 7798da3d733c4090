// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_line.hpp"
#include "serve/serving.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tune::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

serve_request parsed(const words& all) {
  auto line = parse(all);
  EXPECT_TRUE(line) << (line ? "" : line.error().detail);
  return line ? std::get<serve_request>(line->what) : serve_request{};
}

TEST(serve_request, has_a_place_of_its_own_and_no_other_reader) {
  auto uut = parsed({"serve"});
  EXPECT_EQ(uut.place, "results");
  EXPECT_FALSE(uut.http.where);
  EXPECT_FALSE(uut.http.new_token);
}

TEST(serve_request, takes_what_is_given) {
  auto uut = parsed({"serve", "results/x", "--http", "[::1]:0", "--token-file", "t", "--certs", "c",
                     "--new-token", "--allow-host", "lab,proxy:443"});
  EXPECT_EQ(uut.place, "results/x");
  EXPECT_EQ(uut.http.where, (peer_address{"::1", 0}));
  EXPECT_EQ(uut.http.token_file, "t");
  EXPECT_EQ(uut.http.certs, "c");
  EXPECT_TRUE(uut.http.new_token);
  EXPECT_THAT(uut.http.names, ElementsAre("lab", "proxy:443"));
}

TEST(serve_request, refuses_what_is_no_place) {
  EXPECT_FALSE(parse({"serve", "a", "b"}));
  EXPECT_FALSE(parse({"serve", "--http", "7780"}));
  EXPECT_THAT(parse({"serve", "--allow-host", "http://lab"}).error().detail, HasSubstr("no host"));
  EXPECT_FALSE(parse({"run", "x.ini", "--http", "127.0.0.1:0", "--head", "h:1"}));
}

TEST(serve_request, is_refused_where_others_could_listen_in) {
  http_request how;
  how.where = peer_address{"0.0.0.0", 0};
  how.certs = "/none";
  how.token_file = "/none/token";
  auto can = can_serve(how);
  ASSERT_FALSE(can);
  EXPECT_EQ(can.error().code, ec::refused);
  EXPECT_THAT(can.error().detail, HasSubstr("certs"));
}

} // namespace
} // namespace tune::cli

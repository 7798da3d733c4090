// SPDX-License-Identifier: BSD-3-Clause
#include "output/write_certificates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace tune::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr calendar_time noon{std::chrono::seconds{1'000'000'000}}; // 2001-09-09 01:46:40

std::vector<found_certificate> two() {
  found_certificate authority{"c/ca.pem", {}, key_state::missing, true};
  authority.facts = {"O=tune-node, CN=lab 01",
                     "O=tune-node, CN=lab 01",
                     "lab 01",
                     {},
                     "0a",
                     {noon, noon + std::chrono::days{10}},
                     "aabb",
                     true};
  found_certificate node{"c/node.pem", {}, key_state::exposed, std::nullopt};
  node.facts = {"O=tune-node, CN=\x1b[2J",
                "O=tune-node, CN=lab 01",
                "w1",
                {"w1", "10.0.0.7"},
                "0b",
                {noon - std::chrono::days{3}, noon - std::chrono::hours{1}},
                "ccdd",
                false};
  return {authority, node};
}

std::string written(output_format format) {
  std::ostringstream out;
  write_certificates(two(), noon + std::chrono::hours{1}, format, {}, out);
  return out.str();
}

TEST(write_certificates, gives_people_what_they_need_to_judge) {
  EXPECT_EQ(written(output_format::table), R"(c/ca.pem
  subject       O=tune-node, CN=lab 01
  issuer        O=tune-node, CN=lab 01
  valid         2001-09-09 01:46:40 UTC to 2001-09-19 01:46:40 UTC (9 days left: renew it)
  SHA-256       aabb
  key           not here
c/node.pem
  subject       O=tune-node, CN=\x1b[2J
  issuer        O=tune-node, CN=lab 01
  names         w1, 10.0.0.7
  valid         2001-09-06 01:46:40 UTC to 2001-09-09 00:46:40 UTC (expired)
  SHA-256       ccdd
  key           fits, but other users may use it: chmod 600
  signed by CA  no ca.pem here
)");
}

TEST(write_certificates, gives_programs_one_object_each) {
  auto lines = written(output_format::jsonl);
  EXPECT_THAT(lines, HasSubstr(R"("valid_until":"2001-09-19T01:46:40Z","days_left":9,)"));
  EXPECT_THAT(lines, HasSubstr(R"("days_left":-1,"sha256":"ccdd","key":"exposed","signed_by_ca":)"
                               R"(null})"));
  EXPECT_THAT(lines, Not(HasSubstr("\x1b")));
  EXPECT_THAT(written(output_format::json), HasSubstr("[\n  {\"file\":\"c/ca.pem\","));
}

TEST(write_certificates, gives_spreadsheets_a_line_each) {
  EXPECT_THAT(written(output_format::csv),
              HasSubstr("\nc/ca.pem,true,\"O=tune-node, CN=lab 01\",\"O=tune-node, CN=lab 01\",,0a,"
                        "2001-09-09T01:46:40Z,2001-09-19T01:46:40Z,9,aabb,missing,true\n"));
}

} // namespace
} // namespace tune::cli

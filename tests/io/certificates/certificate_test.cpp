// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/certificates/certificate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// 2001-09-09 to 2033-05-18; then a span beyond 2050, from where X.509 encodes dates differently.
constexpr validity_span some_years{calendar_time{std::chrono::seconds{1'000'000'000}},
                                   calendar_time{std::chrono::seconds{2'000'000'000}}};
constexpr validity_span far_years{calendar_time{std::chrono::seconds{2'000'000'000}},
                                  calendar_time{std::chrono::seconds{4'000'000'000}}};

key_pair authority(const std::string& cluster = "lab", validity_span valid = some_years) {
  auto made = make_authority(cluster, valid);
  EXPECT_TRUE(made) << (made ? "" : to_text(made.error()));
  return made ? *made : key_pair{};
}

certificate_facts facts(const std::string& pem) {
  auto read = read_certificate(pem);
  EXPECT_TRUE(read) << (read ? "" : to_text(read.error()));
  return read ? *read : certificate_facts{};
}

TEST(certificate, of_an_authority_says_what_it_is) {
  auto made = authority();
  auto x = facts(made.certificate);

  EXPECT_TRUE(x.is_authority);
  EXPECT_THAT(x.name, StartsWith("lab "));
  EXPECT_THAT(x.subject, HasSubstr("CN=lab "));
  EXPECT_EQ(x.subject, x.issuer);
  EXPECT_EQ(x.valid, some_years);
  EXPECT_EQ(x.fingerprint.size(), 64u);
  EXPECT_TRUE(key_fits(made.certificate, made.key));
  EXPECT_TRUE(is_signed_by(made.certificate, made.certificate));
}

TEST(certificate, of_two_authorities_differ_though_named_alike) {
  auto a = authority();
  auto b = authority();

  EXPECT_NE(facts(a.certificate).subject, facts(b.certificate).subject);
  EXPECT_NE(facts(a.certificate).fingerprint, facts(b.certificate).fingerprint);
  EXPECT_FALSE(is_signed_by(a.certificate, b.certificate));
  EXPECT_FALSE(key_fits(a.certificate, b.key));
}

TEST(certificate, of_a_node_names_all_its_hosts) {
  auto ca = authority();
  auto made
      = issue_certificate(ca, {"w1", {"w1.lab.example", "10.0.0.7", "fd00::7", "w1"}}, far_years);

  ASSERT_TRUE(made) << to_text(made.error());
  auto x = facts(made->certificate);
  EXPECT_EQ(x.name, "w1");
  EXPECT_THAT(x.hosts, ElementsAre("w1", "w1.lab.example", "10.0.0.7", "fd00::7"));
  EXPECT_EQ(x.issuer, facts(ca.certificate).subject);
  EXPECT_EQ(x.valid, far_years);
  EXPECT_FALSE(x.is_authority);
  EXPECT_LE(x.serial.size(), 34u) << "128 bits, and a zero where the first bit is set";
  EXPECT_TRUE(key_fits(made->certificate, made->key));
  EXPECT_TRUE(is_signed_by(made->certificate, ca.certificate));
}

TEST(certificate, has_a_number_and_key_of_its_own_each_time) {
  auto ca = authority();
  auto a = issue_certificate(ca, {"w1", {}}, some_years);
  auto b = issue_certificate(ca, {"w1", {}}, some_years);

  ASSERT_TRUE(a && b);
  EXPECT_NE(facts(a->certificate).serial, facts(b->certificate).serial);
  EXPECT_NE(a->key, b->key);
  EXPECT_FALSE(key_fits(a->certificate, b->key));
}

TEST(certificate, is_not_issued_by_what_is_no_authority) {
  auto ca = authority();
  auto node = issue_certificate(ca, {"w1", {}}, some_years);
  ASSERT_TRUE(node);

  for (const auto& wrong : {*node, key_pair{ca.certificate, node->key}, key_pair{"", ca.key},
                            key_pair{ca.certificate, "nonsense"}}) {
    auto made = issue_certificate(wrong, {"w2", {}}, some_years);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ec::refused);
  }
}

TEST(certificate, takes_no_names_that_could_mean_something_else) {
  auto ca = authority();
  for (const auto* name : {"", "-x", ".x", "a b", "a,DNS:b", "a\nb", "a/b", "\xc3\xa4"}) {
    EXPECT_FALSE(is_node_name(name)) << name;
    EXPECT_FALSE(is_cluster_name(name)) << name;
    EXPECT_FALSE(make_authority(name, some_years)) << name;
    EXPECT_FALSE(issue_certificate(ca, {name, {}}, some_years)) << name;
    EXPECT_FALSE(issue_certificate(ca, {"w1", {name}}, some_years)) << name;
  }
  EXPECT_TRUE(is_node_name(std::string(64, 'x')));
  EXPECT_FALSE(is_node_name(std::string(65, 'x')));
  EXPECT_TRUE(make_authority(std::string(40, 'x'), some_years));
  EXPECT_FALSE(make_authority(std::string(41, 'x'), some_years));
  EXPECT_TRUE(issue_certificate(ca, {std::string(64, 'x'), {"::1"}}, some_years));
}

TEST(certificate, is_not_read_from_anything_else) {
  auto ca = authority();
  for (const auto& text : {std::string{}, std::string{"nonsense"}, ca.key,
                           ca.certificate.substr(0, ca.certificate.size() / 2)}) {
    auto read = read_certificate(text);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ec::refused);
  }
}

TEST(certificate, dates_are_written_in_utc) {
  EXPECT_EQ(date_text(some_years.from), "2001-09-09 01:46:40 UTC");
}

} // namespace
} // namespace tune

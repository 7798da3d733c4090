// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/certificates/own_certificate.hpp"

#include "certificate_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace tune {
namespace {

using samples::days_around;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
namespace fs = std::filesystem;

class identity : public samples::certificate_test {
protected:
  /// The one-line reason for which the directory is refused.
  std::string refusal(const fs::path& directory) {
    auto loaded = load_own_certificate(directory, now);
    EXPECT_FALSE(loaded);
    if (loaded)
      return {};
    EXPECT_EQ(loaded.error().code, ec::refused);
    EXPECT_THAT(loaded.error().detail, Not(HasSubstr("\n")));
    return loaded.error().detail;
  }
};

TEST_F(identity, names_the_file_that_is_missing_and_the_commands_that_mend_it) {
  for (const auto* missing : {"ca.pem", "node.pem", "node.key"}) {
    auto directory = make_cluster(std::string{"without-"} + missing);
    fs::remove(directory / missing);
    EXPECT_THAT(refusal(directory),
                AllOf(StartsWith((directory / missing).string() + ": there is no such file"),
                      HasSubstr("tune-node certs init --certs " + directory.string()),
                      HasSubstr("tune-node certs issue NAME --out DIR")));
  }
  EXPECT_THAT(refusal(root / "nowhere"), HasSubstr("tune-node certs init"));
}

TEST_F(identity, is_taken_from_three_files_anywhere) {
  auto directory = make_cluster("lab");
  fs::rename(directory / "node.key", root / "k");

  auto loaded = load_own_certificate(
      tls_files{directory / "node.pem", root / "k", directory / "ca.pem"}, now);

  ASSERT_TRUE(loaded) << to_text(loaded.error());
  EXPECT_EQ(loaded->certificate.issuer, loaded->authority.subject);
}

TEST_F(identity, is_refused_where_others_may_use_its_key) {
  auto directory = make_cluster("lab");
  for (mode_t mode : {0640, 0604, 0620, 0601}) {
    ASSERT_EQ(::chmod((directory / "node.key").c_str(), mode), 0);
    EXPECT_THAT(refusal(directory), HasSubstr("chmod 600 " + (directory / "node.key").string()));
  }
  ASSERT_EQ(::chmod((directory / "node.key").c_str(), 0400), 0);
  EXPECT_TRUE(load_own_certificate(directory, now));
}

TEST_F(identity, is_refused_where_files_do_not_belong_together) {
  auto lab = make_cluster("lab");
  auto office = make_cluster("office");

  auto mixed = [&](const fs::path& certificate, const fs::path& key, const fs::path& authority) {
    auto loaded = load_own_certificate(tls_files{certificate, key, authority}, now);
    EXPECT_FALSE(loaded);
    return loaded ? std::string{} : loaded.error().detail;
  };

  EXPECT_THAT(mixed(lab / "node.pem", office / "node.key", lab / "ca.pem"),
              HasSubstr("node.key: does not belong to"));
  EXPECT_THAT(mixed(lab / "node.pem", lab / "node.key", office / "ca.pem"),
              HasSubstr("was not signed by the CA in " + (office / "ca.pem").string()));
  EXPECT_THAT(mixed(lab / "node.pem", lab / "node.key", lab / "node.pem"),
              HasSubstr("not the certificate of a CA"));
  EXPECT_THAT(mixed(lab / "ca.pem", lab / "ca.key", lab / "ca.pem"),
              HasSubstr("not fit for a node"));
}

TEST_F(identity, is_refused_before_and_after_its_time) {
  auto lab = make_cluster("lab");
  auto old = make_node(lab, "old", days_around(now, -20, -10));
  auto early = make_node(lab, "early", days_around(now, 10, 20));

  EXPECT_THAT(refusal(old), AllOf(HasSubstr("node.pem: expired on "),
                                  HasSubstr(date_text(now - std::chrono::days{10}))));
  EXPECT_THAT(refusal(early), AllOf(HasSubstr("node.pem: valid only from "),
                                    HasSubstr(date_text(now + std::chrono::days{10}))));
  EXPECT_TRUE(load_own_certificate(old, now - std::chrono::days{15}));
}

TEST_F(identity, is_refused_when_its_ca_has_expired) {
  auto made = make_authority("old", days_around(now, -20, -10));
  ASSERT_TRUE(made);
  fill(root / "old/ca.pem", made->certificate);
  fill(root / "old/ca.key", made->key);
  auto node = make_node(root / "old", "w1", days_around(now, -20, 20));

  EXPECT_THAT(refusal(node), HasSubstr("ca.pem: expired on "));
}

TEST_F(identity, is_refused_where_a_file_is_something_else) {
  auto fresh
      = [this, number = 0]() mutable { return make_cluster("c" + std::to_string(++number)); };

  auto x = fresh();
  fill(x / "node.pem", "nonsense");
  EXPECT_THAT(refusal(x), HasSubstr("node.pem: holds no certificate"));
  x = fresh();
  fill(x / "ca.pem", "");
  EXPECT_THAT(refusal(x), HasSubstr("ca.pem: holds no certificate"));
  x = fresh();
  fill(x / "node.key", "nonsense");
  EXPECT_THAT(refusal(x), HasSubstr("node.key: holds no private key"));
  x = fresh();
  fill(x / "ca.pem", content(x / "ca.pem") + content(fresh() / "ca.pem"));
  EXPECT_THAT(refusal(x), HasSubstr("ca.pem: holds more than one certificate"));
  x = fresh();
  fill(x / "ca.pem", std::string(2 * 1024 * 1024, 'x'));
  EXPECT_THAT(refusal(x), HasSubstr("too large"));
  x = fresh();
  fs::remove(x / "ca.pem");
  fs::create_directory(x / "ca.pem");
  EXPECT_THAT(refusal(x), HasSubstr("not a file"));
  x = fresh();
  fs::remove(x / "node.key");
  fs::create_symlink(x / "nowhere", x / "node.key");
  EXPECT_THAT(refusal(x), HasSubstr("node.key: there is no such file"));
}

TEST_F(identity, never_asks_for_a_passphrase) {
  auto x = make_cluster("lab");
  // Marked as by `openssl pkey -aes128`; the rest need not be sound to trigger the question.
  fill(x / "node.key", "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
                       "MIIBvTBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQI\n"
                       "-----END ENCRYPTED PRIVATE KEY-----\n");

  EXPECT_THAT(refusal(x), HasSubstr("passphrase"));
}

} // namespace
} // namespace tune

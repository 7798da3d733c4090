// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/probe/probe.hpp"

#include "io/certificates/certificate_samples.hpp"
#include "small_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

namespace tune {
namespace {

using namespace std::chrono_literals;
using samples::closed_port;
using samples::days_around;
using samples::plain_service;
using samples::small_server;
using samples::tls_manners;
using samples::tls_service;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
namespace fs = std::filesystem;

/// Much longer than any answer takes; a test that waits that long has failed.
probe_deadline patient() {
  return std::chrono::steady_clock::now() + 60s;
}

/// For tests in which no answer comes.
probe_deadline soon() {
  return std::chrono::steady_clock::now() + 200ms;
}

peer_address at(std::uint16_t port) {
  return {"127.0.0.1", port};
}

class probe : public samples::certificate_test {
protected:
  fs::path lab;

  void SetUp() override {
    certificate_test::SetUp();
    lab = make_cluster("lab");
  }

  static tls_files files_in(const fs::path& directory) {
    return {directory / "node.pem", directory / "node.key", directory / "ca.pem"};
  }

  /// The identity in a directory, `later` than now.
  own_certificate identity_of(const fs::path& directory, std::chrono::days later = {}) {
    auto loaded = load_own_certificate(directory, now + later);
    EXPECT_TRUE(loaded) << (loaded ? "" : to_text(loaded.error()));
    return loaded ? *loaded : own_certificate{};
  }

  static void expect(const probe_result& result, probe_outcome outcome, const std::string& why) {
    EXPECT_EQ(to_text(result.outcome), to_text(outcome)) << result.detail;
    EXPECT_THAT(result.detail, HasSubstr(why));
    EXPECT_THAT(result.detail, StartsWith("127.0.0.1:"));
    EXPECT_THAT(result.detail, Not(HasSubstr("\n")));
  }
};

TEST_F(probe, reaches_a_listener) {
  small_server server{plain_service("")};
  auto result = probe_tcp(at(server.port()), patient());
  EXPECT_TRUE(result) << result.detail;
  EXPECT_EQ(result.detail, "");
}

TEST_F(probe, reaches_a_listener_by_name) {
  small_server server{plain_service("")};
  auto result = probe_tcp({"localhost", server.port()}, patient());
  EXPECT_TRUE(result) << result.detail;
}

TEST_F(probe, tells_a_closed_port) {
  closed_port nobody;
  expect(probe_tcp(at(nobody.port()), patient()), probe_outcome::refused, "nobody listens");
  expect(probe_plain(at(nobody.port()), patient()), probe_outcome::refused, "nobody listens");
  expect(probe_tls(at(nobody.port()), identity_of(lab), patient()), probe_outcome::refused,
         "nobody listens");
}

TEST_F(probe, tells_a_name_that_cannot_be_resolved) {
  // No name server is asked, since a label has at most 63 characters.
  const std::string name(80, 'x');
  auto result = probe_tcp({name, 4242}, patient());
  EXPECT_EQ(to_text(result.outcome), to_text(probe_outcome::name_not_found)) << result.detail;
  EXPECT_THAT(result.detail, StartsWith(name + ":4242: its name cannot be resolved: "));
}

TEST_F(probe, gives_up_when_the_time_is_over) {
  samples::full_listener busy;
  expect(probe_tcp(at(busy.port()), soon()), probe_outcome::timed_out, "no answer in time");
}

TEST_F(probe, of_a_peer_of_the_cluster_succeeds) {
  ASSERT_TRUE(issue_certificates(lab, root / "w1", order("w1")));
  small_server server{tls_service({files_in(lab)})};
  auto result = probe_tls(at(server.port()), identity_of(root / "w1"), patient());
  EXPECT_TRUE(result) << result.detail;
}

TEST_F(probe, tells_a_peer_of_another_cluster) {
  auto office = make_cluster("office");
  small_server server{tls_service({files_in(office)})};
  expect(probe_tls(at(server.port()), identity_of(lab), patient()), probe_outcome::peer_is_foreign,
         "is of another CA (O=tune-node, CN=office ");
}

TEST_F(probe, tells_a_peer_whose_certificate_is_not_valid_now) {
  auto old = make_node(lab, "old", days_around(now, -20, -10));
  small_server first{tls_service({files_in(old)})};
  expect(probe_tls(at(first.port()), identity_of(lab), patient()), probe_outcome::peer_expired,
         "(O=tune-node, CN=old) expired on " + date_text(now - std::chrono::days{10}));

  auto early = make_node(lab, "early", days_around(now, 10, 20));
  small_server second{tls_service({files_in(early)})};
  expect(probe_tls(at(second.port()), identity_of(lab), patient()),
         probe_outcome::peer_not_yet_valid,
         "valid only from " + date_text(now + std::chrono::days{10}));
}

TEST_F(probe, tells_that_the_peer_does_not_know_our_ca) {
  // The peer's certificate is of this cluster's CA, but the peer trusts another CA.
  auto office = make_cluster("office");
  auto files = files_in(lab);
  files.authority = office / "ca.pem";
  small_server server{tls_service({files})};
  expect(probe_tls(at(server.port()), identity_of(lab), patient()), probe_outcome::we_are_foreign,
         "the peer refused our certificate: it is of another CA");
}

TEST_F(probe, tells_that_our_certificate_has_expired_for_the_peer) {
  auto old = make_node(lab, "old", days_around(now, -20, -10));
  small_server server{tls_service({files_in(lab)})};
  expect(probe_tls(at(server.port()), identity_of(old, std::chrono::days{-15}), patient()),
         probe_outcome::we_expired, "the peer refused our certificate: ");
}

TEST_F(probe, tells_a_peer_that_speaks_no_tls) {
  for (const std::string text : {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n"}) {
    small_server server{plain_service(text)};
    expect(probe_tls(at(server.port()), identity_of(lab), patient()), probe_outcome::not_tls,
           "does not speak TLS");
  }
  small_server zeros{plain_service(std::string(36, '\0'))};
  expect(probe_tls(at(zeros.port()), identity_of(lab), patient()), probe_outcome::not_tls,
         "does not speak TLS");
}

TEST_F(probe, tells_a_peer_that_only_looks_like_tls) {
  small_server server{plain_service("\x16\x03\x03 nonsense that begins like a handshake")};
  auto result = probe_tls(at(server.port()), identity_of(lab), soon());
  EXPECT_TRUE(result.outcome == probe_outcome::tls_failed
              || result.outcome == probe_outcome::timed_out)
      << result.detail;
}

TEST_F(probe, tells_a_peer_of_older_tls) {
  small_server server{tls_service({files_in(lab), true, "x", TLS1_2_VERSION})};
  expect(probe_tls(at(server.port()), identity_of(lab), patient()), probe_outcome::tls_failed,
         "does not speak TLS 1.3");
}

TEST_F(probe, tells_a_peer_that_hangs_up) {
  small_server at_once{[](int) {}};
  expect(probe_tls(at(at_once.port()), identity_of(lab), patient()), probe_outcome::closed,
         "hung up during the TLS handshake");
  small_server afterwards{tls_service({files_in(lab), true, ""})};
  expect(probe_tls(at(afterwards.port()), identity_of(lab), patient()), probe_outcome::closed,
         "hung up after the TLS handshake");
  small_server plain{[](int) {}};
  expect(probe_plain(at(plain.port()), patient()), probe_outcome::closed, "hung up");
}

TEST_F(probe, tells_a_silent_peer) {
  small_server server{plain_service("")};
  expect(probe_tls(at(server.port()), identity_of(lab), soon()), probe_outcome::timed_out,
         "no answer to the TLS handshake in time");
}

TEST_F(probe, without_tls_wants_a_first_byte) {
  small_server talking{plain_service("x")};
  auto result = probe_plain(at(talking.port()), patient());
  EXPECT_TRUE(result) << result.detail;

  small_server server{tls_service({files_in(lab)})};
  expect(probe_plain(at(server.port()), soon()), probe_outcome::wants_tls, "seems to want TLS");
}

TEST_F(probe, tells_files_that_went_bad_since_they_were_loaded) {
  closed_port nobody;
  auto identity = identity_of(lab);
  fill(lab / "node.key", "nonsense");
  expect(probe_tls(at(nobody.port()), identity, patient()), probe_outcome::local_fault, "node.key");
}

TEST(peer_address, is_written_with_brackets_where_colons_would_mislead) {
  EXPECT_EQ(to_text(peer_address{"w1", 4242}), "w1:4242");
  EXPECT_EQ(to_text(peer_address{"::1", 4242}), "[::1]:4242");
}

} // namespace
} // namespace tune

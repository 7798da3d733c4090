// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/caf_streams.hpp"
#include "tune/net/system.hpp"

#include "io/certificates/certificate_samples.hpp"
#include "io/probe/small_server.hpp"
#include "support/attacks.hpp"
#include "support/real_system.hpp"

#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <tuple>

namespace tune {
namespace {

using support::patience;
using pong_actor = typed_actor<caf::result<std::uint64_t>(ping_atom, std::uint64_t)>;

using callers = support::told<caf::strong_actor_ptr>;

pong_actor::behavior_type pong(pong_actor::pointer self, callers* to) {
  return {[self, to](ping_atom, std::uint64_t x) {
    to->add(self->current_sender());
    return x;
  }};
}

/// A process that connects to the listener.
struct peer {
  network_config config;
  caf::actor_system system;
  pong_actor head;

  peer(const transport& how, std::uint16_t port) : config{how, 2}, system{config} {
    auto found = connect_tls<pong_actor>(system, "127.0.0.1", port);
    EXPECT_TRUE(found) << (found ? "" : to_text(found.error()));
    if (found)
      head = *found;
  }

  /// Sends up to `count` pings. @returns how many were answered before the first that was not.
  int pings(int count) {
    caf::scoped_actor self{system};
    int answered = 0;
    for (int sent = 0; sent == answered && sent < count; ++sent)
      request(self.operator->(), head, patience, ping_atom_v, std::uint64_t{1})
          .receive([&](std::uint64_t) { ++answered; }, [](const caf::error&) {});
    return answered;
  }
};

/// The process that peers connect to.
struct listener {
  network_config config;
  callers heard_of;
  caf::actor_system system;
  pong_actor head;
  std::uint16_t port;

  explicit listener(const transport& how, const port_rules& rules = {},
                    const liveness_rules& liveness = {})
      : config{how, 2, liveness}
      , system{config}
      , head{system.spawn(pong, &heard_of)}
      , port{*publish_tls(system, head, 0, "127.0.0.1", rules)} {}
  ~listener() { caf::anon_send_exit(head, caf::exit_reason::user_shutdown); }
};

/// A connection to the port from a process that speaks no TLS.
class stranger_socket {
public:
  /// @param from Loopback address to connect from: 127.0.0.N.
  explicit stranger_socket(std::uint16_t port, std::uint32_t from = 1)
      : descriptor_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    const auto own = address(from, 0);
    const auto where = address(1, port);
    EXPECT_EQ(::bind(descriptor_, reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
    EXPECT_EQ(::connect(descriptor_, reinterpret_cast<const sockaddr*>(&where), sizeof where), 0);
  }
  ~stranger_socket() { ::close(descriptor_); }
  stranger_socket(const stranger_socket&) = delete;
  stranger_socket& operator=(const stranger_socket&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

  void say(const std::string& what) const {
    EXPECT_EQ(::send(descriptor_, what.data(), what.size(), MSG_NOSIGNAL),
              static_cast<::ssize_t>(what.size()));
  }
  /// Waits until the other side sends something or hangs up.
  /// @returns whether it has hung up.
  [[nodiscard]] bool waits_in_vain() const {
    char answer = 0;
    return ::recv(descriptor_, &answer, 1, 0) <= 0;
  }

private:
  int descriptor_;

  static sockaddr_in address(std::uint32_t number, std::uint16_t port) {
    sockaddr_in result{};
    result.sin_family = AF_INET;
    result.sin_port = htons(port);
    result.sin_addr.s_addr = htonl((INADDR_LOOPBACK & ~0xffU) + number);
    return result;
  }
};

/// A member with a certificate that shakes hands when told to, and sends what no node sends.
class raw_member {
public:
  raw_member(const tls_files& files, std::uint16_t port, std::uint32_t from = 1, int newest = 0)
      : socket_{port, from}
      , context_{SSL_CTX_new(TLS_client_method()), SSL_CTX_free}
      , session_{nullptr, SSL_free} {
    SSL_CTX_use_certificate_file(context_.get(), files.certificate.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context_.get(), files.key.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_set_max_proto_version(context_.get(), newest);
    session_.reset(SSL_new(context_.get()));
    SSL_set_fd(session_.get(), socket_.descriptor());
  }

  /// @returns whether both sides accept each other: only then does the port send its greeting.
  [[nodiscard]] bool is_taken() {
    char byte = 0;
    return SSL_connect(session_.get()) == 1 && SSL_read(session_.get(), &byte, 1) == 1;
  }
  void say(const std::string& what) {
    EXPECT_EQ(SSL_write(session_.get(), what.data(), static_cast<int>(what.size())),
              static_cast<int>(what.size()));
  }
  /// Reads everything until the other side hangs up.
  void wait_for_end() {
    char byte = 0;
    while (SSL_read(session_.get(), &byte, 1) == 1) {}
  }

private:
  stranger_socket socket_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::unique_ptr<SSL, decltype(&SSL_free)> session_;
};

class connections : public samples::certificate_test {
protected:
  transport how;
  std::unique_ptr<listener> there;
  std::uint16_t port = 0;

  void SetUp() override {
    certificate_test::SetUp();
    how = *choose_transport({"127.0.0.1", 0}, make_cluster("test"), false);
    there = std::make_unique<listener>(how);
    port = there->port;
  }
  void listen_by(const port_rules& rules, const liveness_rules& liveness = {}) {
    there.reset();
    there = std::make_unique<listener>(how, rules, liveness);
    port = there->port;
  }
  void TearDown() override {
    there.reset();
    certificate_test::TearDown();
  }

  /// A connection that speaks no TLS.
  [[nodiscard]] stranger_socket stranger() const { return stranger_socket{port}; }
};

TEST_F(connections, stay_when_another_one_ends) {
  peer stays{how, port};
  auto goes = std::make_unique<peer>(how, port);
  EXPECT_EQ(goes->pings(1), 1);
  EXPECT_EQ(stays.pings(1), 1);

  goes.reset();

  EXPECT_EQ(stays.pings(100), 100);
}

TEST_F(connections, stay_when_others_speak_no_tls) {
  peer stays{how, port};

  for (int i = 0; i < 20; ++i) {
    stranger().say(std::string(100, static_cast<char>('A' + i)));
    EXPECT_EQ(stays.pings(5), 5);
  }
}

TEST_F(connections, are_refused_to_those_who_want_another_kind_of_actor) {
  network_config other{how, 2};
  caf::actor_system stranger{other};

  auto found = connect_tls<node_actor>(stranger, "127.0.0.1", port);

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ec::refused);
}

TEST_F(connections, are_not_waited_for_when_the_peer_falls_silent) {
  using std::chrono::milliseconds;
  // These servers keep the connection open until this side hangs up.
  for (const auto& manners :
       {samples::tls_service({how.identity->files, true, "x", 0}), samples::plain_service("")}) {
    samples::small_server mute{manners};

    auto found
        = connect_tls<pong_actor>(there->system, "127.0.0.1", mute.port(), milliseconds{100});
    auto plain = connect_plain<pong_actor>(there->system, "127.0.0.1", port, milliseconds{100});

    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ec::unreachable);
    EXPECT_EQ(found.error().detail, "no greeting in time");
    ASSERT_FALSE(plain);
    EXPECT_EQ(plain.error().code, ec::unreachable);
  }
}

TEST_F(connections, to_peers_that_greet_late_outlast_heartbeats) {
  samples::small_server mute{samples::tls_service({how.identity->files, true, "x", 0})};

  auto found
      = connect_tls<pong_actor>(there->system, "127.0.0.1", mute.port(), 3 * heartbeat_interval);

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().detail, "no greeting in time");
}

TEST_F(connections, are_closed_when_the_peer_says_nothing_of_worth) {
  // A peer needs less time than this for its greeting.
  listen_by({std::chrono::seconds{2}, 100});
  auto silent = stranger();
  auto slow = stranger();
  peer stays{how, port};

  slow.say("\x16\x03\x01"); // the beginning of a handshake

  EXPECT_TRUE(silent.waits_in_vain());
  EXPECT_TRUE(slow.waits_in_vain());
  EXPECT_EQ(stays.pings(10), 10);
}

TEST_F(connections, of_strangers_are_so_many_at_a_time) {
  listen_by({std::chrono::hours{1}, 3});
  peer stays{how, port};
  EXPECT_EQ(stays.pings(1), 1); // after which it is no stranger
  auto oldest = stranger();
  auto next = stranger();
  auto more = std::make_unique<stranger_socket>(port);
  peer comes{how, port};

  // The strangers beyond three cost the oldest its connection.
  EXPECT_TRUE(oldest.waits_in_vain());
  more.reset();

  EXPECT_EQ(stays.pings(10), 10);
  EXPECT_EQ(comes.pings(10), 10);
  next.say(std::string(100, 'x'));
  EXPECT_TRUE(next.waits_in_vain()); // because of what it sent
}

TEST_F(connections, outlive_their_certificates) {
  peer stays{how, port};
  std::filesystem::rename(root / "test", root / "elsewhere");

  stranger().say("x"); // a peer of the project would need the files itself

  EXPECT_EQ(stays.pings(5), 5);
}

TEST_F(connections, of_a_crowd_of_strangers_keep_no_member_from_elsewhere_out) {
  listen_by({{std::chrono::hours{1}, 3}});
  raw_member comes{how.identity->files, port, 2};

  for (int i = 0; i < 20; ++i) {
    stranger_socket first{port};
    stranger_socket second{port};
    stranger_socket third{port};
    EXPECT_TRUE(stranger_socket{port}.descriptor() >= 0);
    EXPECT_TRUE(first.waits_in_vain());
  }

  EXPECT_TRUE(comes.is_taken());
}

TEST_F(connections, of_members_that_do_not_greet_are_those_of_strangers) {
  listen_by({{std::chrono::hours{1}, 3}});
  raw_member oldest{how.identity->files, port};
  EXPECT_TRUE(oldest.is_taken());
  oldest.say("x");
  const auto next = stranger();
  const auto more = stranger();
  const auto last = stranger();

  oldest.wait_for_end();
  peer comes{how, port};

  EXPECT_EQ(comes.pings(10), 10);
}

TEST_F(connections, of_one_member_make_room_for_others) {
  const auto other = make_node(root / "test", "other", samples::days_around(now, -1, 10));
  const auto crowd = *choose_transport({"127.0.0.1", 0}, other, false);
  port_rules rules;
  rules.members.most = 4;
  listen_by(rules);
  peer stays{how, port};
  peer first{crowd, port};
  peer second{crowd, port};
  peer newest{crowd, port};
  EXPECT_EQ(stays.pings(1) + first.pings(1) + second.pings(1) + newest.pings(1), 4);
  caf::scoped_actor self{newest.system};
  self->monitor(newest.head);

  testing::internal::CaptureStderr();
  peer comes{how, port};
  EXPECT_EQ(comes.pings(1), 1);

  self->receive([](const caf::down_msg& down) { EXPECT_TRUE(is_unreachable(down.reason)); });
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "was hung up on: members have more than 4 connections"),
            std::string::npos);
  EXPECT_EQ(stays.pings(10), 10);
  EXPECT_EQ(first.pings(10), 10);
  EXPECT_EQ(second.pings(10), 10);
}

/// Stops a peer's connections: it neither reads nor writes.
class held_still {
public:
  explicit held_still(peer& whom) {
    detail::connection_loop(whom.system).post([this] {
      begun_.set_value();
      ends_.get_future().wait();
    });
    begun_.get_future().wait();
  }
  ~held_still() { ends_.set_value(); }
  held_still(const held_still&) = delete;
  held_still& operator=(const held_still&) = delete;

private:
  std::promise<void> begun_;
  std::promise<void> ends_;
};

TEST_F(connections, end_where_the_peer_leaves_too_much_unread) {
  constexpr std::size_t mebibyte = 1024 * 1024;
  for (const auto& [by_one, by_all, words] :
       {std::tuple{mebibyte, 1024 * mebibyte, " MiB unread that were sent to it"},
        std::tuple{1024 * mebibyte, mebibyte, ", with most of it, was hung up on"}}) {
    // Otherwise the peer would be given up for its silence.
    listen_by({{}, {100, by_one, by_all}}, {std::chrono::hours{1}});
    peer stays{how, port};
    peer mute{how, port};
    caf::scoped_actor self{mute.system};
    request(self.operator->(), mute.head, patience, ping_atom_v, std::uint64_t{1})
        .receive([](std::uint64_t) {}, [](const caf::error&) { ADD_FAILURE(); });
    const auto whom = caf::actor_cast<caf::actor>(there->heard_of.all().back());
    caf::scoped_actor teller{there->system};
    teller->monitor(whom);

    testing::internal::CaptureStderr();
    auto is_gone = false;
    {
      held_still while_it_is_told{mute};
      // More than the system's own buffers take.
      for (int i = 0; i < 64; ++i)
        teller->send(whom, std::string(mebibyte, 'x'));
      teller->receive([&](const caf::down_msg&) { is_gone = true; }, caf::after(patience) >> [] {});
    }

    EXPECT_TRUE(is_gone);
    EXPECT_NE(testing::internal::GetCapturedStderr().find(words), std::string::npos);
    EXPECT_EQ(stays.pings(10), 10);
  }
}

TEST_F(connections, are_made_by_tls_1_3_only) {
  EXPECT_TRUE((raw_member{how.identity->files, port, 1, TLS1_3_VERSION}.is_taken()));
  EXPECT_FALSE((raw_member{how.identity->files, port, 1, TLS1_2_VERSION}.is_taken()));
  EXPECT_FALSE((raw_member{how.identity->files, port, 1, TLS1_1_VERSION}.is_taken()));
}

TEST_F(connections, are_not_made_to_peers_of_older_tls) {
  samples::small_server old{samples::tls_service({how.identity->files, true, "x", TLS1_2_VERSION})};

  auto found = connect_tls<pong_actor>(there->system, "127.0.0.1", old.port());

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ec::unreachable);
}

TEST_F(connections, end_with_a_message_that_is_larger_than_allowed) {
  peer stays{how, port};
  peer goes{how, port};
  EXPECT_EQ(goes.pings(1), 1);
  caf::scoped_actor self{goes.system};
  self->monitor(goes.head);

  self->send(caf::actor_cast<caf::actor>(goes.head), std::string(65 * 1024 * 1024, 'x'));

  self->receive([](const caf::down_msg& down) { EXPECT_TRUE(is_unreachable(down.reason)); });
  EXPECT_EQ(stays.pings(10), 10);
}

TEST_F(connections, outlive_all_that_a_member_can_send) {
  peer stays{how, port};
  peer hostile{how, port};
  caf::scoped_actor self{hostile.system};
  const auto me = caf::actor_cast<caf::strong_actor_ptr>(self);
  const auto whom = caf::actor_cast<caf::strong_actor_ptr>(hostile.head);

  for (const auto& all : {support::system_attacks(me, me), support::foreign_attacks(me, nullptr)}) {
    for (const auto& x : all) {
      for (const auto& from : {me, caf::strong_actor_ptr{}})
        whom->enqueue(caf::make_mailbox_element(from, x.id, {}, x.what), nullptr);
    }
  }

  EXPECT_EQ(hostile.pings(10), 10); // the answers show that all messages have arrived
  EXPECT_EQ(stays.pings(10), 10);
}

} // namespace
} // namespace tune

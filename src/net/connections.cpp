// Connections whose beginnings have a deadline, and harm nobody: see docs/decisions/0007.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/certificates/openssl_errors.hpp"
#include "tune/io/probe/probe.hpp"
#include "tune/net/caf_streams.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <utility>

namespace tune::detail {

/// Closes a connection when its time is up, whoever holds it then.
class second_key {
public:
  explicit second_key(int x) : copy_{::fcntl(x, F_DUPFD_CLOEXEC, 0)} {}
  ~second_key() { ::close(copy_); }
  second_key(const second_key&) = delete;
  second_key& operator=(const second_key&) = delete;

  void hang_up() const { ::shutdown(copy_, SHUT_RDWR); }

private:
  int copy_;
};

/// Whoever came and has not said a word yet; gone when it has, or has left.
struct stranger {
  std::weak_ptr<const second_key> key;

  void hang_up() const {
    if (auto there = key.lock())
      there->hang_up();
  }
};

} // namespace tune::detail

TUNE_BEGIN_LOCAL_TYPES(tune_connections, 200)
TUNE_LOCAL_TYPE(tune_connections, tune::detail::stranger)
TUNE_END_LOCAL_TYPES(tune_connections)

namespace tune::detail {

namespace {

namespace network = caf::io::network;
using caf::openssl::session_ptr;
using network::native_socket;
using network::rw_state;

/// CAF's session, as CAF's stream wants to call it. What went wrong with other connections does not
/// count: see docs/decisions/0006.
class tls_policy {
public:
  /// @param until_heard Let go of as soon as the peer has said something that proves who it is.
  tls_policy(session_ptr x, std::shared_ptr<const second_key> until_heard)
      : session_{std::move(x)}, until_heard_{std::move(until_heard)} {}

  rw_state read_some(std::size_t& count, native_socket socket, void* to, std::size_t size) {
    forget_tls_errors();
    auto result = session_->read_some(count, socket, to, size);
    if (result == rw_state::success && count > 0)
      until_heard_.reset();
    return result;
  }
  rw_state write_some(std::size_t& count, native_socket socket, const void* from,
                      std::size_t size) {
    forget_tls_errors();
    return session_->write_some(count, socket, from, size);
  }
  bool must_read_more(native_socket socket, std::size_t threshold) {
    return session_->must_read_more(socket, threshold);
  }

private:
  session_ptr session_;
  std::shared_ptr<const second_key> until_heard_;
};

/// CAF reads the certificates anew for each connection. Where they are gone it throws, and leaves
/// what it has begun.
session_ptr begin_session(caf::actor_system& system, native_socket socket, bool accepted) {
  if (!has_certificates(system))
    return nullptr;
  try {
    return caf::openssl::make_session(system, socket, accepted);
  } catch (const std::exception&) {
    return nullptr;
  }
}

/// One connection, as CAF's broker wants it.
class tls_scribe : public caf::io::scribe {
public:
  tls_scribe(network::default_multiplexer& loop, native_socket socket, session_ptr x,
             std::shared_ptr<const second_key> until_heard = nullptr)
      : scribe{network::conn_hdl_from_socket(socket)}
      , stream_{loop, socket, tls_policy{std::move(x), std::move(until_heard)}} {}

  void configure_read(caf::io::receive_policy::config how) override {
    stream_.configure_read(how);
    if (std::exchange(launched_, true))
      return;
    stream_.start(this);
    // The handshake may want to write before anybody has something to say.
    stream_.force_empty_write(this);
  }
  void ack_writes(bool enable) override { stream_.ack_writes(enable); }
  io_buffer& wr_buf() override { return stream_.wr_buf(); }
  io_buffer& rd_buf() override { return stream_.rd_buf(); }
  void flush() override { stream_.flush(this); }
  void add_to_loop() override { stream_.activate(this); }
  void remove_from_loop() override { stream_.passivate(); }
  void graceful_shutdown() override {
    stream_.graceful_shutdown();
    detach(&stream_.backend(), false);
  }
  std::string addr() const override {
    auto known = network::remote_addr_of_fd(stream_.fd());
    return known ? *known : std::string{};
  }
  std::uint16_t port() const override {
    auto known = network::remote_port_of_fd(stream_.fd());
    return known ? *known : std::uint16_t{0};
  }

private:
  bool launched_ = false;
  network::stream_impl<tls_policy> stream_;
};

/// Hangs up on those who have not been heard of when they are named to it.
using usher_actor = typed_actor<caf::result<void>(stranger)>;

usher_actor::behavior_type usher() {
  return {[](const stranger& who) { who.hang_up(); }};
}

class tls_doorman : public network::doorman_impl {
public:
  tls_doorman(network::default_multiplexer& loop, native_socket socket, caf::actor_system& system,
              const stranger_rules& rules)
      // Hidden: a system does not wait for it, nor for what it was told to do later.
      : doorman_impl{loop, socket}, rules_{rules}, usher_{system.spawn<caf::hidden>(usher)} {}

  bool new_connection() override {
    // Told to go while connections still waited.
    if (detached())
      return false;
    auto& loop = acceptor_.backend();
    auto socket = acceptor_.accepted_socket();
    network::nonblocking(socket, true);
    auto begun = begin_session(parent()->system(), socket, true);
    if (begun == nullptr) {
      ::close(socket);
      return false;
    }
    auto fresh
        = caf::make_counted<tls_scribe>(loop, socket, std::move(begun), key_of_stranger(socket));
    auto name = fresh->hdl();
    parent()->add_scribe(std::move(fresh));
    return doorman::new_connection(&loop, name);
  }

private:
  std::shared_ptr<const second_key> key_of_stranger(native_socket socket) {
    auto key = std::make_shared<const second_key>(socket);
    make_room();
    strangers_.push_back({key});
    delayed_send_from_outside(usher_, rules_.patience, strangers_.back());
    return key;
  }
  void make_room() {
    if (strangers_.size() < rules_.most)
      return;
    std::erase_if(strangers_, [](const stranger& x) { return x.key.expired(); });
    while (strangers_.size() >= rules_.most) {
      strangers_.front().hang_up();
      strangers_.pop_front();
    }
  }

  stranger_rules rules_;
  usher_actor usher_;
  /// The oldest first; some may be known by now.
  std::deque<stranger> strangers_;
};

/// Has the broker exchange greetings over a new connection.
expected<caf::strong_actor_ptr> greet(caf::actor_system& system, const remote_wish& whom,
                                      const second_key& key, caf::io::scribe_ptr over,
                                      probe_deadline until) {
  auto left = std::max(caf::timespan{1}, caf::timespan{until - std::chrono::steady_clock::now()});
  expected<caf::strong_actor_ptr> result{caf::strong_actor_ptr{}};
  count_silence_from_now(system, over->hdl());
  caf::scoped_actor self{system};
  request(self.operator->(), connection_broker(system), left, caf::connect_atom_v, std::move(over),
          whom.port)
      .receive(
          [&](const caf::node_id&, const caf::strong_actor_ptr& found,
              const std::set<std::string>& interface) {
            if (found == nullptr)
              result = error{ec::unreachable, "nobody is published there"};
            else if (!system.assignable(interface, whom.interface))
              result = error{ec::refused, "another kind of actor is published there"};
            else
              result = found;
          },
          [&](const caf::error& why) {
            key.hang_up();
            result = error{ec::unreachable, why == caf::sec::request_timeout ? "no greeting in time"
                                                                             : render(system, why)};
          });
  return result;
}

/// @param dress Makes a scribe of a socket, and is its owner then; null: the peer hung up.
template <class Dress>
expected<caf::strong_actor_ptr> find(caf::actor_system& system, const remote_wish& whom,
                                     Dress dress) {
  auto until = std::chrono::steady_clock::now() + whom.patience;
  auto socket = open_connection({whom.host, whom.port}, until);
  if (!socket)
    return socket.error();
  second_key key{*socket};
  caf::io::scribe_ptr scribe = dress(*socket);
  if (scribe == nullptr) {
    ::close(*socket);
    return error{ec::unreachable, "the TLS handshake failed"};
  }
  return greet(system, whom, key, std::move(scribe), until);
}

} // namespace

expected<caf::strong_actor_ptr> find_plain(caf::actor_system& system, const remote_wish& whom) {
  return find(system, whom,
              [&](native_socket socket) { return connection_loop(system).new_scribe(socket); });
}

expected<caf::strong_actor_ptr> find_tls(caf::actor_system& system, const remote_wish& whom) {
  return find(system, whom, [&](native_socket socket) -> caf::io::scribe_ptr {
    auto begun = begin_session(system, socket, false);
    if (begun == nullptr)
      return nullptr;
    return caf::make_counted<tls_scribe>(connection_loop(system), socket, std::move(begun));
  });
}

caf::expected<std::uint16_t> open_tls_port(caf::actor_system& system,
                                           const caf::strong_actor_ptr& whom,
                                           std::set<std::string> interface, std::uint16_t port,
                                           const char* address, const stranger_rules& rules) {
  auto socket = network::new_tcp_acceptor_impl(port, address, true);
  if (!socket)
    return std::move(socket.error());
  caf::io::doorman_ptr doorman
      = caf::make_counted<tls_doorman>(connection_loop(system), *socket, system, rules);
  auto opened = doorman->port();
  send_from_outside(connection_broker(system), caf::publish_atom_v, std::move(doorman), opened,
                    whom, std::move(interface));
  return opened;
}

} // namespace tune::detail

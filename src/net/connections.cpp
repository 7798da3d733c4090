// Connections as they are set up: TLS, the peer's identity, and a deadline, so that none can block
// others: see docs/decisions/0007.
// SPDX-License-Identifier: BSD-3-Clause
#include "direct_stream.hpp"
#include "message_filter.hpp"
#include "port_connections.hpp"
#include "quick_heartbeats.hpp"
#include "stream_policies.hpp"

#include "tune/io/certificates/tls_session.hpp"
#include "tune/io/certificates/tls_starter.hpp"
#include "tune/io/probe/probe.hpp"
#include "tune/net/caf_streams.hpp"
#include "tune/net/certificate_watch.hpp"
#include "tune/net/quiet_watch.hpp"
#include "tune/net/system.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tune::detail {

/// A look at a port's connections that have not greeted when their time is up. One is under way at
/// a time for all of them, however many come.
struct look_at_strangers {
  std::weak_ptr<port_connections> at;
};

} // namespace tune::detail

TUNE_BEGIN_LOCAL_TYPES(tune_connections)
TUNE_LOCAL_TYPE(tune_connections, tune::detail::look_at_strangers)
TUNE_END_LOCAL_TYPES(tune_connections)

namespace tune::detail {

namespace {

namespace network = caf::io::network;
using network::native_socket;
using pass_ptr = std::unique_ptr<connection_pass>;
/// Null: nobody sends heartbeats over the connection.
using quick_heartbeats_ptr = std::shared_ptr<const quick_heartbeats>;

void tell(caf::actor_system& system, const std::string& what) {
  if (const auto* config = network_config_of(system))
    config->complain(what);
}

std::shared_ptr<port_connections> port_connections_for(caf::actor_system& system,
                                                       const port_rules& rules) {
  return std::make_shared<port_connections>(rules,
                                            [&system](const std::string& x) { tell(system, x); });
}

/// One connection, as CAF's broker expects it: incoming data passes a message filter first.
template <class Policy>
class guarded_scribe : public caf::io::scribe, private late_writer {
public:
  guarded_scribe(caf::actor_system& system, native_socket socket, message_filter at, Policy how,
                 pass_ptr whose, std::shared_ptr<late_writes> writes, quick_heartbeats_ptr quick)
      : scribe{network::conn_hdl_from_socket(socket)}
      , system_{system}
      , message_filter_{std::move(at)}
      , shown_by_{how.shown()}
      , stream_{connection_loop(system), socket, std::move(how)}
      , writes_{std::move(writes)}
      , quick_{std::move(quick)}
      , whose_{std::move(whose)} {
    whose_->sends(stream_.wr_buf());
  }

  bool consume(caf::execution_unit* context, const void* data, std::size_t size) override {
    auto& part = stream_.rd_buf();
    part.resize(size);
    if (held_.empty())
      return pass(context, size);
    if (detached())
      return false;
    if (quick_->answer(message_filter_.now(), part, wr_buf())) {
      held_.clear();
      message_filter_.skip_payload();
      note_heard(*parent(), hdl());
      stream_.configure_read(caf::io::receive_policy::exactly(caf::io::basp::header_size));
      flush();
      return true;
    }
    auto payload = part;
    part.swap(held_);
    held_.clear();
    if (!scribe::consume(context, data, part.size()))
      return false;
    stream_.rd_buf().swap(payload);
    return pass(context, size);
  }
  void configure_read(caf::io::receive_policy::config how) override {
    stream_.configure_read(how);
    if (std::exchange(launched_, true))
      return;
    stream_.start(this);
    // The handshake may have to write before there is anything to send.
    stream_.shake(this);
  }
  void ack_writes(bool enable) override { stream_.ack_writes(enable); }
  io_buffer& wr_buf() override { return stream_.wr_buf(); }
  io_buffer& rd_buf() override { return stream_.rd_buf(); }
  void flush() override {
    if (wr_buf().empty())
      return;
    // If not, the connection was closed, and CAF has yet to notice.
    if (is_needless() || !whose_->collected())
      wr_buf().clear();
    else if (!std::exchange(is_due_, true))
      writes_->add(this, *this);
  }
  void add_to_loop() override { stream_.activate(this); }
  void remove_from_loop() override { stream_.passivate(); }
  void graceful_shutdown() override {
    stream_.write_now(this);
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
  caf::actor_system& system_;
  message_filter message_filter_;
  /// Returns the subject of the peer's certificate.
  std::function<std::string()> shown_by_;
  bool noted_ = false;
  bool launched_ = false;
  direct_stream<Policy> stream_;
  std::shared_ptr<late_writes> writes_;
  quick_heartbeats_ptr quick_;
  /// The header of what may be a heartbeat, until its payload is there.
  io_buffer held_;
  bool is_due_ = false;
  quiet_watch quiet_;
  /// Declared after the stream, so that it is given back while the socket is still open.
  pass_ptr whose_;

  /// Has the next part checked and taken by CAF, or held back if it may begin a heartbeat.
  bool pass(caf::execution_unit* context, std::size_t size) {
    auto& part = stream_.rd_buf();
    const auto verdict = message_filter_.look(part);
    if (const auto& why = message_filter_.complaint(); !why.empty())
      complain(why);
    if (message_filter_.peer())
      whose_->greeted();
    if (verdict == message_filter::verdict::goes_on) {
      note_peer();
      if (quick_ == nullptr || !quick_->may_be(message_filter_.now())
          || !message_filter_.is_header())
        return scribe::consume(context, part.data(), size);
      held_ = part;
      stream_.configure_read(caf::io::receive_policy::exactly(message_filter_.now().payload_len));
      return true;
    }
    io_failure(context, network::operation::read);
    return false;
  }

  void write_now() override {
    is_due_ = false;
    stream_.write_now(this);
    quiet_.spoke(std::chrono::steady_clock::now());
  }

  /// Whether all there is to send is a heartbeat that the peer does without.
  [[nodiscard]] bool is_needless() {
    using caf::io::basp::message_type;
    const auto& all = wr_buf();
    if (is_due_ || all.size() != caf::io::basp::header_size
        || static_cast<message_type>(all.front()) != message_type::heartbeat)
      return false;
    if (!quiet_.knows_peer()) {
      if (const auto* config = network_config_of(system_))
        quiet_.bears(config->patience_of(message_filter_.peer()));
    }
    return quiet_.may_wait(std::chrono::steady_clock::now());
  }

  /// Notes who the peer is, before its first message is delivered.
  void note_peer() {
    if (noted_ || !message_filter_.peer())
      return;
    noted_ = true;
    const auto* config = network_config_of(system_);
    if (config == nullptr)
      return;
    if (auto who = shown_by_(); !who.empty())
      config->note_identity(message_filter_.peer(), std::move(who));
  }

  void complain(const std::string& why) const {
    tell(system_, "the peer at " + addr() + ":" + std::to_string(port()) + " " + why);
  }
};

/// Makes a connection from a socket, and takes ownership of it then; null: that failed.
using dresser = std::function<caf::io::scribe_ptr(native_socket, pass_ptr)>;

/// The files may be removed or renewed while the system lives.
dresser tls_dresser(caf::actor_system& system, const message_filter& at, tls_session::side which,
                    const quick_heartbeats_ptr& quick) {
  auto starter = std::make_shared<tls_starter>(certificates_of(system), which);
  auto writes = std::make_shared<late_writes>(connection_loop(system));
  return [&system, at, starter, writes, quick](native_socket socket,
                                               pass_ptr whose) -> caf::io::scribe_ptr {
    auto begun = starter->begin(socket);
    if (!begun)
      return nullptr;
    tls_policy how{std::move(*begun), *whose};
    return caf::make_counted<guarded_scribe<tls_policy>>(system, socket, at, std::move(how),
                                                         std::move(whose), writes, quick);
  };
}

dresser plain_dresser(caf::actor_system& system, const message_filter& at,
                      const quick_heartbeats_ptr& quick) {
  auto writes = std::make_shared<late_writes>(connection_loop(system));
  return [&system, at, writes, quick](native_socket socket, pass_ptr whose) -> caf::io::scribe_ptr {
    plain_policy how{*whose};
    return caf::make_counted<guarded_scribe<plain_policy>>(system, socket, at, how,
                                                           std::move(whose), writes, quick);
  };
}

message_filter border_for(caf::actor_system& system) {
  return {system, message_filter::side::connected,
          std::make_shared<const reachable_actors>(system)};
}

/// Closes connections that are still strangers when their time is up.
using usher_actor = typed_actor<caf::result<void>(look_at_strangers)>;

usher_actor::behavior_type usher(usher_actor::pointer self) {
  return {[self](const look_at_strangers& x) {
    auto there = x.at.lock();
    if (there == nullptr)
      return;
    if (auto next = there->hang_up_on_late_strangers())
      delayed_send(self, caf::actor_cast<usher_actor>(self), *next, x);
  }};
}

class guarding_doorman : public network::doorman_impl {
public:
  /// @param files Those of a port with TLS; nothing: a plain one.
  guarding_doorman(caf::actor_system& system, native_socket socket, dresser dress,
                   const port_rules& rules, const std::optional<tls_files>& files)
      : doorman_impl{connection_loop(system), socket}
      , dress_{std::move(dress)}
      , patience_{rules.strangers.patience}
      , port_connections_{port_connections_for(system, rules)}
      // Hidden: a system waits neither for it nor for its delayed messages.
      , usher_{system.spawn<caf::hidden>(usher)} {
    if (files)
      watch_ = std::make_unique<certificate_watch>(
          *files,
          certificate_watch::listeners{
              [there = port_connections_](const revocation_list& x) { there->revoke(x); }, {}});
  }

  bool new_connection() override {
    // The port was closed while connections still waited.
    if (detached())
      return false;
    auto& loop = acceptor_.backend();
    auto socket = acceptor_.accepted_socket();
    network::nonblocking(socket, true);
    auto fresh = dress_(socket, pass_for_stranger(socket));
    if (fresh == nullptr) {
      ::close(socket);
      return false;
    }
    auto name = fresh->hdl();
    parent()->add_scribe(std::move(fresh));
    return doorman::new_connection(&loop, name);
  }

private:
  pass_ptr pass_for_stranger(native_socket socket) {
    auto pass = port_connections_->admit(socket);
    if (port_connections_->wants_looks())
      delayed_send_from_outside(usher_, patience_, look_at_strangers{port_connections_});
    return pass;
  }

  dresser dress_;
  std::chrono::milliseconds patience_;
  std::shared_ptr<port_connections> port_connections_;
  usher_actor usher_;
  std::unique_ptr<certificate_watch> watch_;
};

/// Has the broker exchange greetings over a new connection.
expected<caf::strong_actor_ptr> greet(caf::actor_system& system, const remote_wish& whom,
                                      const std::function<void()>& hang_up,
                                      caf::io::scribe_ptr over, probe_deadline until) {
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
            hang_up();
            result = error{ec::unreachable, why == caf::sec::request_timeout ? "no greeting in time"
                                                                             : render(system, why)};
          });
  return result;
}

expected<caf::strong_actor_ptr> find(caf::actor_system& system, const remote_wish& whom,
                                     const dresser& dress) {
  auto until = std::chrono::steady_clock::now() + whom.patience;
  auto socket = open_connection({whom.host, whom.port}, until);
  if (!socket)
    return socket.error();
  // A connecting side trusts its peer with more: see `port_rules`.
  auto own = port_connections_for(system, port_rules::of_one_who_connects());
  auto pass = own->admit(*socket);
  const auto number = pass->number();
  auto scribe = dress(*socket, std::move(pass));
  if (scribe == nullptr) {
    ::close(*socket);
    return error{ec::unreachable, "the TLS handshake failed"};
  }
  return greet(
      system, whom, [&] { own->hang_up(number); }, std::move(scribe), until);
}

caf::expected<std::uint16_t> open(caf::actor_system& system, const opening& what,
                                  const dresser& dress, const std::optional<tls_files>& files) {
  auto socket = network::new_tcp_acceptor_impl(what.port, what.address, true);
  if (!socket)
    return std::move(socket.error());
  caf::io::doorman_ptr doorman
      = caf::make_counted<guarding_doorman>(system, *socket, dress, what.rules, files);
  auto opened = doorman->port();
  send_from_outside(connection_broker(system), caf::publish_atom_v, std::move(doorman), opened,
                    what.whom, what.interface);
  return opened;
}

message_filter border_for(caf::actor_system& system, const opening& what) {
  return {system, message_filter::side::accepted, std::make_shared<const reachable_actors>(system),
          published{what.whom->id(), what.words}};
}

} // namespace

expected<caf::strong_actor_ptr> find_plain(caf::actor_system& system, const remote_wish& whom) {
  return find(system, whom, plain_dresser(system, border_for(system), nullptr));
}

expected<caf::strong_actor_ptr> find_tls(caf::actor_system& system, const remote_wish& whom) {
  return find(system, whom,
              tls_dresser(system, border_for(system), tls_session::side::connects, nullptr));
}

caf::expected<std::uint16_t> open_plain_port(caf::actor_system& system, const opening& what) {
  return open(system, what,
              plain_dresser(system, border_for(system, what),
                            std::make_shared<const quick_heartbeats>(system)),
              std::nullopt);
}

caf::expected<std::uint16_t> open_tls_port(caf::actor_system& system, const opening& what) {
  return open(system, what,
              tls_dresser(system, border_for(system, what), tls_session::side::accepts,
                          std::make_shared<const quick_heartbeats>(system)),
              certificates_of(system));
}

} // namespace tune::detail

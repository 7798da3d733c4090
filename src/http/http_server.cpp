// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/http_server.hpp"

#include "connection.hpp"
#include "server_core.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <openssl/ssl.h>

#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace tune::http {

namespace {

using tcp = asio::ip::tcp;

error refused(const peer_address& where, const std::string& why) {
  return {ec::refused, "cannot listen at " + to_text(where) + ": " + why};
}

expected<tcp::endpoint> endpoint_of(asio::io_context& io, const peer_address& where) {
  beast::error_code why;
  tcp::resolver resolver{io};
  const auto host = where.host == "localhost" ? std::string{"127.0.0.1"} : where.host;
  const auto found = resolver.resolve(host, std::to_string(where.port),
                                      tcp::resolver::passive | tcp::resolver::numeric_service, why);
  if (why || found.empty())
    return refused(where, why ? why.message() : "it has no address");
  return found.begin()->endpoint();
}

expected<tcp::acceptor> open_port(asio::io_context& io, const server_settings& how) {
  auto ports = how.further_ports;
  ports.insert(ports.begin(), how.where.port);
  auto at = endpoint_of(io, how.where);
  if (!at)
    return at.error();
  beast::error_code why;
  for (const auto port : ports) {
    at->port(port);
    tcp::acceptor result{io};
    result.open(at->protocol(), why);
    if (!why)
      result.set_option(asio::socket_base::reuse_address{true}, why);
    if (!why)
      result.bind(*at, why);
    if (!why)
      result.listen(asio::socket_base::max_listen_connections, why);
    if (!why)
      return result;
    if (why != asio::error::address_in_use)
      break;
  }
  return refused(how.where, why.message());
}

expected<asio::ssl::context> tls_context_of(const own_certificate& own) {
  asio::ssl::context result{asio::ssl::context::tls_server};
  beast::error_code why;
  SSL_CTX_set_min_proto_version(result.native_handle(), TLS1_3_VERSION);
  // Nobody is there to type a passphrase.
  SSL_CTX_set_default_passwd_cb(result.native_handle(), [](char*, int, int, void*) { return -1; });
  result.use_certificate_chain_file(own.files.certificate.string(), why);
  if (why)
    return error{ec::refused, own.files.certificate.string() + ": " + why.message()};
  result.use_private_key_file(own.files.key.string(), asio::ssl::context::pem, why);
  if (why)
    return error{ec::refused, own.files.key.string() + ": " + why.message()};
  return result;
}

std::vector<std::string> names_of(const server_settings& how, std::uint16_t port) {
  auto result = how.names;
  // The address of all interfaces is nobody's name.
  if (how.where.host != "0.0.0.0" && how.where.host != "::")
    result.push_back(to_text(peer_address{how.where.host, port}));
  return result;
}

} // namespace

class http_server::impl {
public:
  explicit impl(server_settings how) : how_{std::move(how)} {}
  impl(const impl&) = delete;
  impl& operator=(const impl&) = delete;
  ~impl() { stop(); }

  expected<void> open() {
    if (how_.identity) {
      auto made = tls_context_of(*how_.identity);
      if (!made)
        return made.error();
      tls_.emplace(std::move(*made));
    }
    auto opened = open_port(io_, how_);
    if (!opened)
      return opened.error();
    acceptor_.emplace(std::move(*opened));
    where_ = {how_.where.host, acceptor_->local_endpoint().port()};
    cookie_ = how_.cookie + "-" + std::to_string(where_.port);
    core_.reset(new server_core{
        io_, how_, doorman{router{how_.routes}, host_guard{names_of(how_, where_.port)}, cookie_},
        client_book{how_.limits.connections}});
    return {};
  }

  expected<void> start() {
    for (auto* pool : {&core_->quick, &core_->slow}) {
      auto made = worker_pool::start(how_.limits.threads, how_.limits.waiting);
      if (!made)
        return made.error();
      *pool = std::move(*made);
    }
    accept();
    try {
      thread_ = std::thread{[this] { io_.run(); }};
    } catch (const std::system_error& why) {
      return error{ec::shortage, std::string{"no thread can be started: "} + why.what()};
    }
    return {};
  }

  void stop() {
    if (!thread_.joinable())
      return;
    asio::post(io_, [this] { close_all(); });
    // Handlers that wait for a client return, since it is gone.
    core_->quick->stop();
    core_->slow->stop();
    work_.reset();
    thread_.join();
  }

  [[nodiscard]] const peer_address& where() const { return where_; }
  [[nodiscard]] const std::string& cookie() const { return cookie_; }
  [[nodiscard]] bool is_secure() const { return how_.identity.has_value(); }
  [[nodiscard]] server_counts counts() const {
    return {core_->connections.load(), core_->evicted.load()};
  }

private:
  server_settings how_;
  asio::io_context io_{1};
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work_{
      asio::make_work_guard(io_)};
  std::optional<asio::ssl::context> tls_;
  std::optional<tcp::acceptor> acceptor_;
  asio::steady_timer breather_{io_};
  peer_address where_;
  std::string cookie_;
  std::unique_ptr<server_core> core_;
  client_id next_ = 0;
  std::thread thread_;

  void accept() {
    acceptor_->async_accept([this](beast::error_code why, tcp::socket socket) {
      if (why == asio::error::operation_aborted)
        return;
      if (why)
        // Mostly no descriptor is left. Those who wait are served when there is one again.
        return breathe();
      take_in(std::move(socket));
      accept();
    });
  }

  void breathe() {
    constexpr std::chrono::milliseconds pause{100};
    breather_.expires_after(pause);
    breather_.async_wait([this](beast::error_code why) {
      if (!why)
        accept();
    });
  }

  /// Makes room for one more. @returns whether there is.
  bool make_room() {
    if (!core_->book.is_full())
      return true;
    const auto who = core_->book.next_to_go();
    if (!who)
      return false;
    ++core_->evicted;
    if (auto client = core_->clients[*who].lock())
      client->drop();
    else
      core_->forget(*who);
    return true;
  }

  void take_in(tcp::socket socket) {
    if (!make_room())
      return;
    beast::error_code ignored;
    socket.set_option(tcp::no_delay{true}, ignored);
    const auto who = ++next_;
    std::shared_ptr<client_base> client;
    if (tls_)
      client = std::make_shared<connection<tls_stream>>(*core_, who,
                                                        tls_stream{std::move(socket), *tls_});
    else
      client = std::make_shared<connection<plain_stream>>(*core_, who,
                                                          plain_stream{std::move(socket)});
    core_->add(who, client);
    client->begin();
  }

  void close_all() {
    beast::error_code ignored;
    acceptor_->close(ignored);
    breather_.cancel();
    auto clients = core_->clients;
    for (auto& [who, client] : clients)
      if (auto x = client.lock())
        x->drop();
  }
};

http_server::http_server(std::unique_ptr<impl> parts) : impl_{std::move(parts)} {}
http_server::~http_server() = default;

expected<std::unique_ptr<http_server>> http_server::open(server_settings how) {
  auto parts = std::make_unique<impl>(std::move(how));
  if (auto opened = parts->open(); !opened)
    return opened.error();
  return std::unique_ptr<http_server>{new http_server{std::move(parts)}};
}

expected<void> http_server::start() {
  return impl_->start();
}

const peer_address& http_server::where() const {
  return impl_->where();
}

const std::string& http_server::cookie() const {
  return impl_->cookie();
}

bool http_server::is_secure() const {
  return impl_->is_secure();
}

server_counts http_server::counts() const {
  return impl_->counts();
}

void http_server::stop() {
  impl_->stop();
}

} // namespace tune::http

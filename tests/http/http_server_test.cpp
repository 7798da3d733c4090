// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/byte_pipe.hpp"
#include "tune/http/http_server.hpp"

#include "io/scratch_directory.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tune::http {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using namespace std::chrono_literals;

/// Far longer than anything takes, even on a busy machine.
constexpr auto patience = 60s;

/// A client that says whatever it likes.
class raw_client {
public:
  explicit raw_client(const peer_address& where)
      : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(where.port);
    ::inet_pton(AF_INET, where.host.c_str(), &to.sin_addr);
    is_connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  raw_client(raw_client&& other) noexcept
      : socket_{std::exchange(other.socket_, -1)}, is_connected_{other.is_connected_} {}
  raw_client& operator=(raw_client&&) = delete;
  ~raw_client() { close(); }

  void close() {
    if (socket_ >= 0)
      ::close(std::exchange(socket_, -1));
  }
  [[nodiscard]] bool is_connected() const { return is_connected_; }

  /// @returns whether all of it was taken.
  bool send(std::string_view text) const {
    while (!text.empty()) {
      const auto count = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (count <= 0)
        return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  /// Waits until the text has come, or the server has hung up. @returns all that has come.
  std::string read_until(std::string_view text) {
    std::string result = std::exchange(left_, {});
    const auto end = std::chrono::steady_clock::now() + patience;
    while (result.find(text) == result.npos && std::chrono::steady_clock::now() < end) {
      ::pollfd one{socket_, POLLIN, 0};
      if (::poll(&one, 1, 100) <= 0)
        continue;
      char buffer[4096];
      const auto count = ::recv(socket_, buffer, sizeof buffer, 0);
      if (count <= 0)
        return result + "<end>";
      result.append(buffer, static_cast<std::size_t>(count));
    }
    return result;
  }
  std::string read_all() { return read_until("<end>"); }

  /// Sends a request and gives all until the server hangs up.
  std::string ask(std::string_view text) {
    send(text);
    return read_all();
  }

private:
  int socket_;
  bool is_connected_ = false;
  std::string left_;
};

route route_of(method what, std::string pattern, std::string id, access who, std::size_t body = 0) {
  route result;
  result.what = what;
  result.pattern = std::move(pattern);
  result.id = std::move(id);
  result.who = who;
  result.body = body;
  return result;
}

class http_server_test : public samples::scratch_directory {
protected:
  server_settings how;
  std::unique_ptr<http_server> uut;
  std::string token;
  std::shared_ptr<byte_pipe> pipe = std::make_shared<byte_pipe>();

  void SetUp() override {
    scratch_directory::SetUp();
    how.where = {"127.0.0.1", 0};
    how.token = *token_file::open(root / "token");
    token = how.token->token();
    how.routes = {route_of(method::get, "/", "page", access::open),
                  route_of(method::get, "/api/path/{name}", "look", access::token),
                  route_of(method::post, "/api/echo", "echo", access::token, 1024 * 1024),
                  route_of(method::get, "/api/stream", "stream", access::token),
                  route_of(method::get, "/api/large", "large", access::open),
                  route_of(method::get, "/api/throws", "throws", access::token)};
    how.answer = [this](const request& what, const route& where) { return answer(what, where); };
  }

  void start() {
    auto opened = http_server::open(how);
    ASSERT_TRUE(opened) << to_text(opened.error());
    uut = std::move(*opened);
    ASSERT_TRUE(uut->start());
  }

  response answer(const request& what, const route& where) {
    response result;
    result.headers.add("Content-Type", "text/plain");
    if (where.id == "throws")
      throw std::runtime_error{"secret"};
    if (where.id == "stream")
      result.stream = pipe;
    else if (where.id == "large")
      result.body = std::string(64 * 1024 * 1024, 'a');
    else if (where.id == "look")
      result.body = "saw " + what.names.at("name");
    else
      result.body = where.id == "echo" ? what.body : "hello";
    return result;
  }

  raw_client client() const { return raw_client{uut->where()}; }

  [[nodiscard]] std::string fields(const std::string& more = {}) const {
    return " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token + "\r\n" + more
           + "\r\n";
  }
  /// Whether an honest client is answered.
  [[nodiscard]] bool serves() const {
    return client().ask("GET / HTTP/1.0\r\nHost: localhost\r\n\r\n").find("hello")
           != std::string::npos;
  }
};

TEST_F(http_server_test, answers_one_request_after_another) {
  start();
  auto one = client();

  one.send("GET /api/path/a%20b" + fields());
  EXPECT_THAT(one.read_until("saw a b"), StartsWith("HTTP/1.1 200 OK\r\n"));
  one.send("HEAD /api/path/x" + fields());
  EXPECT_THAT(one.read_until("\r\n\r\n"), HasSubstr("Content-Length: 5\r\n"));
  one.send("POST /api/echo" + fields("Content-Type: application/json\r\nContent-Length: 2\r\n")
           + "{}");
  EXPECT_THAT(one.read_until("{}"), HasSubstr("Content-Length: 2\r\n"));
  // Several at once.
  one.send("GET /api/path/1" + fields() + "GET /api/path/2" + fields());
  EXPECT_THAT(one.read_until("saw 2"), HasSubstr("saw 1"));
  EXPECT_EQ(uut->counts().connections, 1U);
}

TEST_F(http_server_test, sends_what_keeps_pages_safe) {
  start();
  auto told = client().ask("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  for (const auto* field :
       {"X-Content-Type-Options: nosniff",
        "Content-Security-Policy: default-src "
        "'none'; script-src 'self'",
        "frame-ancestors 'none'", "Referrer-Policy: no-referrer", "Connection: close"})
    EXPECT_THAT(told, HasSubstr(field));
  EXPECT_THAT(told, Not(HasSubstr("Access-Control")));
}

TEST_F(http_server_test, tells_nothing_of_what_went_wrong_within) {
  start();
  auto told = client().ask("GET /api/throws" + fields("Connection: close\r\n"));
  EXPECT_THAT(told, StartsWith("HTTP/1.1 500"));
  EXPECT_THAT(told, Not(HasSubstr("secret")));
}

TEST_F(http_server_test, waits_for_the_body_only_of_whom_it_lets_in) {
  start();
  auto stranger = client();
  stranger.send("POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                "Content-Length: 1000000\r\n\r\n");
  EXPECT_THAT(stranger.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 401"));

  auto friendly = client();
  friendly.send("POST /api/echo"
                + fields("Content-Type: application/json\r\nContent-Length: 4\r\n"
                         "Expect: 100-continue\r\n"));
  EXPECT_THAT(friendly.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 100 Continue"));
  friendly.send("1234");
  EXPECT_THAT(friendly.read_until("1234"), StartsWith("HTTP/1.1 200"));
}

TEST_F(http_server_test, refuses_what_is_no_request) {
  start();
  const std::string json = "Content-Type: application/json\r\n";
  const std::vector<std::pair<std::string, std::string>> all{
      {"\r\n\r\n\r\n", "400"},
      {"GET\r\n\r\n", "400"},
      {"GET /\r\n\r\n", "400"},
      {std::string{"GET /\0 HTTP/1.1\r\n\r\n", 19}, "400"},
      {"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", "505"},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505"},
      {"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n", "400"},
      {std::string{"GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n", 29}, "400"},
      {"GET / HTTP/1.1\r\n\r\n", "403"},
      {"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"},
      {"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"},
      {"GET /%00" + fields(), "400"},
      {"GET /api/path/..%2f..%2fetc" + fields(), "400"},
      {"GET /api/path/%2e%2e" + fields(), "400"},
      {"GET /api/path/\\" + fields(), "400"},
      {"GET /api/path/%ff" + fields(), "400"},
      {"POST /api/echo" + fields(json + "Content-Length: 1\r\nContent-Length: 2\r\n") + "a", "400"},
      {"POST /api/echo" + fields(json + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")
           + "0\r\n\r\n",
       "400"},
      {"POST /api/echo" + fields(json + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n")
           + "0\r\n\r\n",
       "400"},
      {"POST /api/echo" + fields(json + "Content-Length: +5\r\n") + "12345", "400"},
      {"POST /api/echo" + fields(json + "Content-Length: 0x5\r\n") + "12345", "400"},
      {"POST /api/echo" + fields(json + "Transfer-Encoding: identity\r\n"), "501"},
      {"POST /api/echo" + fields(json + "Transfer-Encoding: chunked\r\n") + "zz\r\n\r\n", "400"},
      {"POST /api/echo" + fields(json + "Transfer-Encoding: chunked\r\n") + "-1\r\n\r\n", "400"},
      {"POST /api/echo" + fields(json + "Transfer-Encoding: chunked\r\n")
           + "fffffffffffffffff\r\n\r\n",
       "400"},
      {"POST /api/echo" + fields(json + "Transfer-Encoding: chunked\r\n") + "7fffffffffffffff\r\n",
       "413"},
      {"POST /api/echo" + fields(json + "Expect: magic\r\nContent-Length: 1\r\n") + "a", "417"},
      {"GET /" + std::string(20'000, 'a') + fields(), "431"},
      {"GET /" + std::string(9'000, 'a') + fields(), "414"},
      {"PUT /api/echo" + fields("Connection: close\r\n"), "405"},
      {"BREW /" + fields("Connection: close\r\n"), "405"}};
  for (const auto& [text, status] : all) {
    auto told = client().ask(text);
    EXPECT_THAT(told, StartsWith("HTTP/1.1 " + status)) << text.substr(0, 100);
    EXPECT_THAT(told, HasSubstr("<end>")) << text.substr(0, 100);
  }
  EXPECT_TRUE(serves());
}

TEST_F(http_server_test, answers_one_request_where_another_might_be_hidden) {
  start();
  auto one = client();
  // The second request is the body of the first one for whoever counts differently.
  const auto inner = "GET /api/path/hidden" + fields();
  auto told = one.ask("POST /api/echo"
                      + fields("Content-Type: application/json\r\nContent-Length: 4\r\n"
                               "Transfer-Encoding: chunked\r\n")
                      + "0\r\n\r\n" + inner);
  EXPECT_THAT(told, Not(HasSubstr("saw hidden")));
}

TEST_F(http_server_test, keeps_endless_input_out_of_its_memory) {
  start();
  const std::string piece(64 * 1024, 'a');
  auto line = client();
  line.send("GET / HTTP/1.1\r\nX: ");
  std::size_t sent = 0;
  while (sent < 4096 && line.send(piece))
    ++sent;
  EXPECT_LT(sent, 4096U) << "the server hangs up";

  auto many = client();
  many.send("GET / HTTP/1.1\r\n");
  sent = 0;
  while (sent < 1'000'000 && many.send("X: y\r\n"))
    ++sent;
  EXPECT_LT(sent, 1'000'000U);

  auto chunks = client();
  chunks.send("POST /api/echo"
              + fields("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"));
  sent = 0;
  while (sent < 100'000 && chunks.send("1000\r\n" + piece.substr(0, 0x1000) + "\r\n"))
    ++sent;
  EXPECT_LT(sent, 100'000U);
  EXPECT_TRUE(serves());
}

TEST_F(http_server_test, takes_more_clients_than_it_has_room_for) {
  start();
  std::vector<raw_client> crowd;
  for (int i = 0; i < 1000; ++i) {
    crowd.push_back(client());
    ASSERT_TRUE(crowd.back().is_connected());
    if (i % 2 == 0)
      crowd.back().send("GET / HTTP/1.1\r\nHost: loc");
  }

  EXPECT_TRUE(serves());
  EXPECT_LE(uut->counts().connections, how.limits.connections);
  EXPECT_GE(uut->counts().evicted, 1000 - how.limits.connections);
}

TEST_F(http_server_test, keeps_whom_it_knows_when_strangers_come) {
  start();
  auto known = client();
  known.send("GET /api/path/1" + fields());
  known.read_until("saw 1");

  std::vector<raw_client> crowd;
  for (int i = 0; i < 400; ++i)
    crowd.push_back(client());
  ASSERT_TRUE(serves());

  known.send("GET /api/path/2" + fields());
  EXPECT_THAT(known.read_until("saw 2"), HasSubstr("saw 2"));
}

TEST_F(http_server_test, hangs_up_on_the_slow) {
  how.limits.head_time = 50ms;
  how.limits.idle_time = 100ms;
  how.limits.stall_time = 50ms;
  start();
  auto half = client();
  half.send("GET / HTTP/1.1\r\nHo");
  EXPECT_EQ(half.read_all(), "<end>");
  EXPECT_EQ(client().read_all(), "<end>");
  auto body = client();
  body.send("POST /api/echo" + fields("Content-Type: application/json\r\nContent-Length: 4\r\n")
            + "{");
  EXPECT_EQ(body.read_all(), "<end>");
}

TEST_F(http_server_test, hangs_up_on_who_does_not_read) {
  how.limits.stall_time = 50ms;
  start();
  auto lazy = client();
  lazy.send("GET /api/large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto end = std::chrono::steady_clock::now() + patience;
  while (uut->counts().connections > 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  EXPECT_EQ(uut->counts().connections, 0U);
}

TEST_F(http_server_test, streams_in_chunks_until_the_end) {
  start();
  auto one = client();
  one.send("GET /api/stream" + fields());
  static_cast<void>(pipe->write("first"));
  EXPECT_THAT(one.read_until("first"), HasSubstr("Transfer-Encoding: chunked\r\n"));
  static_cast<void>(pipe->write("second"));
  pipe->finish();
  EXPECT_THAT(one.read_until("0\r\n\r\n"), HasSubstr("6\r\nsecond\r\n0\r\n\r\n"));
  one.send("GET /api/path/next" + fields());
  EXPECT_THAT(one.read_until("saw next"), HasSubstr("saw next"));
}

TEST_F(http_server_test, breaks_off_what_did_not_come_whole) {
  start();
  auto one = client();
  one.send("GET /api/stream" + fields());
  static_cast<void>(pipe->write("first"));
  pipe->finish(false);
  auto told = one.read_all();
  EXPECT_THAT(told, Not(HasSubstr("0\r\n\r\n")));
  EXPECT_THAT(told, HasSubstr("<end>"));
}

TEST_F(http_server_test, notices_a_client_that_goes) {
  start();
  auto one = client();
  one.send("GET /api/stream" + fields());
  one.read_until("\r\n\r\n");
  one.close();
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!pipe->is_closed() && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  EXPECT_TRUE(pipe->is_closed());
}

TEST_F(http_server_test, takes_a_new_token_at_once) {
  start();
  const auto first = token;
  token = (*token_file::open(root / "token", true))->token();
  EXPECT_THAT(client().ask("GET /api/path/1" + fields("Connection: close\r\n")),
              StartsWith("HTTP/1.1 200"));
  token = first;
  EXPECT_THAT(client().ask("GET /api/path/1" + fields("Connection: close\r\n")),
              StartsWith("HTTP/1.1 401"));
}

TEST_F(http_server_test, ends_while_clients_are_served) {
  start();
  auto one = client();
  one.send("GET /api/stream" + fields());
  one.read_until("\r\n\r\n");
  auto writer = std::async(std::launch::async, [this] {
    while (pipe->write(std::string(1000, 'a'))) {}
  });
  uut->stop();
  writer.get();
  EXPECT_FALSE(client().is_connected());
}

TEST_F(http_server_test, tries_further_ports) {
  start();
  auto next = how;
  next.where = uut->where();
  EXPECT_EQ(http_server::open(next).error().code, ec::refused);
  next.further_ports = {uut->where().port, 0};
  auto other = http_server::open(next);
  ASSERT_TRUE(other);
  EXPECT_NE((*other)->where().port, uut->where().port);
}

} // namespace
} // namespace tune::http

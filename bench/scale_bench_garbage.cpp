// SPDX-License-Identifier: BSD-3-Clause
#include "scale_bench_garbage.hpp"

#include "tune/io/certificates/tls_session.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <random>
#include <stdexcept>

namespace tune::bench {

namespace {

constexpr std::chrono::milliseconds garbage_round{100};
constexpr std::chrono::seconds pause_of_refused{1};

/// The first bytes of a member's handshake.
std::string hello_of(const std::filesystem::path& certificates) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::runtime_error{"cannot make a pair of sockets"};
  std::array<char, 4096> bytes{};
  ::ssize_t count = 0;
  const tls_files files{certificates / "node.pem", certificates / "node.key",
                        certificates / "ca.pem"};
  if (auto begun = tls_session::begin(files, ends[0], tls_session::side::connects)) {
    std::size_t none = 0;
    static_cast<void>(begun->write(nullptr, 0, none));
    count = ::recv(ends[1], bytes.data(), bytes.size(), 0);
  }
  ::close(ends[0]);
  ::close(ends[1]);
  if (count <= 0)
    throw std::runtime_error{"cannot begin a TLS handshake"};
  return {bytes.data(), static_cast<std::size_t>(count)};
}

std::string noise(std::size_t size) {
  std::mt19937 source{4711};
  std::string result(size, '\0');
  std::ranges::generate(result, [&] { return static_cast<char>(source() & 0xffU); });
  return result;
}

} // namespace

garbage_crowd::garbage_crowd(std::uint16_t port, std::uint64_t count,
                             const std::filesystem::path& certificates)
    : port_{port}, hello_{hello_of(certificates)}, noise_{noise(512)} {
  constexpr std::array kinds{kind::silent, kind::random, kind::half, kind::slow};
  for (std::uint64_t i = 0; i < count; ++i)
    all_.push_back({.what = kinds[i % kinds.size()]});
  thread_ = std::thread{[this] { run(); }};
}

garbage_crowd::~garbage_crowd() {
  is_over_ = true;
  thread_.join();
  for (const auto& x : all_) {
    if (x.socket >= 0)
      ::close(x.socket);
  }
}

void garbage_crowd::run() {
  while (!is_over_) {
    const auto now = std::chrono::steady_clock::now();
    for (auto& x : all_)
      go_on(x, now);
    std::this_thread::sleep_for(garbage_round);
  }
}

void garbage_crowd::come(visitor& who) {
  who.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ::sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(port_);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(who.socket, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0)
    ++made_;
  ::fcntl(who.socket, F_SETFL, O_NONBLOCK);
  who.sent = 0;
  if (who.what == kind::random)
    say(who, noise_.data(), noise_.size());
  else if (who.what == kind::half)
    say(who, hello_.data(), hello_.size());
}

/// What cannot be sent now is not sent.
void garbage_crowd::say(visitor& who, const char* from, std::size_t size) {
  static_cast<void>(::send(who.socket, from, size, MSG_NOSIGNAL));
}

void garbage_crowd::go_on(visitor& who, time_point now) {
  if (who.socket < 0) {
    if (now >= who.again)
      come(who);
    return;
  }
  std::array<char, 4096> answer{};
  const auto count = ::recv(who.socket, answer.data(), answer.size(), 0);
  const auto is_open = count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
  if (!is_open) {
    ::close(who.socket);
    who.socket = -1;
    who.again = now + pause_of_refused;
  } else if (who.what == kind::slow && who.sent < hello_.size()) {
    say(who, &hello_[who.sent++], 1);
  }
}

} // namespace tune::bench

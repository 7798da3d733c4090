// SPDX-License-Identifier: BSD-3-Clause
#include "enrolment/talk.hpp"

#include "certificates/tls_context.hpp"
#include "posix/unique_fd.hpp"

#include "tune/core/printable.hpp"
#include "tune/io/certificates/certificate_directory.hpp"
#include "tune/io/certificates/revocation_list.hpp"
#include "tune/io/enrolment/enrolment.hpp"
#include "tune/io/files/hmac.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace tune {

namespace {

constexpr std::size_t most_connections = 8;
constexpr std::size_t most_of_one_address = 2;
constexpr std::chrono::seconds patience{10};

/// A listening socket. @errors `ec::refused`.
expected<int> listener_at(const peer_address& where) {
  auto refused = [&where](const std::string& why) {
    return error{ec::refused, "cannot listen on " + to_text(where) + ": " + why};
  };
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const auto port = std::to_string(where.port);
  if (auto fault = ::getaddrinfo(where.host.c_str(), port.c_str(), &hints, &found); fault != 0)
    return refused(::gai_strerror(fault));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> first{found, &::freeaddrinfo};
  unique_fd result{::socket(first->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  const int yes = 1;
  ::setsockopt(result.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  constexpr int queue = 32;
  if (result.get() < 0 || ::bind(result.get(), first->ai_addr, first->ai_addrlen) != 0
      || ::listen(result.get(), queue) != 0)
    return refused(std::strerror(errno));
  return result.release();
}

std::string host_of(const sockaddr_storage& x, socklen_t size) {
  std::array<char, NI_MAXHOST> text{};
  const auto* whom = reinterpret_cast<const sockaddr*>(&x);
  if (::getnameinfo(whom, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
    return "?";
  return text.data();
}

std::uint16_t port_of(int socket) {
  sockaddr_storage where{};
  socklen_t size = sizeof where;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&where), &size);
  return ntohs(where.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(where).sin6_port
                                           : reinterpret_cast<sockaddr_in&>(where).sin_port);
}

} // namespace

void wrong_token_limit::note(const std::string& source, instant now) {
  if (all_.size() >= most_sources && !all_.contains(source)) {
    auto last_of = [](const auto& x) { return x->second.empty() ? instant{} : x->second.back(); };
    auto oldest = all_.begin();
    for (auto i = all_.begin(); i != all_.end(); ++i) {
      if (last_of(i) < last_of(oldest))
        oldest = i;
    }
    all_.erase(oldest);
  }
  auto& times = all_[source];
  times.push_back(now);
  if (times.size() > most)
    times.pop_front();
}

bool wrong_token_limit::is_reached(const std::string& source, instant now) {
  auto known = all_.find(source);
  if (known == all_.end())
    return false;
  auto& times = known->second;
  while (!times.empty() && times.front() + window < now)
    times.pop_front();
  return times.size() >= most;
}

class enrolment_server::impl {
public:
  impl(settings how, unique_fd listener, unique_fd stop)
      : how_{std::move(how)}
      , listener_{std::move(listener)}
      , stop_{std::move(stop)}
      , port_{port_of(listener_.get())}
      , thread_{[this] { serve(); }} {}

  ~impl() {
    const std::uint64_t one = 1;
    [[maybe_unused]] auto count = ::write(stop_.get(), &one, sizeof one);
    thread_.join();
    std::unique_lock guard{mutex_};
    for (auto socket : open_)
      ::shutdown(socket, SHUT_RDWR);
    changed_.wait(guard, [this] { return open_.empty(); });
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }

private:
  settings how_;
  unique_fd listener_;
  unique_fd stop_;
  std::uint16_t port_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<int> open_;
  std::multiset<std::string> sources_;
  wrong_token_limit limit_;
  /// Last: it uses the others.
  std::thread thread_;

  void serve() {
    for (;;) {
      std::array<pollfd, 2> who{{{listener_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
      if (::poll(who.data(), who.size(), -1) < 0 && errno != EINTR)
        return;
      if (who[1].revents != 0)
        return;
      sockaddr_storage from{};
      socklen_t size = sizeof from;
      unique_fd socket{::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&from), &size,
                                 SOCK_CLOEXEC | SOCK_NONBLOCK)};
      if (socket.get() >= 0)
        take(std::move(socket), host_of(from, size));
    }
  }

  /// Gives the connection a thread of its own, unless there are too many.
  void take(unique_fd socket, const std::string& source) {
    {
      std::lock_guard guard{mutex_};
      if (open_.size() >= most_connections || sources_.count(source) >= most_of_one_address
          || limit_.is_reached(source, std::chrono::steady_clock::now()))
        return;
      open_.insert(socket.get());
      sources_.insert(source);
    }
    try {
      std::thread{[this, raw = socket.get(), source] { attend(raw, source); }}.detach();
      static_cast<void>(socket.release());
    } catch (const std::system_error&) { // no thread could be started
      leave(socket.release(), source);
    }
  }

  void attend(int socket, const std::string& source) {
    const auto until = std::chrono::steady_clock::now() + patience;
    if (auto done = talk(socket, source, until); !done)
      how_.say("no certificate for " + source + ": " + printable(done.error().detail));
    leave(socket, source);
  }

  void leave(int socket, const std::string& source) {
    std::lock_guard guard{mutex_};
    open_.erase(socket);
    sources_.erase(sources_.find(source));
    ::close(socket);
    changed_.notify_all();
  }

  expected<void> talk(int socket, const std::string& source, probe_deadline until) {
    const auto paths = certificate_paths_in(how_.certificates);
    auto context = make_showing_context({paths.certificate, paths.key, paths.authority});
    if (!context)
      return context.error();
    auto session = tls_session::over(context->get(), socket, tls_session::side::accepts);
    if (!session)
      return session.error();
    if (auto shaken = enrolment::shake(*session, socket, until); !shaken)
      return shaken;
    auto line = enrolment::hear(*session, socket, until);
    if (!line)
      return line.error();
    auto answer = grant(*line, source);
    auto said = enrolment::say(*session, socket, enrolment::to_json(answer), until);
    return answer ? said : expected<void>{answer.error()};
  }

  expected<enrolment::grant> grant(const std::string& line, const std::string& source) {
    auto wish = enrolment::wish_from_json(line);
    if (!wish)
      return wish.error();
    if (!is_node_name(wish->whom.name))
      return error{ec::bad_option, "this cannot be the name of a node"};
    // Looked at before the token is spent.
    if (auto fit = check_certificate_request(wish->request); !fit)
      return fit.error();
    const auto now = calendar_now();
    auto name = token_book{how_.certificates}.spend(wish->token, now);
    if (!name) {
      std::lock_guard guard{mutex_};
      limit_.note(source, std::chrono::steady_clock::now());
      return name.error();
    }
    // A name is an identity: nobody may choose another's.
    constexpr std::size_t longest = 64 - 9;
    auto called = name->empty() ? wish->whom.name.substr(0, longest) + "-"
                                      + random_hex(token_ending_digits / 2)
                                : *name;
    certificate_order order;
    order.whom = {called, wish->whom.hosts};
    order.now = now;
    auto made = sign_request(how_.certificates, wish->request, order);
    if (!made)
      return made.error();
    how_.say("made a certificate for " + called + " at " + source + ", for a token");
    return enrolment::grant{std::move(made->certificate), std::move(made->authority)};
  }
};

expected<std::unique_ptr<enrolment_server>> enrolment_server::start(settings how) {
  if (auto can = can_sign(how.certificates, calendar_now()); !can)
    return can.error();
  auto listener = listener_at(how.listen);
  if (!listener)
    return listener.error();
  unique_fd socket{*listener};
  unique_fd stop{::eventfd(0, EFD_CLOEXEC)};
  if (stop.get() < 0)
    return error{ec::shortage, std::string{"eventfd: "} + std::strerror(errno)};
  auto made = std::make_unique<impl>(std::move(how), std::move(socket), std::move(stop));
  return std::unique_ptr<enrolment_server>{new enrolment_server{std::move(made)}};
}

enrolment_server::enrolment_server(std::unique_ptr<impl> what) : impl_{std::move(what)} {}
enrolment_server::~enrolment_server() = default;

std::uint16_t enrolment_server::port() const {
  return impl_->port();
}

} // namespace tune

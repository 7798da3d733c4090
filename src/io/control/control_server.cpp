// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/control/control_server.hpp"

#include "posix/unique_fd.hpp"
#include "tune/io/control/control_conversation.hpp"
#include "tune/io/control/control_place.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

using clock = std::chrono::steady_clock;

/// Pause before clients are accepted again after the process ran out of descriptors.
constexpr std::chrono::milliseconds descriptor_pause{100};

/// Hands answers over to the server's thread.
struct mailbox {
  std::mutex guard;
  std::vector<std::pair<std::uint64_t, std::string>> answers;
  unique_fd bell{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};

  void ring() const {
    std::uint64_t one = 1;
    static_cast<void>(!::write(bell.get(), &one, sizeof one));
  }
  void put(std::uint64_t whom, std::string text) {
    {
      std::lock_guard lock{guard};
      answers.emplace_back(whom, std::move(text));
    }
    ring();
  }
  std::vector<std::pair<std::uint64_t, std::string>> take() {
    std::uint64_t ignored = 0;
    static_cast<void>(!::read(bell.get(), &ignored, sizeof ignored));
    std::lock_guard lock{guard};
    return std::exchange(answers, {});
  }
};

/// Whether the user at the other end may control the experiment: this process's user or root.
bool may_speak(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
    return false;
  return who.uid == ::geteuid() || who.uid == 0;
}

struct client {
  unique_fd socket;
  control_conversation talk;
};

} // namespace

class control_server::impl {
public:
  impl(fs::path experiment, unique_fd door, control_handler handler)
      : experiment_{std::move(experiment)}
      , door_{std::move(door)}
      , handler_{std::move(handler)}
      , thread_{[this] { serve(); }} {}

  ~impl() {
    over_ = true;
    mail_->ring();
    thread_.join();
    remove_control(experiment_);
  }

private:
  fs::path experiment_;
  unique_fd door_;
  control_handler handler_;
  std::shared_ptr<mailbox> mail_ = std::make_shared<mailbox>();
  std::atomic<bool> over_ = false;
  std::map<std::uint64_t, client> clients_;
  std::uint64_t next_ = 0;
  /// No client is accepted before this time.
  clock::time_point closed_until_{};
  // Last member: the thread uses all of the above.
  std::thread thread_;

  void serve() {
    while (!over_) {
      wait();
      auto now = clock::now();
      for (auto& [whom, text] : mail_->take()) {
        if (auto known = clients_.find(whom); known != clients_.end())
          known->second.talk.answer(text, now);
      }
      for (auto i = clients_.begin(); i != clients_.end();) {
        auto gone = !attend(i->first, i->second, now);
        i = gone ? clients_.erase(i) : std::next(i);
      }
      take_in(now);
    }
    say_farewell();
  }

  /// Waits until a socket is ready, an answer has arrived, or a client's deadline has passed.
  void wait() {
    auto now = clock::now();
    std::vector<pollfd> all{{mail_->bell.get(), POLLIN, 0}};
    auto until = now + std::chrono::hours{1};
    if (closed_until_ > now)
      until = std::min(until, closed_until_);
    else if (has_room())
      all.push_back({door_.get(), POLLIN, 0});
    for (const auto& [id, x] : clients_) {
      short wanted = 0;
      wanted |= x.talk.listens() ? POLLIN : 0;
      wanted |= x.talk.pending().empty() ? 0 : POLLOUT;
      all.push_back({x.socket.get(), wanted, 0});
      if (auto deadline = x.talk.deadline())
        until = std::min(until, *deadline);
    }
    auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
    ::poll(all.data(), all.size(), static_cast<int>(std::max<decltype(left)>(left, 0)));
    forget_the_gone(all);
  }

  /// Removes clients that hung up while they wait for an answer: no other event would reveal that.
  void forget_the_gone(const std::vector<pollfd>& seen) {
    std::erase_if(clients_, [&](const auto& x) {
      auto of_it = [&](const pollfd& y) { return y.fd == x.second.socket.get(); };
      auto known = std::find_if(seen.begin(), seen.end(), of_it);
      return x.second.talk.owes() && known != seen.end() && (known->revents & (POLLHUP | POLLERR));
    });
  }

  /// @returns whether the client stays connected.
  bool attend(std::uint64_t id, client& x, clock::time_point now) {
    if (!hear(x))
      return false;
    do {
      if (auto request = x.talk.next())
        handler_(*request,
                 [mail = mail_, id](std::string text) { mail->put(id, std::move(text)); });
      if (!tell(x, now))
        return false;
    } while (x.talk.is_ready());
    auto deadline = x.talk.deadline();
    return !x.talk.is_over() && (!deadline || now < *deadline);
  }

  static bool hear(client& x) {
    std::array<char, 16 * 1024> buffer;
    while (x.talk.listens()) {
      auto count = ::recv(x.socket.get(), buffer.data(), buffer.size(), 0);
      if (count == 0) {
        x.talk.take_end();
        return true;
      }
      if (count < 0)
        return errno == EAGAIN || errno == EINTR;
      x.talk.take({buffer.data(), static_cast<std::size_t>(count)});
    }
    return true;
  }

  static bool tell(client& x, clock::time_point now) {
    while (!x.talk.pending().empty()) {
      auto text = x.talk.pending();
      auto count = ::send(x.socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (count < 0)
        return errno == EAGAIN || errno == EINTR;
      x.talk.sent(static_cast<std::size_t>(count), now);
    }
    return true;
  }

  void take_in(clock::time_point now) {
    if (closed_until_ > now)
      return;
    // Limit the clients accepted in one turn, so that connected ones are not kept waiting.
    for (std::size_t i = 0; i < most_control_clients && has_room(); ++i) {
      unique_fd socket{::accept4(door_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
      if (!socket) {
        if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
          closed_until_ = now + descriptor_pause;
        return;
      }
      make_room();
      client fresh{std::move(socket), control_conversation{now}};
      if (!may_speak(fresh.socket.get()))
        fresh.talk.dismiss({ec::refused, "only the user who runs this experiment may control it"});
      auto id = ++next_;
      // Most clients have sent their request by now.
      if (attend(id, fresh, now))
        clients_.emplace(id, std::move(fresh));
    }
  }

  /// Whether a client can be accepted. If not, new clients wait in the backlog until another client
  /// was answered.
  [[nodiscard]] bool has_room() const {
    return clients_.size() < most_control_clients
           || std::any_of(clients_.begin(), clients_.end(),
                          [](const auto& x) { return !x.second.talk.owes(); });
  }

  /// Disconnects the client that has idled longest if the limit is reached; clients that wait for
  /// an answer stay.
  void make_room() {
    if (clients_.size() < most_control_clients)
      return;
    auto longest = clients_.end();
    for (auto i = clients_.begin(); i != clients_.end(); ++i) {
      if (i->second.talk.owes())
        continue;
      if (longest == clients_.end() || i->second.talk.since() < longest->second.talk.since())
        longest = i;
    }
    if (longest != clients_.end())
      clients_.erase(longest);
  }

  void say_farewell() {
    auto now = clock::now();
    for (auto& [whom, text] : mail_->take()) {
      if (auto known = clients_.find(whom); known != clients_.end())
        known->second.talk.answer(text, now);
    }
    for (auto& [id, x] : clients_) {
      if (x.talk.owes())
        x.talk.dismiss({ec::unreachable, "the experiment ended before it could answer"});
      static_cast<void>(tell(x, now));
    }
  }
};

expected<std::unique_ptr<control_server>> control_server::start(const fs::path& experiment,
                                                                control_handler handler) {
  auto door = open_control(experiment);
  if (!door)
    return door.error();
  return std::unique_ptr<control_server>{
      new control_server{std::make_unique<impl>(experiment, unique_fd{*door}, std::move(handler))}};
}

control_server::control_server(std::unique_ptr<impl> parts) : impl_{std::move(parts)} {}
control_server::~control_server() = default;

} // namespace tune

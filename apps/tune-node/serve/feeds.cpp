// SPDX-License-Identifier: BSD-3-Clause
#include "serve/feeds.hpp"

#include "tune/http/event_frame.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace tune::cli {

namespace {

using clock = std::chrono::steady_clock;

/// One feed and when it is looked at.
struct follower {
  std::unique_ptr<live_feed> what;
  std::shared_ptr<http::byte_pipe> to;
  int watch = -1;
  clock::time_point last{};
  clock::time_point due{};
  clock::time_point glows_until{};
  clock::time_point comment_due{};

  void stir(clock::time_point now) {
    due = std::min(due, std::max(now, last + feeds::pace));
    glows_until = now + feeds::afterglow;
  }

  /// @returns false if it is over.
  bool look(clock::time_point now) {
    if (to->is_closed())
      return false;
    if (now >= comment_due) {
      static_cast<void>(to->offer(http::event_comment));
      comment_due = now + feeds::comment_pace;
    }
    last = now;
    if (!what->look()) {
      to->finish();
      return false;
    }
    due = now < glows_until ? now + feeds::pace : now + feeds::slow_pace;
    return true;
  }
};

} // namespace

class feeds::impl {
public:
  impl(store::descriptor events, store::descriptor bell)
      : events_{std::move(events)}, bell_{std::move(bell)} {}

  void run() {
    while (!is_over()) {
      wait();
      take_new();
      const auto now = clock::now();
      read_events(now);
      look(now);
    }
    take_new();
    for (auto& x : followers_)
      x.to->finish(false);
  }

  expected<void> add(follower x) {
    {
      std::lock_guard guard{mutex_};
      if (ends_ || count_ >= most)
        return error{ec::shortage, "too many clients follow something already"};
      ++count_;
      new_.push_back(std::move(x));
    }
    ring();
    return {};
  }

  void stop() {
    {
      std::lock_guard guard{mutex_};
      ends_ = true;
    }
    ring();
    if (thread.joinable())
      thread.join();
  }

  std::thread thread;

private:
  store::descriptor events_;
  store::descriptor bell_;
  std::list<follower> followers_;
  std::mutex mutex_;
  std::list<follower> new_;
  std::size_t count_ = 0;
  bool ends_ = false;

  bool is_over() {
    std::lock_guard guard{mutex_};
    return ends_;
  }

  void ring() {
    const std::uint64_t one = 1;
    static_cast<void>(::write(bell_.number(), &one, sizeof one));
  }

  /// Sleeps until something is due, or the kernel tells of a change that may be looked at.
  void wait() {
    auto next = clock::now() + comment_pace;
    auto earliest = next;
    for (const auto& x : followers_) {
      next = std::min(next, x.due);
      earliest = std::min(earliest, x.last + pace);
    }
    const auto until = [](clock::time_point when) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(when - clock::now());
      return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
    };
    // While none may be looked at again, changes gather in the kernel.
    std::array<::pollfd, 2> both{{{bell_.number(), POLLIN, 0}, {events_.number(), POLLIN, 0}}};
    if (const auto rest = until(earliest); rest > 0 && !followers_.empty()) {
      if (::poll(both.data(), 1, std::min(rest, until(next))) != 0)
        return empty_bell();
    }
    if (::poll(both.data(), both.size(), until(next)) > 0 && both[0].revents != 0)
      empty_bell();
  }

  void empty_bell() {
    std::uint64_t count = 0;
    static_cast<void>(::read(bell_.number(), &count, sizeof count));
  }

  void take_new() {
    std::lock_guard guard{mutex_};
    // What was written just before the directory is watched may become visible only now.
    for (auto& x : new_) {
      x.due = clock::now();
      x.glows_until = x.due + feeds::afterglow;
    }
    followers_.splice(followers_.end(), new_);
  }

  void read_events(clock::time_point now) {
    alignas(::inotify_event) std::array<char, 16 * 1024> buffer;
    for (;;) {
      const auto count = ::read(events_.number(), buffer.data(), buffer.size());
      if (count <= 0)
        return;
      for (::ssize_t at = 0; at < count;) {
        ::inotify_event event;
        std::memcpy(&event, buffer.data() + at, sizeof event);
        const auto* name = buffer.data() + at + sizeof event;
        take_event(event, event.len > 0 ? std::string{name} : std::string{}, now);
        at += static_cast<::ssize_t>(sizeof event + event.len);
      }
    }
  }

  void take_event(const ::inotify_event& event, const std::string& file, clock::time_point now) {
    for (auto& x : followers_) {
      const auto is_lost = (event.mask & IN_Q_OVERFLOW) != 0;
      if (is_lost || (x.watch == event.wd && x.what->heeds(file)))
        x.stir(now);
      if (x.watch == event.wd && (event.mask & IN_IGNORED) != 0)
        x.watch = -1;
    }
  }

  void watch(follower& x) {
    if (x.watch >= 0)
      return;
    const auto place = x.what->place();
    if (place.number() < 0)
      return;
    const auto path = "/proc/self/fd/" + std::to_string(place.number());
    x.watch = ::inotify_add_watch(events_.number(), path.c_str(),
                                  IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF);
  }

  void unwatch(int which) {
    const auto is_shared = std::any_of(followers_.begin(), followers_.end(),
                                       [&](const auto& x) { return x.watch == which; });
    if (which >= 0 && !is_shared)
      ::inotify_rm_watch(events_.number(), which);
  }

  void look(clock::time_point now) {
    for (auto i = followers_.begin(); i != followers_.end();) {
      if (i->due > now && !i->to->is_closed()) {
        ++i;
        continue;
      }
      watch(*i);
      if (i->look(now)) {
        ++i;
        continue;
      }
      const auto watched = i->watch;
      i = followers_.erase(i);
      unwatch(watched);
      std::lock_guard guard{mutex_};
      --count_;
    }
  }
};

feeds::feeds(std::unique_ptr<impl> parts) : impl_{std::move(parts)} {}

feeds::~feeds() {
  stop();
}

expected<std::unique_ptr<feeds>> feeds::start() {
  store::descriptor events{::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
  store::descriptor bell{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  if (events.number() < 0 || bell.number() < 0)
    return error{ec::shortage, std::string{"files cannot be watched: "} + std::strerror(errno)};
  auto parts = std::make_unique<impl>(std::move(events), std::move(bell));
  try {
    parts->thread = std::thread{[x = parts.get()] { x->run(); }};
  } catch (const std::system_error& why) {
    return error{ec::shortage, std::string{"no thread can be started: "} + why.what()};
  }
  return std::unique_ptr<feeds>{new feeds{std::move(parts)}};
}

expected<void> feeds::add(std::unique_ptr<live_feed> what, std::shared_ptr<http::byte_pipe> to) {
  follower x;
  x.what = std::move(what);
  x.to = std::move(to);
  x.comment_due = clock::now() + comment_pace;
  return impl_->add(std::move(x));
}

void feeds::stop() {
  impl_->stop();
}

} // namespace tune::cli

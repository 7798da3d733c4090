/// Waits for many pipes at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "posix/unique_fd.hpp"

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <span>

namespace tune {

/// Names one of a process's descriptors.
enum class pipe_role : std::uint8_t { out, err, report, answer };

/// An epoll instance whose keys name a process and one of its pipes.
class pipe_watch {
public:
  struct key {
    /// 0 stands for the service itself.
    std::uint64_t process = 0;
    pipe_role role = pipe_role::out;
  };

  pipe_watch() : epoll_{::epoll_create1(EPOLL_CLOEXEC)} {}

  /// @returns whether `fd` is watched now.
  bool add(int fd, key name, std::uint32_t events) {
    return control(EPOLL_CTL_ADD, fd, name, events);
  }
  bool change(int fd, key name, std::uint32_t events) {
    return control(EPOLL_CTL_MOD, fd, name, events);
  }
  void remove(int fd) { ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

  /// @param limit_ms -1 waits for ever. @returns events, valid until the next call.
  [[nodiscard]] std::span<const epoll_event> wait(int limit_ms) {
    auto count
        = ::epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), limit_ms);
    return {events_.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
  }

  [[nodiscard]] static key key_of(const epoll_event& from) {
    return {from.data.u64 >> 2, static_cast<pipe_role>(from.data.u64 & 3)};
  }

private:
  unique_fd epoll_;
  std::array<epoll_event, 64> events_;

  bool control(int operation, int fd, key name, std::uint32_t events) {
    epoll_event wanted{};
    wanted.events = events;
    wanted.data.u64 = name.process << 2 | static_cast<std::uint64_t>(name.role);
    return ::epoll_ctl(epoll_.get(), operation, fd, &wanted) == 0;
  }
};

} // namespace tune

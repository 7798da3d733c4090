// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/service_notice.hpp"

#include "posix/unique_fd.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace tune {

namespace {

std::string_view variable(const char* name) {
  const auto* text = std::getenv(name);
  return text == nullptr ? std::string_view{} : std::string_view{text};
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t result = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (text.empty() || fault != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return result;
}

} // namespace

bool notify_service_manager(const std::string& state) {
  const auto path = variable("NOTIFY_SOCKET");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() < 2 || path.size() >= sizeof address.sun_path
      || (path.front() != '/' && path.front() != '@'))
    return false;
  std::memcpy(address.sun_path, path.data(), path.size());
  auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  if (path.front() == '@')
    address.sun_path[0] = '\0'; // a name that is no file
  else
    ++size;
  const unique_fd socket{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  return socket.get() >= 0
         && ::sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                     reinterpret_cast<const sockaddr*>(&address), size)
                == static_cast<ssize_t>(state.size());
}

std::optional<std::chrono::microseconds> watchdog_limit() {
  const auto limit = number_of(variable("WATCHDOG_USEC"));
  const auto whose = variable("WATCHDOG_PID");
  if (!limit || *limit == 0 || *limit > std::uint64_t{1} << 53)
    return std::nullopt;
  if (!whose.empty() && number_of(whose) != static_cast<std::uint64_t>(::getpid()))
    return std::nullopt;
  return std::chrono::microseconds{*limit};
}

} // namespace tune

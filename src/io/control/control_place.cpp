// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/control/control_place.hpp"

#include "posix/unique_fd.hpp"
#include "tune/io/control/control_conversation.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr auto socket_name = "socket";
/// Clients that may wait to be accepted; the kernel lowers the number if it allows fewer.
constexpr int backlog = 128;

error call_failed(const fs::path& path, const std::string& doing, int number,
                  ec code = ec::storage) {
  return {code, path.string() + ": cannot " + doing + ": " + std::strerror(number)};
}

/// The socket's address through the directory's descriptor, since the path in a socket address must
/// be short.
sockaddr_un address_in(const unique_fd& directory) {
  sockaddr_un result{};
  result.sun_family = AF_UNIX;
  std::snprintf(result.sun_path, sizeof result.sun_path, "/proc/self/fd/%d/%s", directory.get(),
                socket_name);
  return result;
}

unique_fd open_directory(const fs::path& path) {
  return unique_fd{::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
}

/// Makes sure that the directory exists, belongs to this user and is closed to all others.
expected<void> claim(const fs::path& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return call_failed(path, "make", errno);
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0)
    return call_failed(path, "read", errno);
  if (!S_ISDIR(found.st_mode) || found.st_uid != ::geteuid())
    return error{ec::refused, path.string() + ": is not a directory of this user"};
  if ((found.st_mode & 0777) != 0700 && ::chmod(path.c_str(), 0700) != 0)
    return call_failed(path, "protect", errno);
  return {};
}

expected<void> bind_in(const unique_fd& directory, const unique_fd& to, const fs::path& path) {
  if (::unlinkat(directory.get(), socket_name, 0) != 0 && errno != ENOENT)
    return call_failed(path, "replace", errno);
  auto address = address_in(directory);
  if (::bind(to.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return call_failed(path, "make the control socket in", errno);
  // Nobody else could have connected before: only this user may enter the directory.
  if (::fchmodat(directory.get(), socket_name, 0600, 0) != 0)
    return call_failed(path, "protect the control socket in", errno);
  return {};
}

error nobody_listens(const fs::path& experiment) {
  if (!is_held(experiment))
    return {ec::unreachable, experiment.string() + ": nobody runs this experiment now"};
  return {ec::unreachable, experiment.string() + ": " + holder_of(experiment)
                               + " works on it, but does not listen here; ask again, or on its"
                                 " machine"};
}

} // namespace

fs::path control_directory(const fs::path& experiment) {
  return experiment / ".control";
}

expected<int> open_control(const fs::path& experiment) {
  auto path = control_directory(experiment);
  if (auto claimed = claim(path); !claimed)
    return claimed.error();
  auto directory = open_directory(path);
  if (!directory)
    return call_failed(path, "open", errno);
  unique_fd result{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!result)
    return call_failed(path, "make a socket for", errno);
  if (auto bound = bind_in(directory, result, path); !bound)
    return bound.error();
  if (::listen(result.get(), backlog) != 0)
    return call_failed(path, "listen in", errno);
  return result.release();
}

void remove_control(const fs::path& experiment) {
  auto path = control_directory(experiment);
  ::unlink((path / socket_name).c_str());
  ::rmdir(path.c_str());
}

expected<int> connect_control(const fs::path& experiment) {
  auto path = control_directory(experiment);
  auto directory = open_directory(path);
  if (!directory && (errno == EACCES || errno == EPERM))
    return call_failed(path, "open", errno, ec::refused);
  if (!directory)
    return nobody_listens(experiment);
  unique_fd result{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (!result)
    return call_failed(path, "make a socket for", errno);
  timeval patience{control_patience.count(), 0};
  ::setsockopt(result.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  auto address = address_in(directory);
  if (::connect(result.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return result.release();
  if (errno == EACCES || errno == EPERM)
    return error{ec::refused, experiment.string() + ": only the user who runs this experiment may"
                                  + " control it: " + std::strerror(errno)};
  if (errno == EAGAIN)
    return error{ec::unreachable, experiment.string() + ": its head does not answer"};
  return nobody_listens(experiment);
}

bool is_led(const fs::path& experiment) {
  if (is_held(experiment))
    return true;
  // Some file systems are listed in /proc/locks under another device number.
  auto connected = connect_control(experiment);
  if (connected)
    ::close(*connected);
  return connected.has_value();
}

} // namespace tune

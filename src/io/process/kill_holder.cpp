// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/kill_holder.hpp"

#include "posix/unique_fd.hpp"
#include "proc_files.hpp"
#include "tune/io/process/process_mark.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace tune {

namespace fs = std::filesystem;

namespace {

using steady = std::chrono::steady_clock;

/// Whether one of its descriptors is of this file, and has a lock on it.
bool has_locked(const fs::path& process, const fs::path& lock) {
  struct ::stat wanted {};
  if (::stat(lock.c_str(), &wanted) != 0)
    return false;
  std::error_code why;
  for (fs::directory_iterator i{process / "fd", why}; !why && i != fs::end(i); i.increment(why)) {
    // Only files of that name are looked at: others may be on a server that does not answer.
    std::error_code gone;
    if (fs::read_symlink(i->path(), gone).filename() != lock.filename() || gone)
      continue;
    struct ::stat open {};
    if (::stat(i->path().c_str(), &open) != 0 || open.st_dev != wanted.st_dev
        || open.st_ino != wanted.st_ino)
      continue;
    std::ifstream facts{process / "fdinfo" / i->path().filename()};
    for (std::string line; std::getline(facts, line);) {
      if (line.starts_with("lock:"))
        return true;
    }
  }
  return false;
}

error cannot(const char* what) {
  return {ec::process, std::string{"it cannot be "} + what + ": " + std::strerror(errno)};
}

/// @returns whether it has ended by then.
bool await_end(int process, steady::time_point until) {
  ::pollfd waiting{process, POLLIN, 0};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady::now()).count();
    const auto ready = ::poll(&waiting, 1, static_cast<int>(std::max(left, decltype(left){0})));
    if (ready >= 0 || errno != EINTR)
      return ready > 0;
  }
}

} // namespace

expected<void> kill_holder(const std::string& mark, const fs::path& lock,
                           std::chrono::milliseconds patience) {
  const auto name = process_name_from_text(mark);
  if (is_known_gone(mark))
    return {};
  if (!name)
    return error{ec::refused, "it left no mark of its process"};
  const auto pid = static_cast<pid_t>(name->pid);
  const unique_fd process{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  // Compared after opening: from here on the descriptor is that of exactly this process.
  const auto seen = name_of_process(pid);
  if (!seen || to_text(*seen) != mark)
    return is_known_gone(mark)
               ? expected<void>{}
               : error{ec::refused, "it is on another machine, or in another container"};
  if (!process)
    return cannot("opened");
  const fs::path facts = "/proc/" + std::to_string(pid);
  struct ::stat owner {};
  if (pid == ::getpid())
    return error{ec::refused, "it is this process"};
  if (::stat(facts.c_str(), &owner) != 0 || owner.st_uid != ::geteuid())
    return error{ec::refused, "it is of another user"};
  if (!has_locked(facts, lock))
    return error{ec::refused, "it is not seen to hold " + lock.string()};
  if (::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0) != 0 && errno != ESRCH)
    return cannot("killed");
  if (!await_end(process.get(), steady::now() + patience))
    return error{ec::process, "it was killed, but the kernel holds it"};
  return {};
}

} // namespace tune

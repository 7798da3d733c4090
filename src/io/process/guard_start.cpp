// SPDX-License-Identifier: BSD-3-Clause
#include "guard.hpp"
#include "guard_wire.hpp"
#include "proc_files.hpp"
#include "tune/io/process/host.hpp"
#include "tune/io/process/notice_signal.hpp"
#include "tune/io/process/piped_program.hpp"
#include "tune/io/process/process_mark.hpp"
#include "tune/io/process/shortage.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace tune {

namespace {

constexpr const char* marker = "TUNE_INSIDE_GUARD";
constexpr int guard_fd = 3;
constexpr const char* null_device = "/dev/null";
/// With fewer open files allowed, no process can be started.
constexpr rlim_t least_descriptors = 32;

/// Checks the descriptor limit: a guard that answers may still be unable to start any trial.
expected<void> check_descriptors(const std::filesystem::path& program) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= least_descriptors)
    return {};
  return error{ec::shortage, "the guard " + program.string() + " cannot work: only "
                                 + std::to_string(files.rlim_cur)
                                 + " files may be open at once; raise the limit (ulimit -n), at "
                                   "least to "
                                 + std::to_string(least_descriptors)};
}

bool is_usable(const char* file) {
  return ::access(file, R_OK | W_OK) == 0;
}

/// The environment of a guard: a marked copy of this process's, so that a program that does not
/// know it is a guard cannot start guards endlessly.
struct marked_environment {
  std::string mark = std::string{marker} + "=1";
  std::string ignored = std::string{guard_ignores} + "=" + std::to_string(notice_signal());
  std::vector<char*> pointers;

  marked_environment() {
    for (auto** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
      pointers.push_back(*entry);
    pointers.push_back(mark.data());
    pointers.push_back(ignored.data());
    pointers.push_back(nullptr);
  }
};

/// Starts the guard in its own session, with no ignored signal and no descriptor except the socket.
/// All signals are blocked: until it has its own session it belongs to this process's group, and a
/// Ctrl-C then is meant for this process.
int spawn_guard(const std::filesystem::path& program, int socket, pid_t& pid) {
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t all;
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &all);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, socket, guard_fd);
  for (int fd = 0; fd < guard_fd; ++fd)
    ::posix_spawn_file_actions_addopen(&actions, fd, null_device, O_RDWR, 0);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, guard_fd + 1);
  auto path = program.string();
  auto fd_text = std::to_string(guard_fd);
  std::string flag = "__tune-guard";
  std::array<char*, 4> argv{path.data(), flag.data(), fd_text.data(), nullptr};
  marked_environment env;
  auto result
      = ::posix_spawn(&pid, path.c_str(), &actions, &attributes, argv.data(), env.pointers.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return result;
}

/// The process name plus a random word that makes the mark unique across machines.
std::string mark_of_guard(pid_t pid) {
  auto name = name_of_process(pid);
  std::array<unsigned char, 8> chance{};
  static_cast<void>(::getentropy(chance.data(), chance.size()));
  std::array<char, 3> digits{};
  auto result = (name ? to_text(*name) : std::string{}) + ":";
  for (auto byte : chance) {
    std::snprintf(digits.data(), digits.size(), "%02x", byte);
    result += digits.data();
  }
  return result;
}

bool hears_hello(int socket, std::chrono::milliseconds patience) {
  pollfd waiting{socket, POLLIN, 0};
  if (::poll(&waiting, 1, static_cast<int>(patience.count())) != 1)
    return false;
  auto first = guard_wire::receive(socket);
  const auto* hello = first.what ? std::get_if<guard_wire::hello>(&*first.what) : nullptr;
  return hello != nullptr && hello->version == guard_wire::wire_version;
}

} // namespace

std::filesystem::path own_program() {
  std::error_code problem;
  auto self = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (problem || !std::filesystem::exists(self, problem))
    return "/proc/self/exe";
  return self;
}

expected<guard_connection> start_guard(const std::filesystem::path& program,
                                       std::chrono::milliseconds patience) {
  if (std::getenv(marker) != nullptr)
    return error{ec::refused, std::string{no_host_main}};
  if (proc_files::shows_other_space())
    return error{ec::process, "/proc shows another PID namespace than the one that this runs in, "
                              "so processes of trials cannot be told from others: mount /proc "
                              "anew, as unshare --mount-proc does"};
  if (auto enough = check_descriptors(program); !enough)
    return enough.error();
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    const auto reason = errno;
    return error{fault_of(reason), "cannot make a socket pair: " + text_of_shortage(reason)};
  }
  guard_connection result;
  result.socket.reset(ends[0]);
  unique_fd other{ends[1]};
  if (auto failure = spawn_guard(program, other.get(), result.pid); failure != 0) {
    const auto what = is_usable(null_device) ? "start the guard " + program.string()
                                             : std::string{"open "} + null_device;
    return error{fault_of(failure), "cannot " + what + ": " + text_of_shortage(failure)};
  }
  other.reset();
  if (hears_hello(result.socket.get(), patience)) {
    result.mark = mark_of_guard(result.pid);
    return result;
  }
  ::kill(-result.pid, SIGKILL);
  bury_guard(result.pid, std::chrono::seconds{2});
  return error{ec::process,
               "the guard " + program.string() + " does not answer; " + std::string{no_host_main}};
}

bool bury_guard(pid_t pid, std::chrono::milliseconds patience) {
  unique_fd process{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  // Without such a descriptor, as under valgrind, the process is polled.
  auto step = process ? patience : std::chrono::milliseconds{5};
  auto until = std::chrono::steady_clock::now() + patience;
  // If somebody else has reaped it, it is gone as well.
  while (::waitpid(pid, nullptr, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= until)
      return false;
    pollfd waiting{process.get(), POLLIN, 0};
    ::poll(&waiting, 1, static_cast<int>(step.count()));
  }
  return true;
}

} // namespace tune

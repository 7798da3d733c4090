// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/hook/hook_process.hpp"

#include "posix/posix.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

extern char** environ; // NOLINT(readability-redundant-declaration)

namespace tune {

namespace {

using std::chrono::milliseconds;
using steady = std::chrono::steady_clock;

/// Time between two looks at a program that is waited for.
constexpr milliseconds between_looks{20};
/// From TERM to KILL.
constexpr milliseconds kill_grace{500};

/// A write to a program that has gone shall fail, not end this process.
void keep_from_pipe_signal() {
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &one, nullptr);
}

void forget_pipe_signal() {
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, SIGPIPE);
  const timespec at_once{};
  while (::sigtimedwait(&one, nullptr, &at_once) > 0) {}
}

std::vector<char*> words_for_exec(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::string end_text(int status) {
  if (WIFSIGNALED(status))
    return "it was ended by signal " + std::to_string(WTERMSIG(status));
  return "it ended with exit status " + std::to_string(WEXITSTATUS(status));
}

} // namespace

hook_process::hook_process(hook_command what) : what_{std::move(what)} {
  keep_from_pipe_signal();
}

hook_process::~hook_process() {
  finish([] { return milliseconds{0}; });
}

void hook_process::add(sequence seq, std::string text) {
  lines_.push_back({seq, std::move(text)});
}

expected<void> hook_process::start() {
  if (pid_ != 0)
    return {};
  std::error_code ignored;
  std::filesystem::create_directories(what_.log.parent_path(), ignored);
  auto log = store::open_own_file(what_.log, O_WRONLY | O_CREAT | O_APPEND, "write");
  if (!log)
    return error{ec::unreachable, log.error().detail};
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return error{ec::unreachable, std::string{"cannot make a pipe: "} + std::strerror(errno)};
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  const auto failed = spawn(ends[0], log->number());
  ::close(ends[0]);
  if (failed == 0) {
    pipe_ = ends[1];
    return {};
  }
  ::close(ends[1]);
  pid_ = 0;
  return error{ec::unreachable, "cannot start " + what_.words[0] + ": " + std::strerror(failed)};
}

int hook_process::spawn(int from, int log) {
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
  ::posix_spawn_file_actions_addchdir_np(&actions, what_.directory.c_str());
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  auto values = what_.environment;
  for (auto** each = environ; *each != nullptr; ++each)
    values.emplace_back(*each);
  auto env = words_for_exec(values);
  auto argv = words_for_exec(what_.words);
  const auto result
      = ::posix_spawnp(&pid_, argv[0], &actions, &attributes, argv.data(), env.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return result;
}

void hook_process::settle(bool is_gone) {
  int unread = 0;
  if (pipe_ < 0 || ::ioctl(pipe_, FIONREAD, &unread) != 0)
    unread = 0;
  // From the end: what lies in the pipe was not read.
  auto left = static_cast<std::size_t>(std::max(unread, 0));
  auto first_unread = next_;
  left -= std::min(left, written_);
  while (left > 0 && first_unread > 0) {
    --first_unread;
    left -= std::min(left, lines_[first_unread].text.size());
  }
  // The beginning of a line may be read and its end not.
  lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(first_unread));
  next_ -= first_unread;
  if (is_gone) {
    next_ = 0;
    written_ = 0;
  }
}

sequence hook_process::read_up_to(sequence told) {
  settle(false);
  return lines_.empty() ? told : lines_.front().seq - 1;
}

bool hook_process::has_ended(std::string& how) {
  int status = 0;
  if (pid_ == 0 || ::waitpid(pid_, &status, WNOHANG) != pid_)
    return false;
  how = end_text(status);
  return true;
}

error hook_process::ended(const std::string& how) {
  settle(true);
  ::close(std::exchange(pipe_, -1));
  pid_ = 0;
  return {ec::unreachable,
          what_.words[0] + ": " + how + " (its output: " + what_.log.string() + ")"};
}

expected<void> hook_process::write(milliseconds patience) {
  if (!has_lines())
    return {};
  if (auto ready = start(); !ready)
    return ready;
  auto until = steady::now() + patience;
  std::string how;
  while (has_lines()) {
    if (has_ended(how))
      return ended(how);
    const auto& text = lines_[next_].text;
    const auto count = ::write(pipe_, text.data() + written_, text.size() - written_);
    if (count > 0) {
      written_ += static_cast<std::size_t>(count);
      until = steady::now() + patience;
    }
    if (written_ == text.size()) {
      ++next_;
      written_ = 0;
      continue;
    }
    if (count >= 0 || errno == EINTR)
      continue;
    if (errno == EPIPE) {
      forget_pipe_signal();
      // It has closed its stdin, and is about to end; if not, it never reads again.
      finish([] { return kill_grace; });
      return error{ec::unreachable, what_.words[0] + ": it has closed its stdin"};
    }
    if (steady::now() >= until)
      return error{ec::unreachable, what_.words[0] + ": it does not read its stdin"};
    pollfd one{pipe_, POLLOUT, 0};
    ::poll(&one, 1, static_cast<int>(between_looks.count()));
  }
  return {};
}

expected<void> hook_process::await_reading(const patience_function& patience) {
  auto until = steady::time_point::max();
  for (;;) {
    settle(false);
    if (lines_.empty())
      return {};
    std::string how;
    if (has_ended(how))
      return ended(how);
    const auto now = steady::now();
    until = std::min(until, now + patience());
    if (now >= until)
      return error{ec::unreachable, what_.words[0] + ": it does not read its stdin"};
    std::this_thread::sleep_for(between_looks);
  }
}

void hook_process::finish(const patience_function& patience) {
  if (pid_ == 0)
    return;
  settle(true);
  ::close(std::exchange(pipe_, -1));
  std::string how;
  const auto is_gone_within = [&](const patience_function& longest) {
    auto until = steady::time_point::max();
    while (!has_ended(how)) {
      const auto now = steady::now();
      until = std::min(until, now + longest());
      if (now >= until)
        return false;
      std::this_thread::sleep_for(between_looks);
    }
    return true;
  };
  if (!is_gone_within(patience)) {
    ::kill(-pid_, SIGTERM);
    if (!is_gone_within([] { return kill_grace; })) {
      ::kill(-pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  pid_ = 0;
}

} // namespace tune

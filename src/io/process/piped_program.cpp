// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/piped_program.hpp"

#include "posix/unique_fd.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

extern char** environ; // NOLINT(readability-redundant-declaration)

namespace tune {

namespace {

/// Keeps SIGPIPE from this thread as long as it lives: a write to a program that has gone shall
/// fail, not end this process.
class no_pipe_signal {
public:
  no_pipe_signal() {
    ::sigemptyset(&one_);
    ::sigaddset(&one_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &one_, &before_);
  }
  ~no_pipe_signal() {
    const timespec at_once{};
    // Where it was blocked before, whoever blocked it takes what is pending.
    while (!::sigismember(&before_, SIGPIPE) && ::sigtimedwait(&one_, nullptr, &at_once) > 0) {}
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  no_pipe_signal(const no_pipe_signal&) = delete;
  no_pipe_signal& operator=(const no_pipe_signal&) = delete;

private:
  sigset_t one_{};
  sigset_t before_{};
};

/// Both ends of a pipe, closed over exec; the reading end is non-blocking.
struct pipe_ends {
  unique_fd from;
  unique_fd to;
};

expected<pipe_ends> open_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return error{ec::process, std::string{"cannot make a pipe: "} + std::strerror(errno)};
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return pipe_ends{unique_fd{ends[0]}, unique_fd{ends[1]}};
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (auto& text : texts)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// `own` and the variables of this process that it does not name.
std::vector<std::string> environment_with(const std::vector<std::string>& own) {
  auto result = own;
  for (auto** each = environ; *each != nullptr; ++each) {
    const std::string_view inherited{*each};
    const auto name = inherited.substr(0, inherited.find('=') + 1);
    if (std::none_of(own.begin(), own.end(), [&](const auto& x) { return x.starts_with(name); }))
      result.emplace_back(inherited);
  }
  return result;
}

/// Appends the available bytes to `to`, until it holds `most`. @returns whether the pipe is still
/// open.
bool read_some(int pipe, std::string& to, std::size_t most) {
  std::array<char, 16 * 1024> buffer;
  while (to.size() < most) {
    const auto count = ::read(pipe, buffer.data(), std::min(buffer.size(), most - to.size()));
    if (count > 0)
      to.append(buffer.data(), static_cast<std::size_t>(count));
    else if (count == 0)
      return false;
    else if (errno != EINTR)
      return errno == EAGAIN;
  }
  return true;
}

/// Starts the program in a session of its own, with no signal blocked or ignored and no descriptors
/// but the standard ones.
/// @param in A descriptor, or -1 for `in_file`.
int spawn_piped(const std::filesystem::path& program, std::vector<std::string>& words,
                const std::vector<std::string>& environment, int in, const std::string& in_file,
                int out, int err, pid_t& pid) {
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
  if (in >= 0)
    ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  else
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, in_file.c_str(), O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  auto path = program.string();
  auto argv = pointers_to(words);
  auto values = environment_with(environment);
  auto env = pointers_to(values);
  auto result = ::posix_spawn(&pid, path.c_str(), &actions, &attributes, argv.data(), env.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return result;
}

int status_of(int waited) {
  return WIFSIGNALED(waited) ? 128 + WTERMSIG(waited) : WEXITSTATUS(waited);
}

} // namespace

class piped_program::impl {
public:
  impl(pid_t pid, unique_fd in, unique_fd out, unique_fd err)
      : pid_{pid}, in_{std::move(in)}, out_{std::move(out)}, err_{std::move(err)} {}
  impl(const impl&) = delete;
  impl& operator=(const impl&) = delete;
  ~impl() {
    if (pid_ <= 0)
      return;
    ::kill(-pid_, SIGKILL);
    static_cast<void>(reap());
  }

  piece read(std::size_t most, std::chrono::milliseconds patience) {
    piece result;
    // A negative descriptor makes poll ignore a closed pipe.
    std::array<pollfd, 2> ready{
        {{out_is_open_ ? out_.get() : -1, POLLIN, 0}, {err_is_open_ ? err_.get() : -1, POLLIN, 0}}};
    if (out_is_open_ || err_is_open_)
      ::poll(ready.data(), ready.size(), static_cast<int>(patience.count()));
    if (out_is_open_)
      out_is_open_ = read_some(out_.get(), result.out, most);
    if (err_is_open_)
      err_is_open_ = read_some(err_.get(), result.err, most);
    if (!out_is_open_ && !err_is_open_)
      result.status = reap();
    return result;
  }

  bool write(std::string_view text) {
    while (in_ && !text.empty()) {
      const auto count = ::write(in_.get(), text.data(), text.size());
      if (count > 0)
        text.remove_prefix(static_cast<std::size_t>(count));
      else if (errno != EINTR)
        return false;
    }
    return text.empty();
  }

  void close_input() { in_.reset(); }

private:
  pid_t pid_;
  unique_fd in_;
  unique_fd out_;
  unique_fd err_;
  bool out_is_open_ = true;
  bool err_is_open_ = true;
  int status_ = 0;

  int reap() {
    if (pid_ <= 0)
      return status_;
    int waited = 0;
    pid_t gone = -1;
    while ((gone = ::waitpid(pid_, &waited, 0)) < 0 && errno == EINTR) {}
    pid_ = 0;
    // A process that has its children's ends ignored (SIGCHLD) never hears of them.
    constexpr auto unknown_end = 1;
    status_ = gone < 0 ? unknown_end : status_of(waited);
    return status_;
  }
};

expected<piped_program> piped_program::start(const std::filesystem::path& program,
                                             std::vector<std::string> words,
                                             const std::vector<std::string>& environment,
                                             const program_input& input) {
  auto in = input.is_written ? open_pipe() : expected<pipe_ends>{pipe_ends{}};
  if (!in)
    return in.error();
  if (in->to)
    ::fcntl(in->to.get(), F_SETFL, O_NONBLOCK);
  // The program reads in its own time.
  if (in->from)
    ::fcntl(in->from.get(), F_SETFL, 0);
  const auto file = input.file.empty() ? std::string{"/dev/null"} : input.file.string();
  auto out = open_pipe();
  auto err = open_pipe();
  if (!out || !err)
    return out ? err.error() : out.error();
  pid_t pid = 0;
  if (auto failed = spawn_piped(program, words, environment, in->from.get(), file, out->to.get(),
                                err->to.get(), pid);
      failed != 0)
    return error{ec::process, "cannot start " + program.string() + ": " + std::strerror(failed)};
  return piped_program{
      std::make_unique<impl>(pid, std::move(in->to), std::move(out->from), std::move(err->from))};
}

piped_program::piped_program(std::unique_ptr<impl> what) : impl_{std::move(what)} {}
piped_program::piped_program(piped_program&&) noexcept = default;
piped_program& piped_program::operator=(piped_program&&) noexcept = default;
piped_program::~piped_program() = default;

piped_program::piece piped_program::read(std::size_t most, std::chrono::milliseconds patience) {
  return impl_->read(most, patience);
}

bool piped_program::write(std::string_view text) {
  const no_pipe_signal during;
  return impl_->write(text);
}

void piped_program::close_input() {
  impl_->close_input();
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "plugin_answer.hpp"

#include "posix/unique_fd.hpp"
#include "proc_files.hpp"
#include "tune/io/json.hpp"
#include "tune/io/process/plugin.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

namespace tune {

namespace {

/// Time for killed processes of a plugin to disappear.
constexpr std::chrono::seconds killing_takes{2};
constexpr std::chrono::milliseconds between_looks{2};

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno != EINTR)
      return false;
    text.remove_prefix(static_cast<std::size_t>(std::max<::ssize_t>(count, 0)));
  }
  return true;
}

object content_of(const std::filesystem::path& plugin, const trainable_registry& found) {
  value::list all;
  for (const auto* x : found.entries()) {
    if (x->actor != nullptr)
      return {{"error", "\"" + plugin.string() + "\" brings the actor " + x->name
                            + "; a plugin has functions and classes only"}};
    all.emplace_back(
        object{{"name", x->name}, {"class", static_cast<bool>(x->maker)}, {"summary", x->summary}});
  }
  return {{"trainables", std::move(all)}};
}

/// The answer line: the plugin's trainables, or why it cannot be loaded.
std::string answer_about(const std::filesystem::path& plugin) {
  trainable_registry found;
  auto loaded = load_plugin(plugin, found);
  return to_json(loaded ? content_of(plugin, found) : object{{"error", loaded.error().detail}})
         + "\n";
}

/// Reads to the end of the line, or until `who` has ended and the pipe is empty: processes that the
/// plugin started may keep the pipe open. Gives up once nobody reads at `listener`.
std::string line_from(int pipe, int who, int listener) {
  std::string result;
  std::array<char, 16 * 1024> buffer;
  while (result.size() < longest_plugin_answer) {
    std::array<pollfd, 3> ready{{{pipe, POLLIN, 0}, {who, POLLIN, 0}, {listener, 0, 0}}};
    if (::poll(ready.data(), ready.size(), -1) < 0)
      continue;
    if (ready[2].revents != 0)
      break;
    if (ready[0].revents == 0)
      break;
    const auto count = ::read(pipe, buffer.data(), buffer.size());
    if (count <= 0)
      break;
    result.append(buffer.data(), static_cast<std::size_t>(count));
    if (result.back() == '\n')
      break;
  }
  return result;
}

/// Ends all descendants of this process.
void end_descendants() {
  const auto until = std::chrono::steady_clock::now() + killing_takes;
  for (;;) {
    const auto children = proc_files::own_children();
    if (children.empty() || std::chrono::steady_clock::now() > until)
      return;
    for (auto pid : children)
      ::kill(pid, SIGKILL);
    std::this_thread::sleep_for(between_looks);
    // Children of reaped processes become children of this process.
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {}
  }
}

/// Ends this process the way another one ended.
int end_as(int status) {
  if (!WIFSIGNALED(status))
    return WEXITSTATUS(status);
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(WTERMSIG(status), SIG_DFL);
  ::raise(WTERMSIG(status));
  return 1;
}

} // namespace

int tell_of_plugin(const std::filesystem::path& plugin, int fd) {
  std::array<int, 2> ends{};
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || ::pipe2(ends.data(), O_CLOEXEC) != 0)
    return 1;
  const unique_fd from{ends[0]};
  unique_fd to{ends[1]};
  const auto loader = ::fork();
  if (loader < 0)
    return 1;
  if (loader == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(fd);
    ::_exit(write_all(to.get(), answer_about(plugin)) ? 0 : 1);
  }
  to.reset();
  const unique_fd process{static_cast<int>(::syscall(SYS_pidfd_open, loader, 0))};
  const auto answer = line_from(from.get(), process.get(), fd);
  int status = 0;
  const auto is_whole = !answer.empty() && answer.back() == '\n';
  // Without a complete answer, the loader has ended by itself, or nobody waits for it any more.
  if (is_whole)
    ::kill(loader, SIGKILL);
  else if (pollfd gone{process.get(), POLLIN, 0}; ::poll(&gone, 1, 0) != 1)
    ::kill(loader, SIGKILL);
  while (::waitpid(loader, &status, 0) < 0 && errno == EINTR) {}
  end_descendants();
  if (is_whole)
    return write_all(fd, answer) ? 0 : 1;
  return end_as(status);
}

} // namespace tune

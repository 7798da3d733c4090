// SPDX-License-Identifier: BSD-3-Clause
#include "spawn.hpp"

#include "tune/io/process/notice_signal.hpp"
#include "tune/io/process/shortage.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace tune {

namespace {

enum class step : int { none, session, cgroup, limit, directory, descriptors, execute };

/// Everything the child needs, prepared before it exists: until it executes the program it must not
/// allocate, because it borrows its parent's memory.
struct plan {
  pid_t parent = 0;
  const char* directory = nullptr;
  const std::vector<int>* fds = nullptr;
  const std::vector<std::pair<std::uint32_t, std::uint64_t>>* limits = nullptr;
  int cgroup_members = -1;
  /// See `notice_signal`.
  int ignored = 0;
  std::vector<std::string> candidates;
  std::vector<char*> argv;
  /// "/bin/sh", the script, the other arguments.
  std::vector<char*> shell_argv;
  std::vector<char*> env;
  /// Written by the child: the step that failed, and errno.
  volatile step failed = step::none;
  volatile int reason = 0;
};

[[noreturn]] void give_up(plan& p, step where) {
  p.reason = errno;
  p.failed = where;
  ::_exit(127);
}

/// Makes the kernel kill a trial rather than its node when memory runs out.
void offer_to_oom_killer() {
  auto fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  // A value below the inherited one is not allowed; the score then stays as it is.
  [[maybe_unused]] auto count = ::write(fd, "500", 3);
  ::close(fd);
}

void execute(plan& p) {
  auto denied = false;
  for (const auto& candidate : p.candidates) {
    ::execve(candidate.c_str(), p.argv.data(), p.env.data());
    if (errno == ENOEXEC) {
      p.shell_argv[1] = const_cast<char*>(candidate.c_str());
      ::execve("/bin/sh", p.shell_argv.data(), p.env.data());
    }
    denied = denied || errno == EACCES;
    if (errno != ENOENT && errno != EACCES && errno != ENOTDIR)
      return;
  }
  errno = denied ? EACCES : ENOENT;
}

int child_main(void* arg) {
  auto& p = *static_cast<plan*>(arg);
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != p.parent)
    ::_exit(127);
  if (p.cgroup_members >= 0 && ::write(p.cgroup_members, "0\n", 2) != 2)
    give_up(p, step::cgroup);
  offer_to_oom_killer();
  for (const auto& [resource, value] : *p.limits) {
    auto which = static_cast<__rlimit_resource>(resource);
    rlimit limit{};
    ::getrlimit(which, &limit);
    // The hard limit stays, so that a program may raise its number of files as usual; it may have
    // been lowered since.
    if (which == RLIMIT_NOFILE)
      limit.rlim_cur = std::min<rlim_t>(value, limit.rlim_max);
    else
      limit.rlim_cur = limit.rlim_max = value;
    if (::setrlimit(which, &limit) != 0)
      give_up(p, step::limit);
  }
  if (p.directory[0] != '\0' && ::chdir(p.directory) != 0)
    give_up(p, step::directory);
  auto count = static_cast<int>(p.fds->size());
  for (int i = 0; i < count; ++i) {
    if (::dup2((*p.fds)[static_cast<std::size_t>(i)], i) < 0)
      give_up(p, step::descriptors);
  }
  if (::close_range(static_cast<unsigned>(count), ~0U, 0) != 0)
    give_up(p, step::descriptors);
  if (p.ignored > 0)
    ::signal(p.ignored, SIG_IGN);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  execute(p);
  give_up(p, step::execute);
}

/// Starts a process that shares this one's memory, on its own stack, and suspends this one until it
/// has executed its program or given up: no page is copied, and it can report what failed.
pid_t start_child(plan& p) {
  static std::vector<char> stack(64 * 1024);
  auto top = reinterpret_cast<std::uintptr_t>(stack.data() + stack.size()) & ~std::uintptr_t{63};
  return ::clone(child_main, reinterpret_cast<void*>(top), CLONE_VM | CLONE_VFORK | SIGCHLD, &p);
}

std::string_view path_of(const std::vector<std::string>& env) {
  for (std::string_view entry : env) {
    if (entry.starts_with("PATH="))
      return entry.substr(5);
  }
  return "/usr/local/bin:/usr/bin:/bin";
}

std::vector<std::string> candidates_of(const spawn_order& what) {
  const auto& name = what.argv.front();
  if (name.find('/') != name.npos)
    return {name};
  std::vector<std::string> result;
  auto rest = path_of(what.env);
  for (;;) {
    auto end = rest.find(':');
    auto directory = rest.substr(0, end);
    result.push_back(directory.empty() ? name : std::string{directory} + "/" + name);
    if (end == rest.npos)
      return result;
    rest.remove_prefix(end + 1);
  }
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const auto& text : texts)
    result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// Bytes that the kernel copies for the program.
std::size_t bytes_of(const spawn_order& what) {
  std::size_t result = 0;
  for (const auto* texts : {&what.argv, &what.env}) {
    for (const auto& text : *texts)
      result += text.size() + 1;
  }
  return result;
}

std::string why_not_executed(const plan& p, const spawn_order& what) {
  const auto& name = what.argv.front();
  auto result = "cannot execute '" + name + "': " + text_of_shortage(p.reason);
  if (p.reason == E2BIG)
    return result + " (its words and environment have " + std::to_string(bytes_of(what))
           + " bytes)";
  if (p.reason != ENOENT)
    return result;
  if (name.find('/') == name.npos)
    return result + " in PATH " + std::string{path_of(what.env)};
  auto file = name.front() == '/' ? name : what.directory + "/" + name;
  if (::access(file.c_str(), F_OK) == 0)
    return result + " (the file is there, but the interpreter it names is not)";
  return name.front() == '/' ? result : result + " in directory " + what.directory;
}

std::string why(const plan& p, const spawn_order& what) {
  auto reason = ": " + text_of_shortage(p.reason);
  switch (p.failed) {
    case step::execute:
      return why_not_executed(p, what);
    case step::directory:
      return "cannot enter directory '" + what.directory + "'" + reason;
    case step::cgroup:
      return "cannot join the control group" + reason;
    case step::limit:
      return "cannot set a resource limit" + reason;
    default:
      return "cannot set up the process" + reason;
  }
}

/// Whether the process has a memory limit.
bool has_memory_limit(const spawn_order& what) {
  auto is_of_memory = [](const auto& x) { return x.first != RLIMIT_NOFILE; };
  return what.cgroup_members >= 0
         || std::any_of(what.limits.begin(), what.limits.end(), is_of_memory);
}

/// The kind of fault. Any step before the command is the node's responsibility.
ec fault(const plan& p, const spawn_order& what) {
  if (p.failed == step::directory)
    return fault_of(p.reason);
  if (p.failed != step::execute)
    return fault_of(p.reason, ec::storage);
  return p.reason == ENOMEM && has_memory_limit(what) ? ec::process : fault_of(p.reason);
}

} // namespace

expected<pid_t> spawn(const spawn_order& what) {
  if (what.argv.empty() || what.argv.front().empty())
    return error{ec::process, "cannot execute a command without words"};
  plan p;
  p.parent = ::getpid();
  p.directory = what.directory.c_str();
  p.fds = &what.fds;
  p.limits = &what.limits;
  p.cgroup_members = what.cgroup_members;
  p.ignored = notice_signal();
  p.candidates = candidates_of(what);
  p.argv = pointers_to(what.argv);
  p.shell_argv = p.argv;
  p.shell_argv.insert(p.shell_argv.begin(), const_cast<char*>("/bin/sh"));
  p.env = pointers_to(what.env);
  auto pid = start_child(p);
  if (pid < 0) {
    const auto reason = errno;
    return error{fault_of(reason, ec::storage),
                 "cannot make a process: " + text_of_shortage(reason)};
  }
  if (p.failed == step::none)
    return pid;
  siginfo_t ignored{};
  ::waitid(P_PID, static_cast<id_t>(pid), &ignored, WEXITED);
  return error{fault(p, what), why(p, what)};
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/shortage.hpp"

#include "proc_files.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

std::string content(const fs::path& file) {
  return proc_files::read_small(file.c_str());
}

/// The number at the beginning of a text; empty for "max".
std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t result = 0;
  auto [end, why] = std::from_chars(text.data(), text.data() + text.size(), result);
  return why == std::errc{} ? std::optional{result} : std::nullopt;
}

std::string of(std::uint64_t used, std::uint64_t limit) {
  return std::to_string(used) + " of " + std::to_string(limit);
}

// -- Processes. Each function adds limits, reached ones and others.

struct process_limits {
  std::vector<std::string> reached;
  std::vector<std::string> others;

  void add(const std::string& name, std::optional<std::uint64_t> used, std::uint64_t limit) {
    if (used && *used >= limit)
      reached.push_back(name + " is reached (" + of(*used, limit) + ")");
    else
      others.push_back(name + " (" + (used ? of(*used, limit) : std::to_string(limit)) + ")");
  }
};

/// Adds the limits of the group and its ancestors, as far as the mount shows them.
void add_groups(const fs::path& mount, const std::string& group, process_limits& to) {
  fs::path at = mount;
  const auto look = [&] {
    if (auto limit = number_in(content(at / "pids.max")))
      to.add("pids.max of " + at.string(), number_in(content(at / "pids.current")), *limit);
  };
  look();
  for (const auto& part : fs::path{group}.relative_path()) {
    // A group that is not visible inside this container.
    if (part == "..")
      return;
    at /= part;
    look();
  }
}

void add_groups(const fs::path& root, process_limits& to) {
  const auto mounts = root / "sys/fs/cgroup";
  std::istringstream lines{content(root / "proc/self/cgroup")};
  // Each line is "number:controllers:path"; version 2 names no controllers.
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == line.npos)
      continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const auto group = line.substr(second + 1);
    if (controllers == "pids") {
      add_groups(mounts / "pids", group, to);
    } else if (controllers.empty()) {
      add_groups(mounts, group, to);
      add_groups(mounts / "unified", group, to);
    }
  }
}

/// Adds the user's limit, unless the user may exceed it.
void add_user(process_limits& to) {
  rlimit limit{};
  if (::getuid() != 0 && ::getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    to.add("RLIMIT_NPROC of user " + std::to_string(::getuid()) + " (ulimit -u)", std::nullopt,
           limit.rlim_cur);
}

void add_system(const fs::path& root, process_limits& to) {
  // "0.50 0.40 0.30 2/345 6789": the fourth field has the running and the total number of threads.
  const auto load = content(root / "proc/loadavg");
  const auto slash = load.find('/');
  const auto all
      = slash == load.npos ? std::nullopt : number_in(std::string_view{load}.substr(slash + 1));
  for (const auto* name : {"pid_max", "threads-max"}) {
    if (auto limit = number_in(content(root / "proc/sys/kernel" / name)))
      to.add(std::string{"kernel."} + name, all, *limit);
  }
}

std::string listed(const std::vector<std::string>& all) {
  std::string result;
  for (const auto& x : all)
    result += (result.empty() ? "" : ", ") + x;
  return result;
}

std::string text_of_processes(const fs::path& root) {
  process_limits all;
  add_groups(root, all);
  add_user(all);
  add_system(root, all);
  const auto what_to_do = "; end other processes or raise it";
  if (!all.reached.empty())
    return listed(all.reached) + what_to_do;
  return "a limit of processes and threads was reached: one of " + listed(all.others) + what_to_do;
}

// -- Descriptors and memory.

std::string text_of_descriptors() {
  rlimit limit{};
  const auto known = ::getrlimit(RLIMIT_NOFILE, &limit) == 0;
  return "RLIMIT_NOFILE" + (known ? " = " + std::to_string(limit.rlim_cur) : std::string{})
         + " of this process is reached; raise it (ulimit -n, LimitNOFILE= of its service), or run "
           "fewer trials at once";
}

} // namespace

bool is_shortage(int reason) {
  switch (reason) {
    case EAGAIN:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ETOOMANYREFS:
      return true;
    default:
      return false;
  }
}

ec fault_of(int reason, ec mine) {
  if (is_shortage(reason))
    return ec::shortage;
  const auto disk = reason == EIO || reason == ENOSPC || reason == EDQUOT || reason == EROFS;
  return disk ? ec::storage : mine;
}

std::string text_of_shortage(int reason, const fs::path& root) {
  const auto own = std::string{std::strerror(reason)};
  switch (reason) {
    case EAGAIN:
      return own + ": " + text_of_processes(root);
    case EMFILE:
    case ETOOMANYREFS:
      return own + ": " + text_of_descriptors();
    case ENFILE:
      return own
             + ": the limit of all processes (fs.file-max), or of this user's pipes "
               "(fs.pipe-user-pages-soft), is reached; close files or raise it";
    case ENOMEM:
    case ENOBUFS:
      return own
             + ": the kernel has no memory for it (free memory, memory.max of the control "
               "group); end other processes or raise the limit";
    default:
      return own;
  }
}

} // namespace tune

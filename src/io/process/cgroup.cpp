// SPDX-License-Identifier: BSD-3-Clause
#include "cgroup.hpp"

#include "cgroup_v2.hpp"
#include "proc_files.hpp"
#include "tune/io/process/memory_limit.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

namespace tune {

namespace {

constexpr const char* version_1_root = "/sys/fs/cgroup/memory";
constexpr const char* version_2_root = "/sys/fs/cgroup";

/// The path of this process's group in one hierarchy: lines read "4:memory:/path" or "0::/path".
std::optional<std::string> own_group(std::string_view controller) {
  std::istringstream lines{proc_files::read_small("/proc/self/cgroup")};
  auto wanted = ":" + std::string{controller} + ":";
  for (std::string line; std::getline(lines, line);) {
    if (auto at = line.find(wanted); at != line.npos)
      return line.substr(at + wanted.size());
  }
  return std::nullopt;
}

/// A group's path as seen here; in a container the mount may show the group as its root.
std::string directory_of(const char* root, const std::string& group) {
  auto path = root + group;
  return ::access(path.c_str(), F_OK) == 0 ? path : root;
}

/// The group below which a group with a limit can be made.
std::optional<std::string> parent_of_limits(bool version_2, const std::string& own) {
  return version_2 ? cgroup_v2::parent_for_limits(version_2_root, own)
                   : directory_of(version_1_root, own);
}

/// The groups below which a guard may have made groups.
std::vector<std::string> parents_of_guards(bool version_2, const std::string& own) {
  return version_2 ? cgroup_v2::groups_above(version_2_root, own)
                   : std::vector{directory_of(version_1_root, own)};
}

std::optional<std::string> make_directory(const std::string& parent, std::string_view name) {
  auto path = parent + "/" + std::string{name};
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST)
    return std::nullopt;
  return path;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number result{};
  auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (fault != std::errc{} || rest != text.data() + text.size())
    return std::nullopt;
  return result;
}

/// The PID namespace of this process; zero if unknown.
std::uint64_t own_namespace() {
  struct stat facts {};
  return ::stat("/proc/self/ns/pid", &facts) == 0 ? facts.st_ino : 0;
}

/// The guard that owns a group, by the group's name: "tune-<guard>-<number>", or with the guard's
/// PID namespace before the guard. Empty if the group does not belong to a guard of this namespace.
std::optional<pid_t> guard_of(const std::string& name) {
  std::vector<std::string> parts;
  std::istringstream words{name};
  for (std::string part; std::getline(words, part, '-');)
    parts.push_back(part);
  const auto count = parts.size();
  if (count < 3 || count > 4 || parts[0] != "tune" || !number_in<std::uint64_t>(parts[count - 1])
      || (count == 4 && number_in<std::uint64_t>(parts[1]) != own_namespace()))
    return std::nullopt;
  return number_in<pid_t>(parts[count - 2]);
}

/// Whether a guard with this PID is alive.
bool is_guard(pid_t pid) {
  auto facts = proc_files::stat_of(pid);
  auto name = proc_files::read_small(("/proc/" + std::to_string(pid) + "/comm").c_str());
  return facts && facts->state != 'Z' && name == "tune-guard\n";
}

/// A group after all groups below it: a program may make some, as container tools do.
std::vector<std::string> group_with_inner(const std::string& path) {
  constexpr std::size_t most = 4096;
  std::vector<std::string> result{path};
  // Each group is looked into once, the inner ones behind it.
  for (std::size_t i = 0; i < result.size() && result.size() < most; ++i) {
    std::error_code why;
    for (std::filesystem::directory_iterator x{result[i], why}; !why && x != end(x);
         x.increment(why)) {
      if (x->is_directory(why))
        result.push_back(x->path().string());
    }
  }
  std::reverse(result.begin(), result.end());
  return result;
}

/// Succeeds only for groups without members.
void remove_group(const std::string& path) {
  for (const auto& group : group_with_inner(path))
    ::rmdir(group.c_str());
}

/// Sends KILL to the members of one group. @returns whether there were any.
bool kill_in(const std::string& group) {
  std::istringstream members{proc_files::read_small((group + "/cgroup.procs").c_str())};
  auto any = false;
  for (pid_t pid = 0; members >> pid;) {
    if (pid <= 0) // A process of another PID namespace has no number here.
      continue;
    any = true;
    ::kill(pid, SIGKILL);
  }
  return any;
}

void remove_left_groups_in(const std::string& parent) {
  std::error_code why;
  for (std::filesystem::directory_iterator i{parent, why}; !why && i != end(i); i.increment(why)) {
    if (auto guard = guard_of(i->path().filename().string()); guard && !is_guard(*guard))
      remove_group(i->path().string());
  }
}

/// The count after `key` in a file of "key count" lines; empty if there is none.
std::optional<std::uint64_t> count_in(const std::string& path, std::string_view key) {
  std::istringstream words{proc_files::read_small(path.c_str())};
  std::string name;
  for (std::uint64_t count = 0; words >> name >> count;) {
    if (name == key)
      return count;
  }
  return std::nullopt;
}

} // namespace

std::optional<cgroup> cgroup::make(std::string_view name, std::uint64_t bytes) {
  for (auto version_2 : {false, true}) {
    auto group = own_group(version_2 ? "" : "memory");
    if (!group)
      continue;
    const auto parent = parent_of_limits(version_2, *group);
    const auto path = parent ? make_directory(*parent, name) : std::nullopt;
    if (!path)
      continue;
    cgroup result;
    result.path_ = *path;
    result.version_2_ = version_2;
    result.members_.reset(::open((*path + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    auto limit = std::to_string(bytes);
    if (result.members_
        && cgroup_v2::put(*path + (version_2 ? "/memory.max" : "/memory.limit_in_bytes"), limit)) {
      // Swap would only delay the end; not every kernel counts it.
      if (version_2)
        cgroup_v2::put(*path + "/memory.swap.max", "0");
      else
        cgroup_v2::put(*path + "/memory.memsw.limit_in_bytes", limit);
      return result;
    }
  }
  return std::nullopt;
}

void remove_left_groups() {
  for (auto version_2 : {false, true}) {
    const auto own = own_group(version_2 ? "" : "memory");
    for (const auto& parent : own ? parents_of_guards(version_2, *own) : std::vector<std::string>{})
      remove_left_groups_in(parent);
  }
}

cgroup::cgroup(cgroup&& other) noexcept
    : path_{std::exchange(other.path_, {})}
    , version_2_{other.version_2_}
    , members_{std::move(other.members_)} {}

cgroup& cgroup::operator=(cgroup&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(version_2_, other.version_2_);
  std::swap(members_, other.members_);
  return *this;
}

cgroup::~cgroup() {
  if (path_.empty())
    return;
  remove_group(path_);
  if (version_2_)
    cgroup_v2::leave(std::filesystem::path{path_}.parent_path());
}

std::uint64_t cgroup::oom_kills() const {
  const auto* file = version_2_ ? "/memory.events" : "/memory.oom_control";
  return count_in(path_ + file, "oom_kill").value_or(0);
}

std::uint64_t oom_kills_beside_groups() {
  // Both files leave out the groups below.
  for (auto version_2 : {false, true}) {
    const auto group = own_group(version_2 ? "" : "memory");
    if (!group)
      continue;
    const auto place = directory_of(version_2 ? version_2_root : version_1_root, *group);
    const auto* file = version_2 ? "/memory.events.local" : "/memory.oom_control";
    if (auto count = count_in(place + file, "oom_kill"))
      return *count;
  }
  return proc_files::system_oom_kills();
}

bool cgroup::kill_members() const {
  auto any = false;
  for (const auto& group : group_with_inner(path_))
    any = kill_in(group) || any;
  if (any && version_2_)
    cgroup_v2::put(path_ + "/cgroup.kill", "1");
  return any;
}

std::string cgroup::own_name(std::string_view what) {
  // Another container has the same PIDs and may use the same parent group.
  auto space = proc_files::namespace_of(::getpid(), "pid").value_or(0);
  return "tune-" + std::to_string(space) + "-" + std::to_string(::getpid()) + "-"
         + std::string{what};
}

bool can_limit_memory() {
  constexpr std::uint64_t plenty = 1ULL << 30U;
  return cgroup::make(cgroup::own_name("try"), plenty).has_value();
}

} // namespace tune

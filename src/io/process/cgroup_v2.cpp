// SPDX-License-Identifier: BSD-3-Clause
#include "cgroup_v2.hpp"

#include "posix/unique_fd.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>

namespace tune::cgroup_v2 {

namespace {

namespace fs = std::filesystem;

/// Whether a file of words, such as `cgroup.controllers`, has the word "memory".
bool has_memory(const std::string& path) {
  std::ifstream in{path};
  for (std::string word; in >> word;) {
    if (word == "memory")
      return true;
  }
  return false;
}

/// Whether this process may make a child there, and bring processes from a group at or below it.
bool may_write(const std::string& group) {
  return ::access(group.c_str(), W_OK | X_OK) == 0
         && ::access((group + "/cgroup.procs").c_str(), W_OK) == 0;
}

bool has_child_for_trials(const std::string& group) {
  std::error_code why;
  for (fs::directory_iterator i{group, why}; !why && i != fs::end(i); i.increment(why)) {
    std::error_code ignored;
    if (i->path().filename().string().starts_with("tune-") && i->is_directory(ignored))
      return true;
  }
  return false;
}

/// Groups for whose children this process turned the memory controller on.
struct switched {
  std::mutex mutex;
  std::set<std::string> groups;
};

switched& switched_on() {
  static switched result;
  return result;
}

bool turn_on(const std::string& group) {
  auto& mine = switched_on();
  std::lock_guard guard{mine.mutex};
  if (has_memory(group + "/cgroup.subtree_control"))
    return true;
  if (!has_memory(group + "/cgroup.controllers")
      || !put(group + "/cgroup.subtree_control", "+memory"))
    return false;
  mine.groups.insert(group);
  return true;
}

} // namespace

bool put(const std::string& path, std::string_view text) {
  unique_fd file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::vector<std::string> groups_above(const std::string& mount, const std::string& own) {
  std::vector<std::string> result{mount};
  fs::path below;
  for (const auto& part : fs::path{own}.relative_path()) {
    below /= part;
    const auto group = mount + "/" + below.string();
    if (part == ".." || ::access(group.c_str(), F_OK) != 0)
      break;
    result.insert(result.begin(), group);
  }
  return result;
}

std::optional<std::string> parent_for_limits(const std::string& mount, const std::string& own) {
  for (auto& group : groups_above(mount, own)) {
    if (may_write(group) && turn_on(group))
      return std::move(group);
  }
  return std::nullopt;
}

void leave(const std::string& group) {
  auto& mine = switched_on();
  std::lock_guard guard{mine.mutex};
  if (mine.groups.contains(group) && !has_child_for_trials(group)) {
    put(group + "/cgroup.subtree_control", "-memory");
    mine.groups.erase(group);
  }
}

} // namespace tune::cgroup_v2

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/process_mark.hpp"

#include "proc_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>

namespace tune {

namespace {

/// Of those processes that see each other under the same numbers; empty where that is unknown.
std::string common_ground() {
  auto boot = proc_files::read_small("/proc/sys/kernel/random/boot_id");
  struct stat space {};
  if (boot.empty() || ::stat("/proc/self/ns/pid", &space) != 0)
    return {};
  while (!boot.empty() && boot.back() == '\n')
    boot.pop_back();
  return boot + ":" + std::to_string(space.st_ino) + ":";
}

} // namespace

std::string mark_of_this_process() {
  auto ground = common_ground();
  auto facts = proc_files::stat_of(::getpid());
  if (ground.empty() || !facts)
    return {};
  return ground + std::to_string(::getpid()) + ":" + std::to_string(facts->start);
}

bool is_known_gone(const std::string& mark) {
  auto ground = common_ground();
  if (ground.empty() || !mark.starts_with(ground))
    return false;
  pid_t pid = 0;
  std::uint64_t start = 0;
  const auto* end = mark.data() + mark.size();
  auto number = std::from_chars(mark.data() + ground.size(), end, pid);
  if (number.ec != std::errc{} || number.ptr == end || *number.ptr != ':')
    return false;
  auto since = std::from_chars(number.ptr + 1, end, start);
  if (since.ec != std::errc{} || since.ptr != end)
    return false;
  auto facts = proc_files::stat_of(pid);
  return !facts || facts->start != start || facts->state == 'Z' || facts->state == 'X';
}

} // namespace tune

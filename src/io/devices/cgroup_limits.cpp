// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/devices/cgroup_limits.hpp"

#include "tune/core/plugin/options.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tune {

namespace {

namespace fs = std::filesystem;

/// The words of a one-line file; empty if it cannot be read.
std::vector<std::string> words_of(const fs::path& file) {
  std::ifstream in{file};
  std::vector<std::string> result;
  for (std::string word; in >> word;)
    result.push_back(word);
  return result;
}

/// A positive number; empty for "max", "-1" or a missing file.
std::optional<double> positive(const std::vector<std::string>& words, std::size_t index) {
  if (index >= words.size())
    return std::nullopt;
  auto x = parse_number(words[index]);
  return x && *x > 0 ? std::optional{*x} : std::nullopt;
}

template <class T>
void lower(std::optional<T>& limit, T to) {
  limit = limit ? std::min(*limit, to) : to;
}

void lower_cpus(cgroup_limits& limits, std::optional<double> quota, std::optional<double> period) {
  if (quota && period)
    lower(limits.cpus, *quota / *period);
}

void lower_memory(cgroup_limits& limits, std::optional<double> bytes) {
  // Version 1 writes a number near 2^63 for "unlimited".
  constexpr double unlimited = 1152921504606846976.0;
  if (bytes && *bytes < unlimited)
    lower(limits.memory, static_cast<std::uint64_t>(*bytes));
}

void read_version_2(const fs::path& group, cgroup_limits& limits) {
  auto cpu = words_of(group / "cpu.max");
  lower_cpus(limits, positive(cpu, 0), positive(cpu, 1));
  lower_memory(limits, positive(words_of(group / "memory.max"), 0));
}

void read_version_1(const fs::path& group, cgroup_limits& limits) {
  lower_cpus(limits, positive(words_of(group / "cpu.cfs_quota_us"), 0),
             positive(words_of(group / "cpu.cfs_period_us"), 0));
  lower_memory(limits, positive(words_of(group / "memory.limit_in_bytes"), 0));
}

/// Reads the group itself and the groups above it, as far as the mount shows them. Inside a
/// container, the path may be that of the host: groups that do not exist limit nothing.
template <class Read>
void walk_up(const fs::path& mount, const std::string& path, Read read, cgroup_limits& limits) {
  std::error_code ignored;
  if (!fs::is_directory(mount, ignored))
    return;
  fs::path below;
  std::vector<fs::path> groups{mount};
  for (const auto& part : fs::path{path}.relative_path()) {
    if (part == "..")
      break;
    below /= part;
    groups.push_back(mount / below);
  }
  for (const auto& group : groups)
    read(group, limits);
}

} // namespace

cgroup_limits read_cgroup_limits(const fs::path& root) {
  cgroup_limits result;
  auto mounts = root / "sys/fs/cgroup";
  std::ifstream lines{root / "proc/self/cgroup"};
  // Each line is "number:controllers:path"; version 2 has number 0 and no controllers.
  for (std::string line; std::getline(lines, line);) {
    auto first = line.find(':');
    auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    auto controllers = line.substr(first + 1, second - first - 1);
    auto path = line.substr(second + 1);
    if (controllers.empty()) {
      walk_up(mounts, path, read_version_2, result);
      walk_up(mounts / "unified", path, read_version_2, result);
      continue;
    }
    walk_up(mounts / controllers, path, read_version_1, result);
    std::istringstream names{controllers};
    for (std::string name; std::getline(names, name, ',');)
      walk_up(mounts / name, path, read_version_1, result);
  }
  return result;
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "lock_holders.hpp"

#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

namespace tune::store {

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string now_text() {
  const auto now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 32> text{};
  ::gmtime_r(&now, &parts);
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

/// The PID in "pid 17 on lab".
std::optional<long> pid_in(std::string_view text) {
  std::istringstream from{std::string{text}};
  std::string word;
  long pid = 0;
  if (from >> word >> pid && word == "pid")
    return pid;
  return std::nullopt;
}

} // namespace

std::vector<held_lock> locks_on(const struct ::stat& about) {
  std::array<char, 64> mark{};
  std::snprintf(mark.data(), mark.size(), "%02x:%02x:%llu", major(about.st_dev),
                minor(about.st_dev), static_cast<unsigned long long>(about.st_ino));
  std::vector<held_lock> result;
  std::ifstream all{"/proc/locks"};
  for (std::string line; std::getline(all, line);) {
    // "3: FLOCK  ADVISORY  WRITE 17 fe:00:42 0 EOF"; waiting ones have "->" before the kind.
    std::istringstream words{line};
    std::string number, manner, access, file;
    held_lock one;
    if (words >> number >> one.kind >> manner >> access >> one.pid >> file && file == mark.data()) {
      one.writes = access == "WRITE";
      result.push_back(std::move(one));
    }
  }
  return result;
}

std::string others_with_locks_on(const std::vector<std::filesystem::path>& files) {
  constexpr std::size_t most = 3;
  std::set<std::string> found;
  for (const auto& file : files) {
    struct ::stat about {};
    if (::stat(file.c_str(), &about) != 0)
      continue;
    for (const auto& x : locks_on(about)) {
      // SQLite does not use flock.
      if (x.pid <= 0 || x.pid == ::getpid() || x.kind == "FLOCK")
        continue;
      std::string name;
      std::getline(std::ifstream{"/proc/" + std::to_string(x.pid) + "/comm"}, name);
      found.insert("process " + std::to_string(x.pid) + (name.empty() ? "" : " (" + name + ")")
                   + " holds a lock on " + file.string());
    }
  }
  std::string result;
  for (const auto& each : found) {
    if (static_cast<std::size_t>(std::count(result.begin(), result.end(), ';')) + 1 < most
        || result.empty())
      result += (result.empty() ? "" : "; ") + each;
  }
  return result;
}

std::string head_text() {
  return "pid " + std::to_string(::getpid()) + " on " + host_name() + ", since " + now_text();
}

bool is_named(long pid, std::string_view text) {
  const auto named = pid_in(text);
  if (!named)
    return false;
  if (*named == pid)
    return true;
  std::ifstream status{"/proc/" + std::to_string(pid) + "/status"};
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("NSpid:"))
      continue;
    std::istringstream numbers{line.substr(6)};
    for (long one = 0; numbers >> one;) {
      if (one == *named)
        return true;
    }
  }
  return false;
}

bool is_of_this_host(std::string_view text) {
  const auto host = " on " + host_name();
  const auto at = text.find(host);
  if (at == text.npos)
    return false;
  const auto rest = text.substr(at + host.size());
  return rest.empty() || rest.front() == ',';
}

} // namespace tune::store

// SPDX-License-Identifier: BSD-3-Clause
#include "proc_files.hpp"

#include "posix/unique_fd.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

namespace tune::proc_files {

namespace {

/// PF_KTHREAD of the kernel's linux/sched.h, which it does not publish.
constexpr std::uint64_t kernel_thread = 0x0020'0000;

template <class T>
std::optional<T> number_in(std::string_view text) {
  T result{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  return error == std::errc{} ? std::optional{result} : std::nullopt;
}

/// Splits at single blanks.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    auto end = text.find_first_of(" \n");
    if (end != 0)
      result.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return result;
}

std::vector<pid_t> pids_in(std::string_view text) {
  std::vector<pid_t> result;
  for (auto word : words_of(text)) {
    if (auto pid = number_in<pid_t>(word))
      result.push_back(*pid);
  }
  return result;
}

/// The entries of a directory that are numbers.
std::vector<pid_t> pids_listed_in(const char* path) {
  std::vector<pid_t> result;
  std::unique_ptr<DIR, int (*)(DIR*)> directory{::opendir(path), ::closedir};
  while (directory) {
    const auto* entry = ::readdir(directory.get());
    if (entry == nullptr)
      break;
    if (auto pid = number_in<pid_t>(entry->d_name))
      result.push_back(*pid);
  }
  return result;
}

/// Slow fallback for kernels without `children` files.
std::vector<pid_t> children_by_scan(pid_t parent) {
  std::vector<pid_t> result;
  for (auto pid : all_processes()) {
    if (auto facts = stat_of(pid); facts && facts->parent == parent)
      result.push_back(pid);
  }
  return result;
}

/// The remaining content of a file; empty without a descriptor.
std::string rest_of(const unique_fd& file) {
  std::string result;
  std::array<char, 4096> chunk;
  while (file) {
    auto count = ::read(file.get(), chunk.data(), chunk.size());
    if (count <= 0)
      break;
    result.append(chunk.data(), static_cast<std::size_t>(count));
  }
  return result;
}

std::string children_file(pid_t pid, pid_t thread) {
  return "/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread) + "/children";
}

bool has_children_files() {
  static const auto result = ::access(children_file(::getpid(), ::getpid()).c_str(), R_OK) == 0;
  return result;
}

} // namespace

std::string read_small(const char* path) {
  return rest_of(unique_fd{::open(path, O_RDONLY | O_CLOEXEC)});
}

std::optional<stat_facts> stat_of(pid_t pid) {
  auto text = read_small(("/proc/" + std::to_string(pid) + "/stat").c_str());
  // The name in parentheses may hold anything; the last one closes it.
  auto name_end = text.rfind(") ");
  if (name_end == text.npos)
    return std::nullopt;
  auto words = words_of(std::string_view{text}.substr(name_end + 2));
  if (words.size() < 20)
    return std::nullopt;
  stat_facts result;
  result.state = words[0].front();
  result.parent = number_in<pid_t>(words[1]).value_or(0);
  result.group = number_in<pid_t>(words[2]).value_or(0);
  result.session = number_in<pid_t>(words[3]).value_or(0);
  result.is_kernel_thread = (number_in<std::uint64_t>(words[6]).value_or(0) & kernel_thread) != 0;
  static const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  result.children_cpu = static_cast<double>(number_in<std::uint64_t>(words[13]).value_or(0)
                                            + number_in<std::uint64_t>(words[14]).value_or(0))
                        / ticks;
  result.start = number_in<std::uint64_t>(words[19]).value_or(0);
  return result;
}

std::uint64_t now_in_ticks() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  auto per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return static_cast<std::uint64_t>(now.tv_sec) * per_second
         + static_cast<std::uint64_t>(now.tv_nsec) / (1'000'000'000 / per_second);
}

std::optional<std::string> environment_of(pid_t pid, std::string_view name) {
  return value_in(read_small(("/proc/" + std::to_string(pid) + "/environ").c_str()), name);
}

std::optional<std::string> whole_environment_of(pid_t pid) {
  const auto path = "/proc/" + std::to_string(pid) + "/environ";
  unique_fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file)
    return std::nullopt;
  auto result = rest_of(file);
  if (!result.empty())
    return result;
  auto facts = stat_of(pid);
  if (!facts || facts->is_kernel_thread || facts->state == 'Z')
    return std::nullopt;
  return result;
}

std::optional<std::string> value_in(std::string_view environment, std::string_view name) {
  while (!environment.empty()) {
    auto entry = environment.substr(0, environment.find('\0'));
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return std::string{entry.substr(name.size() + 1)};
    environment.remove_prefix(std::min(entry.size() + 1, environment.size()));
  }
  return std::nullopt;
}

std::vector<pid_t> own_children() {
  auto pid = ::getpid();
  return has_children_files() ? pids_in(read_small(children_file(pid, pid).c_str()))
                              : children_by_scan(pid);
}

std::vector<pid_t> children_of(pid_t pid) {
  if (!has_children_files())
    return children_by_scan(pid);
  std::vector<pid_t> result;
  for (auto thread : pids_listed_in(("/proc/" + std::to_string(pid) + "/task").c_str())) {
    auto some = pids_in(read_small(children_file(pid, thread).c_str()));
    result.insert(result.end(), some.begin(), some.end());
  }
  return result;
}

std::vector<pid_t> all_processes() {
  return pids_listed_in("/proc");
}

std::vector<pid_t> numbers_of(pid_t pid) {
  constexpr std::string_view name = "\nNSpid:";
  auto text = read_small(("/proc/" + std::to_string(pid) + "/status").c_str());
  auto at = text.find(name);
  if (at == text.npos)
    return {};
  auto rest = std::string_view{text}.substr(at + name.size());
  auto line = std::string{rest.substr(0, rest.find('\n'))};
  std::replace(line.begin(), line.end(), '\t', ' ');
  return pids_in(line);
}

bool shows_own_space() {
  auto self = number_in<pid_t>(read_small("/proc/self/stat"));
  return self == ::getpid() && numbers_of(*self).size() <= 1;
}

bool shows_other_space() {
  return number_in<pid_t>(read_small("/proc/self/stat")) && !shows_own_space();
}

std::optional<std::uint64_t> namespace_of(pid_t pid, const char* kind) {
  struct stat about {};
  auto path = "/proc/" + std::to_string(pid) + "/ns/" + kind;
  if (::stat(path.c_str(), &about) != 0)
    return std::nullopt;
  return about.st_ino;
}

std::string boot_id() {
  auto result = read_small("/proc/sys/kernel/random/boot_id");
  while (!result.empty() && result.back() == '\n')
    result.pop_back();
  return result;
}

std::uint64_t system_oom_kills() {
  auto text = read_small("/proc/vmstat");
  auto at = text.find("\noom_kill ");
  if (at == text.npos)
    return 0;
  return number_in<std::uint64_t>(std::string_view{text}.substr(at + 10)).value_or(0);
}

} // namespace tune::proc_files

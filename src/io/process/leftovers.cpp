// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/leftovers.hpp"

#include "proc_files.hpp"
#include "unique_fd.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

namespace tune {

namespace {

using clock = std::chrono::steady_clock;

/// After a KILL a process is gone within this time, but where the kernel holds it.
constexpr std::chrono::seconds killing_takes{2};

/// @returns none where the process is gone.
unique_fd open_process(const leftover& which) {
  unique_fd result{static_cast<int>(::syscall(SYS_pidfd_open, which.pid, 0))};
  // Looked at after it was opened: from here on the descriptor means this very process.
  auto facts = proc_files::stat_of(which.pid);
  if (!facts || facts->start != which.start || facts->state == 'Z')
    result.reset();
  return result;
}

void signal_all(const std::vector<unique_fd>& which, int signal) {
  for (const auto& fd : which)
    ::syscall(SYS_pidfd_send_signal, fd.get(), signal, nullptr, 0);
}

/// Drops those that are gone. @returns whether none is left by then.
bool wait_for(std::vector<unique_fd>& which, clock::time_point until) {
  while (!which.empty()) {
    std::vector<pollfd> waiting;
    for (const auto& fd : which)
      waiting.push_back({fd.get(), POLLIN, 0});
    auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
    auto ready = ::poll(waiting.data(), waiting.size(),
                        static_cast<int>(std::max(left, decltype(left){0})));
    if (ready == 0)
      return false;
    if (ready < 0 && errno != EINTR)
      return false;
    for (auto i = which.size(); ready > 0 && i-- > 0;) {
      if (waiting[i].revents != 0)
        which.erase(which.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return true;
}

/// Whether the guard with this mark lives.
bool is_alive(const std::string& guard_mark) {
  auto colon = guard_mark.find(':');
  pid_t pid = 0;
  std::uint64_t start = 0;
  if (colon == guard_mark.npos)
    return false;
  std::from_chars(guard_mark.data(), guard_mark.data() + colon, pid);
  std::from_chars(guard_mark.data() + colon + 1, guard_mark.data() + guard_mark.size(), start);
  auto facts = proc_files::stat_of(pid);
  return facts && facts->start == start && facts->state != 'Z';
}

} // namespace

std::vector<leftover> find_leftovers(const std::function<bool(std::string_view tag)>& wanted) {
  std::vector<leftover> result;
  for (auto pid : proc_files::all_processes()) {
    if (pid == ::getpid())
      continue;
    auto tag = proc_files::environment_of(pid, "TUNE_TRIAL_ATTEMPT");
    if (!tag || !wanted(*tag))
      continue;
    if (auto facts = proc_files::stat_of(pid); facts && facts->state != 'Z')
      result.push_back({pid, facts->start, std::move(*tag)});
  }
  return result;
}

std::vector<leftover> find_orphans_of(const std::filesystem::path& directory) {
  auto beginning = trial_tag(directory, "");
  auto result = find_leftovers([&](std::string_view tag) {
    return tag.starts_with(beginning)
           && tag.find_first_not_of("0123456789.", beginning.size()) == tag.npos;
  });
  std::erase_if(result, [](const leftover& one) {
    auto guard = proc_files::environment_of(one.pid, "TUNE_TRIAL_GUARD");
    return guard && is_alive(*guard);
  });
  return result;
}

std::string trial_tag(const std::filesystem::path& directory, const std::string& attempt) {
  return directory.string() + "#" + attempt;
}

std::size_t end_leftovers(const std::vector<leftover>& which, std::chrono::milliseconds grace) {
  std::vector<unique_fd> open;
  for (const auto& one : which) {
    if (auto fd = open_process(one))
      open.push_back(std::move(fd));
  }
  auto now = clock::now();
  if (grace.count() > 0) {
    signal_all(open, SIGTERM);
    if (wait_for(open, now + grace))
      return 0;
  }
  signal_all(open, SIGKILL);
  wait_for(open, now + grace + killing_takes);
  return open.size();
}

std::size_t end_leftovers(const std::function<std::vector<leftover>()>& find,
                          std::chrono::milliseconds grace) {
  auto until = clock::now() + grace + killing_takes;
  auto found = find();
  while (!found.empty()) {
    end_leftovers(found, std::exchange(grace, std::chrono::milliseconds{0}));
    found = find();
    if (clock::now() > until)
      return found.size();
  }
  return 0;
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/leftovers.hpp"

#include "posix/unique_fd.hpp"
#include "proc_files.hpp"
#include "tune/io/process/process_mark.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <thread>
#include <utility>

namespace tune {

namespace {

using clock = std::chrono::steady_clock;

/// A process is gone within this time after a KILL, unless the kernel holds it.
constexpr std::chrono::seconds killing_takes{2};

/// Time limit for chasing processes that start another one and end, over and over.
constexpr std::chrono::seconds catching_takes{10};

/// A process that starts another one while all are being listed may be missed together with it:
/// after some were found, the search is over only once this many rounds in a row found none.
constexpr int looks_in_vain = 3;

/// A process in the middle of `execve` shows no environment: it is checked again this many times,
/// at this interval.
constexpr int executing_looks = 20;
constexpr std::chrono::milliseconds executing_takes{2};

/// @returns -1 if the process is gone.
unique_fd open_process(const leftover& which) {
  unique_fd result{static_cast<int>(::syscall(SYS_pidfd_open, which.pid, 0))};
  // Checked after opening: from here on the descriptor refers to exactly this process.
  auto facts = proc_files::stat_of(which.pid);
  if (!facts || facts->start != which.start || facts->state == 'Z')
    result.reset();
  return result;
}

void signal_all(const std::vector<unique_fd>& which, int signal) {
  for (const auto& fd : which)
    ::syscall(SYS_pidfd_send_signal, fd.get(), signal, nullptr, 0);
}

/// Whether `now` has a process that is not in `before`.
bool has_new(const std::vector<leftover>& now, const std::vector<leftover>& before) {
  return std::any_of(now.begin(), now.end(), [&](const leftover& x) {
    return std::none_of(before.begin(), before.end(),
                        [&](const leftover& y) { return x.pid == y.pid && x.start == y.start; });
  });
}

/// Removes the processes that are gone. @returns whether none is left by `until`.
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

/// Identifies the directory at `path`. @returns nothing if it cannot be inspected.
std::optional<directory_name> look_at(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0)
    return std::nullopt;
  return directory_name{about.st_dev, about.st_ino};
}

/// Identifies the directory at an absolute path as seen by another process, whose mounts and root
/// may differ.
std::optional<directory_name> look_at(const std::string& path, pid_t from) {
  auto root_path = "/proc/" + std::to_string(from) + "/root";
  unique_fd root{::open(root_path.c_str(), O_PATH | O_CLOEXEC | O_DIRECTORY)};
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  // Symbolic links are resolved within its root, too.
  how.resolve = RESOLVE_IN_ROOT;
  if (!root || !path.starts_with('/'))
    return std::nullopt;
  unique_fd found{
      static_cast<int>(::syscall(SYS_openat2, root.get(), path.c_str(), &how, sizeof how))};
  struct stat about {};
  if (!found || ::fstat(found.get(), &about) != 0)
    return std::nullopt;
  return directory_name{about.st_dev, about.st_ino};
}

/// Reads the marks of a process whose PID and start time are filled in later; empty if it is not a
/// trial process.
std::optional<leftover> marks_in(std::string_view environment) {
  auto tag = proc_files::value_in(environment, "TUNE_TRIAL_ATTEMPT");
  if (!tag)
    return std::nullopt;
  leftover result;
  result.tag = std::move(*tag);
  result.place = proc_files::value_in(environment, "TUNE_TRIAL_PLACE").value_or("");
  result.guard = proc_files::value_in(environment, "TUNE_TRIAL_GUARD").value_or("");
  return result;
}

/// "1234 (python3, attempt 0.1, held by the kernel)".
std::string text_of(const leftover& which) {
  const auto number = std::to_string(which.pid);
  auto name = proc_files::read_small(("/proc/" + number + "/comm").c_str());
  while (!name.empty() && name.back() == '\n')
    name.pop_back();
  auto result = number + " (" + (name.empty() ? "" : name + ", ") + "attempt "
                + which.tag.substr(which.tag.rfind('#') + 1);
  auto facts = proc_files::stat_of(which.pid);
  return result + (facts && facts->state == 'D' ? ", held by the kernel)" : ")");
}

/// Judges trial processes; lists all other processes only if a judgement needs it.
class inspector {
public:
  explicit inspector(const std::filesystem::path& directory)
      : path_{directory.string()}
      , beginning_{trial_tag(directory, "")}
      , directory_{look_at(path_)} {}

  /// If the directory does not exist, nothing is known about it.
  [[nodiscard]] leftover_verdict judge(const leftover& one) {
    trial_process_facts facts;
    facts.has_our_path
        = one.tag.starts_with(beginning_)
          && one.tag.find_first_not_of("0123456789.", beginning_.size()) == one.tag.npos;
    if (!one.place.empty())
      facts.marked = directory_name_from_text(one.place);
    const auto is_marked = facts.marked && facts.marked == directory_;
    if (!facts.has_our_path && !is_marked)
      return leftover_verdict::not_ours;
    if (facts.has_our_path)
      facts.seen = look_at(path_, one.pid);
    facts.guard = fate_of_guard(one.guard);
    return judge_leftover(facts, directory_.value_or(directory_name{}));
  }

private:
  std::string path_;
  std::string beginning_;
  std::optional<directory_name> directory_;
  std::optional<process_view> view_;

  process_fate fate_of_guard(const std::string& mark) {
    auto guard = mark.empty() ? std::nullopt : process_name_from_text(mark);
    if (!view_)
      view_ = view_of_processes();
    return guard && view_ ? fate_of(*guard, *view_) : process_fate::unknown;
  }
};

} // namespace

std::vector<leftover> find_leftovers(const std::function<bool(std::string_view tag)>& wanted) {
  std::vector<leftover> result;
  // PIDs of another namespace would refer to other processes here.
  if (!proc_files::shows_own_space())
    return result;
  auto add = [&](pid_t pid, leftover one) {
    auto facts = proc_files::stat_of(pid);
    if (!facts || facts->state == 'Z')
      return;
    one.pid = pid;
    one.start = facts->start;
    result.push_back(std::move(one));
  };
  std::vector<pid_t> unknown;
  auto look = [&](pid_t pid) {
    const auto environment = proc_files::whole_environment_of(pid);
    if (environment && environment->empty())
      unknown.push_back(pid);
    if (auto found = environment ? marks_in(*environment) : std::nullopt;
        found && wanted(found->tag))
      add(pid, std::move(*found));
  };
  auto all = proc_files::all_processes();
  std::erase(all, ::getpid());
  for (auto pid : all)
    look(pid);
  for (auto again = 0; again < executing_looks && !unknown.empty(); ++again) {
    std::this_thread::sleep_for(executing_takes);
    for (auto pid : std::exchange(unknown, {}))
      look(pid);
  }
  return result;
}

std::vector<leftover> find_supervised_processes_of(const std::string& guard,
                                                   const std::set<std::string, std::less<>>& tags) {
  auto result = find_leftovers([&](std::string_view tag) { return tags.contains(tag); });
  std::erase_if(result, [&](const leftover& one) { return one.guard != guard; });
  return result;
}

leftovers_found look_for_leftovers(const std::filesystem::path& directory) {
  leftovers_found result;
  inspector looks{directory};
  for (auto& one : find_leftovers([](std::string_view) { return true; })) {
    const auto verdict = looks.judge(one);
    if (verdict == leftover_verdict::leftover)
      result.orphans.push_back(std::move(one));
    else if (verdict == leftover_verdict::unclear)
      result.unclear.push_back(std::move(one));
  }
  return result;
}

std::vector<leftover> find_orphans_of(const std::filesystem::path& directory) {
  return look_for_leftovers(directory).orphans;
}

std::string sweep_leftovers(const std::filesystem::path& directory,
                            std::chrono::milliseconds grace) {
  leftovers_found last;
  end_leftovers(
      [&] {
        last = look_for_leftovers(directory);
        return last.orphans;
      },
      grace);
  if (last.unclear.empty())
    return {};
  std::string numbers;
  for (const auto& one : last.unclear)
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(one.pid);
  return "left alone in " + directory.string() + ": process " + numbers
         + ", which trials may have left behind. Whether the guard lives that looks after it "
           "cannot be seen from here, as across containers; if it does not, end it by hand";
}

std::string text_of_processes_below(const std::filesystem::path& directory) {
  constexpr std::size_t named = 5;
  const auto beginning = directory.string();
  auto found = find_leftovers([&](std::string_view tag) {
    return tag.starts_with(beginning) && tag.size() > beginning.size()
           && (tag[beginning.size()] == '#' || tag[beginning.size()] == '/');
  });
  std::string result;
  for (std::size_t i = 0; i < std::min(found.size(), named); ++i)
    result += (i == 0 ? "" : ", ") + text_of(found[i]);
  return found.size() > named ? result + " and " + std::to_string(found.size() - named) + " more"
                              : result;
}

std::string directory_mark(const std::filesystem::path& directory) {
  auto name = look_at(directory.string());
  return name ? to_text(*name) : std::string{};
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
  const auto until = clock::now() + grace + killing_takes;
  auto found = find();
  for (auto in_vain = found.empty() ? looks_in_vain : 0; in_vain < looks_in_vain;) {
    end_leftovers(found, std::exchange(grace, std::chrono::milliseconds{0}));
    const auto before = std::exchange(found, find());
    in_vain = found.empty() ? in_vain + 1 : 0;
    // A process held by the kernel stays; one that keeps forking is caught sooner or later.
    const auto patience = has_new(found, before) ? catching_takes : killing_takes;
    if (clock::now() > until + (patience - killing_takes))
      return found.size();
  }
  return 0;
}

} // namespace tune

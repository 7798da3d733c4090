// SPDX-License-Identifier: BSD-3-Clause
#include "supervised_process.hpp"

#include "proc_files.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace tune {

namespace {

/// With an outdated count, an ordinary KILL would look like an OOM kill.
constexpr std::chrono::seconds oom_look_interval{2};

/// The system call itself: glibc's `waitid` does not tell what the process used.
int wait_for(idtype_t which, id_t id, siginfo_t& info, int how, rusage* used) {
  return static_cast<int>(::syscall(SYS_waitid, which, id, &info, how, used));
}

/// Most resident memory of this process. [bytes] A child that shares its memory until it executes a
/// program begins with that as its own peak.
std::int64_t own_peak() {
  constexpr std::int64_t kilobyte = 1024;
  rusage mine{};
  return ::getrusage(RUSAGE_SELF, &mine) == 0 ? mine.ru_maxrss * kilobyte : 0;
}

/// What a process used together with those whose ends it waited for.
process_usage usage_of(const rusage& x) {
  constexpr std::int64_t per_second = 1'000'000;
  // The kernel's units: kilobytes, and blocks of 512 bytes.
  constexpr std::int64_t kilobyte = 1024;
  constexpr std::int64_t block = 512;
  const auto peak = std::int64_t{x.ru_maxrss} * kilobyte;
  const auto is_its_own = peak > own_peak();
  return {(x.ru_utime.tv_sec + x.ru_stime.tv_sec) * per_second + x.ru_utime.tv_usec
              + x.ru_stime.tv_usec,
          is_its_own ? peak : 0, x.ru_inblock * block, x.ru_oublock * block, is_its_own ? 0 : peak};
}

/// @returns the dead child, unreaped; empty if none is dead.
std::optional<siginfo_t> peek(idtype_t which, id_t id) {
  siginfo_t info{};
  if (::waitid(which, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
    return std::nullopt;
  return info;
}

/// @returns what the process used; empty if it was not dead.
std::optional<process_usage> bury(pid_t pid) {
  siginfo_t info{};
  rusage used{};
  if (wait_for(P_PID, static_cast<id_t>(pid), info, WEXITED | WNOHANG, &used) != 0
      || info.si_pid != pid)
    return std::nullopt;
  return usage_of(used);
}

/// Whether KILL ended the process, or, by the exit status of a shell, a program that the shell ran.
bool was_killed(const guard_wire::exited& word) {
  using kind = guard_wire::exited::kind;
  constexpr auto status_of_shells = 128 + SIGKILL;
  return (word.how == kind::signal && word.number == SIGKILL)
         || (word.how == kind::code && word.number == status_of_shells);
}

bool is_alive(pid_t pid) {
  auto facts = proc_files::stat_of(pid);
  return facts && facts->state != 'Z';
}

} // namespace

void process_table::add(supervised_process what) {
  if (auto now = guard_clock::now(); now - oom_kills_seen_ > oom_look_interval) {
    oom_kills_ = oom_kills_beside_groups();
    oom_kills_seen_ = now;
  }
  leaders_[what.pid] = what.id;
  supervised_processes_.emplace(what.id, std::move(what));
}

supervised_process* process_table::find(std::uint64_t id) {
  auto it = supervised_processes_.find(id);
  return it == supervised_processes_.end() ? nullptr : &it->second;
}

void process_table::kill_all_of(supervised_process& what) {
  what.killed = true;
  what.kill_at.reset();
  ::kill(-what.pid, SIGKILL);
  if (what.group)
    what.group->kill_members();
  for (auto pid : living_strays()) {
    if (belongs(pid, what))
      ::kill(pid, SIGKILL);
  }
}

void process_table::end(supervised_process& what, std::chrono::milliseconds grace) {
  if (what.killed)
    return;
  if (grace.count() <= 0) {
    kill_all_of(what);
    return;
  }
  auto due = guard_clock::now() + grace;
  auto first = !what.kill_at;
  what.kill_at = first ? due : std::min(*what.kill_at, due);
  if (!first)
    return;
  ::kill(-what.pid, SIGTERM);
  // A stopped process would sleep through its grace period.
  ::kill(-what.pid, SIGCONT);
  auto strays = living_strays();
  std::erase_if(strays, [&](pid_t pid) { return !belongs(pid, what); });
  warn(what, strays);
}

void process_table::warn(supervised_process& what, const std::vector<pid_t>& strays) {
  for (auto pid : strays) {
    auto facts = proc_files::stat_of(pid);
    // The group as a whole was already sent TERM.
    if (facts && facts->group != what.pid && what.warned.insert(pid).second)
      ::kill(pid, SIGTERM);
  }
}

void process_table::end_all() {
  for (auto& [id, what] : supervised_processes_)
    end(what, what.grace);
}

void process_table::kill_all() {
  for (auto& [id, what] : supervised_processes_)
    kill_all_of(what);
}

bool process_table::is_alone(const supervised_process& what) {
  // Check its children first: those that lose their parent meanwhile are found among those of this
  // process.
  auto children = proc_files::children_of(what.pid);
  if (std::any_of(children.begin(), children.end(), is_alive))
    return false;
  auto strays = living_strays();
  return std::none_of(strays.begin(), strays.end(), [&](pid_t pid) { return belongs(pid, what); });
}

/// Uses the count of its control group, which covers all its processes. Without a group of its own
/// there is only the count of the group that it shares with this process, which does not say whose
/// process it was: it is used only if a kill is known.
bool process_table::was_out_of_memory(const supervised_process& what) {
  if (what.group)
    return what.group->oom_kills() > 0;
  if (!was_killed(what.last_word))
    return false;
  return oom_kills_beside_groups() > std::exchange(oom_kills_, oom_kills_beside_groups());
}

void process_table::on_leader_death(supervised_process& what, const siginfo_t& how) {
  using kind = guard_wire::exited::kind;
  what.leader_dead = true;
  what.last_word.id = what.id;
  what.last_word.how = how.si_code == CLD_EXITED ? kind::code : kind::signal;
  what.last_word.number = how.si_status;
  what.last_word.memory_unwatched = what.lacks_group;
  if (!what.killed)
    what.last_word.out_of_memory = was_out_of_memory(what);
}

std::vector<pid_t> process_table::living_strays() {
  for (;;) {
    std::vector<pid_t> result;
    auto buried = false;
    for (auto pid : proc_files::own_children()) {
      if (leaders_.count(pid) != 0)
        continue;
      // Children of a dead process have just become children of this one: look again.
      if (bury_stray(pid))
        buried = true;
      else
        result.push_back(pid);
    }
    if (!buried)
      return result;
  }
}

bool process_table::belongs(pid_t stray, const supervised_process& what) const {
  auto facts = proc_files::stat_of(stray);
  if (!facts)
    return false;
  if (facts->group == what.pid || facts->session == what.pid)
    return true;
  if (auto tag = proc_files::environment_of(stray, "TUNE_TRIAL_ATTEMPT"); tag && !tag->empty())
    return *tag == what.tag;
  return std::none_of(
      supervised_processes_.begin(), supervised_processes_.end(), [&](const auto& entry) {
        const auto& other = entry.second;
        return other.id != what.id && (other.born <= facts->start || other.pid == facts->session);
      });
}

void process_table::settle(supervised_process& what) {
  auto strays = living_strays();
  std::erase_if(strays, [&](pid_t pid) { return !belongs(pid, what); });
  auto in_grace = what.kill_at && guard_clock::now() < *what.kill_at;
  if (!strays.empty() && in_grace) {
    warn(what, strays);
    return;
  }
  ::kill(-what.pid, SIGKILL);
  for (auto pid : strays)
    ::kill(pid, SIGKILL);
  auto in_group = what.group && what.group->kill_members();
  if (!strays.empty() || in_group)
    return; // Their deaths trigger another call of this function.
  if (const auto used = bury(what.pid))
    what.last_word.usage.add(*used);
  auto last_word = std::move(what.last_word);
  leaders_.erase(what.pid);
  supervised_processes_.erase(what.id);
  tell_(context_, last_word);
}

/// The dead have no environment any more: only their group and session tell.
supervised_process* process_table::owner_of_dead(pid_t stray) {
  const auto facts = proc_files::stat_of(stray);
  for (auto& [id, what] : supervised_processes_) {
    if (facts && (facts->group == what.pid || facts->session == what.pid))
      return &what;
  }
  return supervised_processes_.size() == 1 ? &supervised_processes_.begin()->second : nullptr;
}

bool process_table::bury_stray(pid_t pid) {
  // Looked up first: nothing is known of it afterwards.
  auto* owner = owner_of_dead(pid);
  const auto used = bury(pid);
  if (used && owner != nullptr)
    owner->last_word.usage.add(*used);
  return used.has_value();
}

void process_table::settle_all() {
  std::vector<std::uint64_t> dead;
  for (const auto& [id, what] : supervised_processes_) {
    if (what.leader_dead)
      dead.push_back(id);
  }
  for (auto id : dead)
    settle(*find(id));
}

void process_table::reap_one_by_one() {
  for (auto pid : proc_files::own_children()) {
    auto leader = leaders_.find(pid);
    if (leader == leaders_.end()) {
      bury_stray(pid);
      continue;
    }
    auto& what = *find(leader->second);
    if (auto death = peek(P_PID, static_cast<id_t>(pid)); death && !what.leader_dead)
      on_leader_death(what, *death);
  }
}

void process_table::reap() {
  while (auto death = peek(P_ALL, 0)) {
    auto leader = leaders_.find(death->si_pid);
    if (leader == leaders_.end()) {
      bury_stray(death->si_pid);
      continue;
    }
    auto& what = *find(leader->second);
    if (what.leader_dead) {
      // The leader's zombie is kept and hides other dead children.
      reap_one_by_one();
      break;
    }
    on_leader_death(what, *death);
    settle(what);
  }
  settle_all();
}

std::optional<std::chrono::milliseconds> process_table::pass() {
  auto now = guard_clock::now();
  std::optional<guard_clock::time_point> next;
  std::vector<std::uint64_t> overdue;
  for (auto& [id, what] : supervised_processes_) {
    if (!what.kill_at)
      continue;
    if (*what.kill_at <= now)
      overdue.push_back(id);
    else
      next = next ? std::min(*next, *what.kill_at) : *what.kill_at;
  }
  for (auto id : overdue) {
    auto& what = *find(id);
    kill_all_of(what);
    if (what.leader_dead)
      settle(what);
  }
  if (!next)
    return std::nullopt;
  return std::chrono::ceil<std::chrono::milliseconds>(*next - now);
}

bool process_table::clear_strays() {
  auto strays = living_strays();
  for (auto pid : strays)
    ::kill(pid, SIGKILL);
  return strays.empty();
}

} // namespace tune

/// One trial process in the guard's care, with all its descendants.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cgroup.hpp"
#include "guard_wire.hpp"

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tune {

using guard_clock = std::chrono::steady_clock;

struct supervised_process {
  std::uint64_t id = 0;
  /// PID of the leader: also the id of its process group and session.
  pid_t pid = 0;
  std::string tag;
  std::chrono::milliseconds grace{0};
  /// Time just before the start, in clock ticks since boot.
  std::uint64_t born = 0;
  std::optional<cgroup> group;
  /// True if a control group was wanted but could not be created.
  bool lacks_group = false;

  /// True once the leader is dead; it stays a zombie, which keeps its PID reserved, until the rest
  /// is gone.
  bool leader_dead = false;
  guard_wire::exited last_word;
  /// Time at which KILL is due, if the end was requested.
  std::optional<guard_clock::time_point> kill_at;
  /// True once KILL was sent: no part of it may survive.
  bool killed = false;
  /// Strays that were sent TERM.
  std::set<pid_t> warned;
};

/// The supervised processes; also assigns this process's other children to them.
///
/// As child subreaper the guard inherits every orphan of its supervised processes. Such a stray
/// belongs to a supervised process by its group or session, by the tag in its environment, or, if
/// it has wiped both, because no other supervised process existed when it was born.
class process_table {
public:
  /// Reports the death of a supervised process; its context must outlive the table.
  using farewell = void (*)(void* context, const guard_wire::exited& last_word);
  process_table(farewell tell, void* context) : tell_{tell}, context_{context} {}

  void add(supervised_process what);
  [[nodiscard]] bool empty() const { return supervised_processes_.empty(); }
  [[nodiscard]] supervised_process* find(std::uint64_t id);

  /// Sends TERM now and KILL after `grace`; if zero, KILL now. A second call can only shorten the
  /// time.
  void end(supervised_process& what, std::chrono::milliseconds grace);
  void end_all();
  void kill_all();

  /// Whether it has no living descendants.
  [[nodiscard]] bool is_alone(const supervised_process& what);

  /// Handles all children that died.
  void reap();
  /// Kills overdue processes. @returns the time until the next deadline, if any.
  std::optional<std::chrono::milliseconds> pass();
  /// Kills all remaining strays; for the guard's own end.
  /// @returns whether there were none.
  bool clear_strays();

private:
  farewell tell_;
  void* context_;
  std::map<std::uint64_t, supervised_process> supervised_processes_;
  std::map<pid_t, std::uint64_t> leaders_;
  /// The system's OOM kill count at the last check.
  std::uint64_t oom_kills_ = 0;
  guard_clock::time_point oom_kills_seen_{};

  void on_leader_death(supervised_process& what, const siginfo_t& how);
  /// Ends the descendants of a dead leader; removes the supervised process once none is left.
  void settle(supervised_process& what);
  void settle_all();
  /// Waits for a stray that has died, and adds what it used. @returns whether it was dead.
  bool bury_stray(pid_t pid);
  [[nodiscard]] supervised_process* owner_of_dead(pid_t stray);
  void reap_one_by_one();
  void kill_all_of(supervised_process& what);
  void warn(supervised_process& what, const std::vector<pid_t>& strays);
  [[nodiscard]] std::vector<pid_t> living_strays();
  [[nodiscard]] bool belongs(pid_t stray, const supervised_process& what) const;
  [[nodiscard]] bool was_out_of_memory(const supervised_process& what);
};

} // namespace tune

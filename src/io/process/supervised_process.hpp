/// One trial process in the guard's care, and all that descends from it.
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
  /// Its leader: also the process group and the session.
  pid_t pid = 0;
  std::string tag;
  std::chrono::milliseconds grace{0};
  /// Just before it was started, in clock ticks since boot.
  std::uint64_t born = 0;
  std::optional<cgroup> group;
  /// It should have had one.
  bool lacks_group = false;

  /// The leader is dead; it stays a zombie, so that its number stays taken, until the rest is gone.
  bool leader_dead = false;
  guard_wire::exited last_word;
  /// Somebody asked for its end: KILL is due.
  std::optional<guard_clock::time_point> kill_at;
  /// KILL was sent: nothing of it may live on.
  bool killed = false;
  /// Strays that had their TERM.
  std::set<pid_t> warned;
};

/// The supervised processes, and who of this process's other children belongs to whom.
///
/// As child subreaper the guard inherits every orphan of its supervised processes. Such a stray
/// belongs to a supervised process by its group or session, by the tag in its environment, or,
/// where it has wiped both, because no other supervised process was there when it was born.
class process_table {
public:
  /// Called before each supervised process's death is told; must outlive the book.
  using farewell = void (*)(void* context, const guard_wire::exited& last_word);
  process_table(farewell tell, void* context) : tell_{tell}, context_{context} {}

  void add(supervised_process what);
  [[nodiscard]] bool empty() const { return supervised_processes_.empty(); }
  [[nodiscard]] supervised_process* find(std::uint64_t id);

  /// TERM now, KILL after `grace`; zero: KILL now. A second call can only shorten the time.
  void end(supervised_process& what, std::chrono::milliseconds grace);
  void end_all();
  void kill_all();

  /// Whether nothing lives that descends from it.
  [[nodiscard]] bool is_alone(const supervised_process& what);

  /// Takes note of all children that died.
  void reap();
  /// Kills what is overdue. @returns the time until the next is, or nothing.
  std::optional<std::chrono::milliseconds> pass();
  /// Kills every stray that is left; for the guard's own end.
  /// @returns whether there was none.
  bool clear_strays();

private:
  farewell tell_;
  void* context_;
  std::map<std::uint64_t, supervised_process> supervised_processes_;
  std::map<pid_t, std::uint64_t> leaders_;
  /// The system's count when it was last looked at.
  std::uint64_t oom_kills_ = 0;
  guard_clock::time_point oom_kills_seen_{};

  void on_leader_death(supervised_process& what, const siginfo_t& how);
  /// Ends what a dead leader left behind; forgets the supervised process once nothing is left.
  void settle(supervised_process& what);
  void settle_all();
  void reap_one_by_one();
  void kill_all_of(supervised_process& what);
  void warn(supervised_process& what, const std::vector<pid_t>& strays);
  [[nodiscard]] std::vector<pid_t> living_strays();
  [[nodiscard]] bool belongs(pid_t stray, const supervised_process& what) const;
  [[nodiscard]] bool was_out_of_memory(const supervised_process& what);
};

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/process_mark.hpp"

#include "proc_files.hpp"

#include <unistd.h>

namespace tune {

namespace {

bool has_ended(const proc_files::stat_facts& x) {
  return x.state == 'Z' || x.state == 'X';
}

/// This process's own viewpoint: boot and namespaces; empty if unknown.
std::optional<process_view> own_place() {
  auto space = proc_files::namespace_of(::getpid(), "pid");
  process_view result;
  result.boot = proc_files::boot_id();
  if (result.boot.empty() || !space || !proc_files::shows_own_space())
    return std::nullopt;
  result.space = *space;
  result.clock = proc_files::namespace_of(::getpid(), "time").value_or(0);
  return result;
}

std::optional<seen_process> look_at(pid_t pid, const process_view& from) {
  auto facts = proc_files::stat_of(pid);
  auto numbers = proc_files::numbers_of(pid);
  if (!facts || has_ended(*facts))
    return std::nullopt;
  seen_process result;
  result.pid = pid;
  result.inner_pid = numbers.empty() ? pid : numbers.back();
  result.start = facts->start;
  if (numbers.size() == 1)
    result.space = from.space;
  else
    result.space = proc_files::namespace_of(pid, "pid");
  return result;
}

} // namespace

std::optional<process_name> name_of_process(pid_t pid) {
  auto place = own_place();
  if (!place)
    return std::nullopt;
  auto seen = look_at(pid, *place);
  if (!seen || !seen->space)
    return std::nullopt;
  return process_name{place->boot, *seen->space, place->clock, seen->inner_pid, seen->start};
}

std::string mark_of_this_process() {
  auto name = name_of_process(::getpid());
  return name ? to_text(*name) : std::string{};
}

bool is_known_gone(const std::string& mark) {
  auto name = process_name_from_text(mark);
  auto place = own_place();
  // A mark made by another process must match exactly.
  if (!name || !place || to_text(*name) != mark)
    return false;
  if (name->boot != place->boot || name->space != place->space || name->clock != place->clock)
    return false;
  if (auto seen = look_at(static_cast<pid_t>(name->pid), *place))
    place->all.push_back(*seen);
  return fate_of(*name, *place) == process_fate::gone;
}

std::optional<process_view> view_of_processes() {
  auto result = own_place();
  if (!result)
    return result;
  for (auto pid : proc_files::all_processes()) {
    if (auto seen = look_at(pid, *result))
      result->all.push_back(*seen);
  }
  return result;
}

} // namespace tune

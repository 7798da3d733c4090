// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/liveness/leftover.hpp"

#include <algorithm>
#include <charconv>

namespace tune {

namespace {

/// Removes and returns the text before the next colon.
std::string_view next_word(std::string_view& from) {
  const auto end = from.find(':');
  const auto result = from.substr(0, end);
  from.remove_prefix(end == from.npos ? from.size() : end + 1);
  return result;
}

template <class Number>
bool take_number(std::string_view& from, Number& to) {
  const auto word = next_word(from);
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), to);
  return failed == std::errc{} && end == word.data() + word.size() && !word.empty();
}

} // namespace

std::string to_text(const process_name& what) {
  return what.boot + ":" + std::to_string(what.space) + ":" + std::to_string(what.clock) + ":"
         + std::to_string(what.pid) + ":" + std::to_string(what.start);
}

std::optional<process_name> process_name_from_text(std::string_view text) {
  process_name result;
  result.boot = next_word(text);
  if (result.boot.empty() || !take_number(text, result.space) || !take_number(text, result.clock)
      || !take_number(text, result.pid) || !take_number(text, result.start))
    return std::nullopt;
  return result;
}

process_fate fate_of(const process_name& guard, const process_view& from) {
  if (guard.boot.empty() || guard.boot != from.boot)
    return process_fate::unknown;
  auto space_is_seen = guard.space == from.space;
  for (const auto& x : from.all) {
    const auto is_inside = x.space && *x.space == guard.space;
    space_is_seen = space_is_seen || is_inside;
    if (x.inner_pid != guard.pid || (x.space && !is_inside))
      continue;
    // A process with that number but a hidden namespace may be it; start times of another clock
    // cannot be compared.
    if (!x.space || guard.clock != from.clock)
      return process_fate::unknown;
    if (x.start == guard.start)
      return process_fate::lives;
  }
  return space_is_seen ? process_fate::gone : process_fate::unknown;
}

std::string to_text(const directory_name& what) {
  return std::to_string(what.device) + ":" + std::to_string(what.inode);
}

std::optional<directory_name> directory_name_from_text(std::string_view text) {
  directory_name result;
  if (!take_number(text, result.device) || !take_number(text, result.inode) || !text.empty())
    return std::nullopt;
  return result;
}

leftover_verdict judge_leftover(const trial_process_facts& what, const directory_name& directory) {
  const auto is_ours = (what.marked && *what.marked == directory)
                       || (what.has_our_path && what.seen && *what.seen == directory);
  // The path alone may name another directory in another container.
  const auto may_be_ours = is_ours || (what.has_our_path && !what.seen && !what.marked);
  if (!may_be_ours || what.guard == process_fate::lives)
    return leftover_verdict::not_ours;
  if (!is_ours || what.guard == process_fate::unknown)
    return leftover_verdict::unclear;
  return leftover_verdict::leftover;
}

} // namespace tune

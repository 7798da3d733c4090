// The conversation between the poll loop and its guard.
// SPDX-License-Identifier: BSD-3-Clause
#include "poll_loop.hpp"

#include "cgroup.hpp"

#include "tune/io/process/leftovers.hpp"
#include "tune/io/process/shortage.hpp"

#include <signal.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <set>
#include <utility>

namespace tune {

namespace {

using guard_wire::io_result;

constexpr const char* guard_ended = "the process guard ended and took the process along";

exit_info info_of(const guard_wire::exited& from) {
  using kind = guard_wire::exited::kind;
  exit_info result;
  if (from.how == kind::code)
    result.code = from.number;
  else if (from.how == kind::signal)
    result.signal = from.number;
  else
    result.trouble = from.text;
  result.fault = from.fault;
  result.out_of_memory = from.out_of_memory;
  result.memory_unwatched = from.memory_unwatched;
  if (from.how != kind::not_started)
    result.usage = from.usage;
  return result;
}

} // namespace

void process_service::poll_loop::order(errand what) {
  outgoing_.push_back(std::move(what));
  ask_whether_guard_lives();
}

/// At most one ping is on its way, after the last order.
void process_service::poll_loop::ask_whether_guard_lives() {
  if (std::exchange(asks_guard_, true))
    asks_again_ = true;
  else
    outgoing_.emplace_back(guard_wire::ping{});
}

void process_service::poll_loop::expect_guard() {
  guard_due_ = std::chrono::steady_clock::now() + options_.guard_silence;
}

int process_service::poll_loop::patience_ms() const {
  if (!guard_due_ && !files_due_)
    return -1;
  constexpr auto never = std::chrono::steady_clock::time_point::max();
  const auto due = std::min(guard_due_.value_or(never), files_due_.value_or(never));
  auto left = due - std::chrono::steady_clock::now();
  auto whole = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::clamp<decltype(whole)>(whole, 0, 60'000));
}

std::string process_service::poll_loop::text_of(std::chrono::milliseconds duration) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g s", std::chrono::duration<double>(duration).count());
  return text.data();
}

/// The guard is stopped or stuck; its processes die with it.
void process_service::poll_loop::give_up_silent_guard() {
  ::kill(guard_.pid, SIGKILL);
  lose_guard("the process guard did not answer for " + text_of(options_.guard_silence)
             + " and was killed with its processes");
}

bool process_service::poll_loop::listen_to_guard() {
  guard_is_full_ = false;
  guard_due_.reset();
  return watch_.add(guard_.socket.get(), guard_key, EPOLLIN);
}

void process_service::poll_loop::hear_guard() {
  std::vector<std::uint64_t> fresh;
  while (guard_.socket) {
    auto got = guard_wire::receive(guard_.socket.get());
    if (got.result == io_result::would_block)
      break;
    if (got.result != io_result::ok) {
      lose_guard(guard_ended);
      break;
    }
    if (guard_due_)
      expect_guard();
    if (got.what)
      hear(*got.what, fresh);
  }
  // A process that is gone already needs no watching.
  for (auto id : fresh) {
    if (auto* child = find(id))
      child->watch_all();
  }
}

/// @param fresh receives the ids of started processes.
void process_service::poll_loop::hear(const guard_wire::message& news,
                                      std::vector<std::uint64_t>& fresh) {
  if (std::holds_alternative<guard_wire::pong>(news)) {
    guard_due_.reset();
    asks_guard_ = std::exchange(asks_again_, false);
    if (asks_guard_)
      outgoing_.emplace_back(guard_wire::ping{});
  } else if (const auto* first = std::get_if<guard_wire::started>(&news)) {
    if (auto* child = find(first->id)) {
      child->on_started(first->pid);
      fresh.push_back(first->id);
    }
  } else if (const auto* view = std::get_if<guard_wire::seen>(&news)) {
    if (auto* child = find(view->id))
      child->end_park(view->alone, buffer_);
  } else if (const auto* last = std::get_if<guard_wire::exited>(&news)) {
    finish(last->id, info_of(*last));
  }
}

void process_service::poll_loop::lose_guard(const std::string& why) {
  watch_.remove(guard_.socket.get());
  guard_.socket.reset();
  guard_due_.reset();
  // Pings to it are void; the next guard gets one after the remaining orders.
  std::erase_if(outgoing_,
                [](const auto& x) { return std::holds_alternative<guard_wire::ping>(x); });
  asks_again_ = false;
  asks_guard_ = !outgoing_.empty();
  if (asks_guard_)
    outgoing_.emplace_back(guard_wire::ping{});
  bury_guard(guard_.pid, death_patience);
  guard_.pid = 0;
  guard_pid_ = 0;
  // Its children died with it, but their descendants may be alive.
  std::set<std::string, std::less<>> tags;
  std::vector<std::uint64_t> lost;
  for (const auto& [id, yes] : sent_) {
    lost.push_back(id);
    if (const auto* child = find(id); child != nullptr && !child->order().tag.empty())
      tags.insert(child->order().tag);
  }
  if (!tags.empty())
    end_leftovers([&] { return find_supervised_processes_of(guard_.mark, tags); },
                  std::chrono::milliseconds{0});
  remove_left_groups();
  for (auto id : lost) {
    exit_info how;
    how.trouble = why;
    how.guard_lost = true;
    finish(id, std::move(how));
  }
}

expected<void> process_service::poll_loop::ensure_guard() {
  if (guard_.socket)
    return {};
  auto fresh = start_guard(options_.guard_program, options_.guard_patience);
  if (!fresh) {
    const auto& why = fresh.error();
    return error{why.code == ec::shortage ? why.code : ec::unreachable, why.detail};
  }
  guard_ = std::move(*fresh);
  guard_pid_ = guard_.pid;
  leave_obituary();
  if (!listen_to_guard()) {
    const auto reason = errno;
    lose_guard(guard_ended);
    return error{fault_of(reason), "cannot watch the process guard: " + text_of_shortage(reason)};
  }
  return {};
}

guard_wire::io_result process_service::poll_loop::send_launch(std::uint64_t id) {
  auto* child = find(id);
  if (child == nullptr)
    return io_result::ok;
  auto ready = ensure_guard();
  if (ready && !child->has_pipes()) {
    ready = child->open_pipes();
    watch_files(id, child->order());
  }
  if (!ready) {
    fail(id, ready.error());
    return io_result::ok;
  }
  auto result = guard_wire::send(guard_.socket.get(), child->launch_message(guard_.mark),
                                 child->remote_fds());
  if (result == io_result::ok) {
    child->forget_remote_fds();
    sent_[id] = true;
  } else if (result == io_result::failed) {
    const auto reason = errno;
    fail(id,
         {fault_of(reason), "cannot hand the process to the guard: " + text_of_shortage(reason)});
    return io_result::ok;
  }
  return result;
}

guard_wire::io_result process_service::poll_loop::ask_guard() {
  if (!guard_.socket) {
    asks_guard_ = asks_again_ = false;
    return io_result::ok;
  }
  auto result = guard_wire::send(guard_.socket.get(), guard_wire::ping{});
  if (result == io_result::ok)
    expect_guard();
  return result;
}

guard_wire::io_result process_service::poll_loop::send_outgoing(const errand& what) {
  if (const auto* id = std::get_if<std::uint64_t>(&what))
    return send_launch(*id);
  if (std::holds_alternative<guard_wire::ping>(what))
    return ask_guard();
  // Without a guard there is no process either.
  if (!guard_.socket)
    return io_result::ok;
  if (const auto* question = std::get_if<guard_wire::look>(&what))
    return guard_wire::send(guard_.socket.get(), *question);
  return guard_wire::send(guard_.socket.get(), std::get<guard_wire::end>(what));
}

void process_service::poll_loop::send_outgoing() {
  while (!outgoing_.empty()) {
    auto result = send_outgoing(outgoing_.front());
    if (result == io_result::would_block) {
      if (!guard_due_)
        expect_guard();
      if (!std::exchange(guard_is_full_, true))
        watch_.change(guard_.socket.get(), guard_key, EPOLLIN | EPOLLOUT);
      return;
    }
    if (result == io_result::closed)
      lose_guard(guard_ended);
    else
      outgoing_.pop_front();
  }
  if (std::exchange(guard_is_full_, false) && guard_.socket)
    watch_.change(guard_.socket.get(), guard_key, EPOLLIN);
}

} // namespace tune

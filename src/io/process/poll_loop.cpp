// SPDX-License-Identifier: BSD-3-Clause
#include "poll_loop.hpp"

#include "cgroup.hpp"

#include "tune/io/process/leftovers.hpp"
#include "tune/io/process/shortage.hpp"

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <set>
#include <system_error>
#include <utility>

namespace tune {

namespace {

using guard_wire::io_result;

/// Beside `out`, keys of process 0: the guard's socket.
constexpr pipe_watch::key wake_key{0, pipe_role::out};
constexpr pipe_watch::key guard_key{0, pipe_role::err};
constexpr pipe_watch::key files_key{0, pipe_role::report};

constexpr const char* guard_ended = "the process guard ended and took the process along";
/// For a process to be gone once it was killed.
constexpr std::chrono::seconds death_patience{2};

/// As much as a pipe holds.
constexpr std::size_t buffer_size = 64 * 1024;

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
  return result;
}

} // namespace

process_service::poll_loop::poll_loop(process_service_options options, guard_connection guard)
    : options_{std::move(options)}
    , guard_pid_{guard.pid}
    , wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)}
    , guard_{std::move(guard)}
    , buffer_(buffer_size) {}

expected<void> process_service::poll_loop::begin() {
  if (!wake_ || !watch_.add(wake_.get(), wake_key, EPOLLIN) || !listen_to_guard()) {
    const auto reason = errno;
    return error{fault_of(reason), "cannot watch pipes: " + text_of_shortage(reason)};
  }
  // The thread inherits the mask: no handler of the host program ever runs on it, and a pipe
  // whose reader is gone is an errno to it, not a signal.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  expected<void> result;
  try {
    thread_ = std::thread{[this] { run(); }};
  } catch (const std::system_error& why) {
    const auto reason = why.code().value();
    result = error{fault_of(reason), "cannot start a thread: " + text_of_shortage(reason)};
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return result;
}

process_service::poll_loop::~poll_loop() {
  if (thread_.joinable()) {
    post(stop{});
    thread_.join();
  }
  guard_.socket.reset();
  if (guard_.pid == 0 || bury_guard(guard_.pid, options_.guard_silence))
    return;
  ::kill(guard_.pid, SIGKILL);
  bury_guard(guard_.pid, death_patience);
}

void process_service::poll_loop::post(request what) {
  std::lock_guard lock{mutex_};
  requests_.push_back(std::move(what));
  if (requests_.size() == 1)
    ::eventfd_write(wake_.get(), 1);
}

void process_service::poll_loop::run() {
  while (!stopping_ || !children_.empty()) {
    auto ready = watch_.wait(patience_ms());
    auto is = [](pipe_watch::key a, pipe_watch::key b) {
      return a.process == b.process && a.role == b.role;
    };
    for (const auto& event : ready) {
      if (auto name = pipe_watch::key_of(event); name.process != 0) {
        // The guard tells the end of each process: not while it is stopped.
        if (auto* child = find(name.process); child && child->on_ready(name.role, buffer_))
          ask_whether_guard_lives();
      }
    }
    for (const auto& event : ready) {
      auto name = pipe_watch::key_of(event);
      if (is(name, guard_key))
        hear_guard();
      else if (is(name, wake_key))
        take_requests();
      else if (is(name, files_key))
        hear_of_files();
    }
    // Only after what it may have said meanwhile was heard: we may have slept, not it.
    if (guard_due_ && std::chrono::steady_clock::now() >= *guard_due_)
      give_up_silent_guard();
    send_outgoing();
  }
}

void process_service::poll_loop::take_requests() {
  std::vector<request> news;
  {
    std::lock_guard lock{mutex_};
    eventfd_t ignored = 0;
    ::eventfd_read(wake_.get(), &ignored);
    news.swap(requests_);
  }
  for (auto& one : news)
    std::visit([this](auto& what) { handle(std::move(what)); }, one);
}

child_process* process_service::poll_loop::find(std::uint64_t id) {
  auto it = children_.find(id);
  return it == children_.end() ? nullptr : &it->second;
}

child_process* process_service::poll_loop::find(process_handle which) {
  auto* found = find(which.id);
  return found != nullptr && found->use() == which.use ? found : nullptr;
}

void process_service::poll_loop::handle(launch what) {
  auto id = what.id;
  children_.try_emplace(id, id, std::move(what.what), std::move(what.who), options_, watch_);
  if (stopping_)
    fail(id, {ec::process, "the process service is ending"});
  else
    order(id);
}

void process_service::poll_loop::watch_files(std::uint64_t id, const process_order& what) {
  if (what.watched_files.empty())
    return;
  if (auto fresh = files_.add(id, what.directory, what.watched_files); fresh >= 0)
    watch_.add(fresh, files_key, EPOLLIN);
}

void process_service::poll_loop::hear_of_files() {
  for (auto id : files_.changed()) {
    if (auto* child = find(id))
      child->on_files_changed();
  }
}

void process_service::poll_loop::handle(const resume& what) {
  if (auto* child = find(what.which)) {
    child->resume(what.role, buffer_);
    forget_if_finished(what.which.id);
  }
}

void process_service::poll_loop::handle(const answer& what) {
  if (auto* child = find(what.which)) {
    child->answer(what.line, buffer_);
    forget_if_finished(what.which.id);
  }
}

void process_service::poll_loop::handle(park what) {
  auto* child = find(what.which);
  if (child == nullptr)
    return;
  if (child->begin_park(std::move(what.keeper), buffer_))
    order(guard_wire::look{what.which.id});
  else
    forget_if_finished(what.which.id);
}

void process_service::poll_loop::handle(hand_on what) {
  if (auto* child = find(what.which)) {
    child->hand_on(what.how, std::move(what.who), what.line, buffer_);
    return;
  }
  exit_info gone;
  gone.trouble = "the process was gone before it was handed on";
  what.who->exited(gone);
}

void process_service::poll_loop::handle(const end& what) {
  auto* child = find(what.which);
  if (child == nullptr)
    return;
  order(guard_wire::end{what.which.id, what.grace.value_or(child->order().grace)});
  child->on_end_requested(buffer_);
  forget_if_finished(what.which.id);
}

void process_service::poll_loop::handle(const stop&) {
  stopping_ = true;
  std::vector<end> all;
  for (const auto& [id, child] : children_)
    all.push_back({{id, child.use()}, std::nullopt});
  for (const auto& one : all)
    handle(one);
}

void process_service::poll_loop::order(errand what) {
  outgoing_.push_back(std::move(what));
  ask_whether_guard_lives();
}

/// One question is on its way at most, behind the last order.
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
  if (!guard_due_)
    return -1;
  auto left = *guard_due_ - std::chrono::steady_clock::now();
  auto whole = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::clamp<decltype(whole)>(whole, 0, 60'000));
}

/// Stopped, or stuck: what it owns dies with it.
void process_service::poll_loop::give_up_silent_guard() {
  ::kill(guard_.pid, SIGKILL);
  auto seconds = std::chrono::duration<double>(options_.guard_silence).count();
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", seconds);
  lose_guard(std::string{"the process guard did not answer for "} + text.data()
             + " s and was killed with its processes");
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
  // One that is gone already never needs watching.
  for (auto id : fresh) {
    if (auto* child = find(id))
      child->watch_all();
  }
}

/// @param fresh gets those that are there now.
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

void process_service::poll_loop::finish(std::uint64_t id, exit_info how) {
  sent_.erase(id);
  if (auto* child = find(id)) {
    child->on_exited(std::move(how), buffer_);
    forget_if_finished(id);
  }
}

void process_service::poll_loop::fail(std::uint64_t id, error why) {
  exit_info how;
  how.trouble = std::move(why.detail);
  how.fault = why.code;
  finish(id, std::move(how));
}

void process_service::poll_loop::forget_if_finished(std::uint64_t id) {
  if (auto* child = find(id); child != nullptr && child->finished()) {
    files_.remove(id);
    children_.erase(id);
  }
}

void process_service::poll_loop::lose_guard(const std::string& why) {
  watch_.remove(guard_.socket.get());
  guard_.socket.reset();
  guard_due_.reset();
  // Questions to it are void; the next guard is asked behind the orders that are left.
  std::erase_if(outgoing_,
                [](const auto& x) { return std::holds_alternative<guard_wire::ping>(x); });
  asks_again_ = false;
  asks_guard_ = !outgoing_.empty();
  if (asks_guard_)
    outgoing_.emplace_back(guard_wire::ping{});
  bury_guard(guard_.pid, death_patience);
  guard_.pid = 0;
  guard_pid_ = 0;
  // Its own children died with it; theirs may not have.
  std::set<std::string, std::less<>> tags;
  std::vector<std::uint64_t> lost;
  for (const auto& [id, yes] : sent_) {
    lost.push_back(id);
    if (const auto* child = find(id); child != nullptr && !child->order().tag.empty())
      tags.insert(child->order().tag);
  }
  if (!tags.empty())
    end_leftovers([&] { return find_wards_of(guard_.mark, tags); }, std::chrono::milliseconds{0});
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

// SPDX-License-Identifier: BSD-3-Clause
#include "poll_loop.hpp"

#include "output_file.hpp"

#include "tune/io/process/shortage.hpp"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace tune {

namespace {

/// The capacity of a pipe. [bytes]
constexpr std::size_t read_size = 64 * 1024;

} // namespace

process_service::poll_loop::poll_loop(process_service_options options, guard_connection guard)
    : options_{std::move(options)}
    , guard_pid_{guard.pid}
    , guard_{std::move(guard)}
    , means_{options_, watch_, writers_, [mail = mail_](auto id) { mail->put(written{id}); }}
    , buffer_(read_size) {
  mail_->wake.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!options_.output) {
    options_.output = [](const std::filesystem::path& path, std::uint64_t cap) {
      return std::make_unique<output_file>(path, cap);
    };
  }
}

/// For a guard that has just started, whose socket is empty. A guard that does not receive it still
/// does everything else.
void process_service::poll_loop::leave_obituary() {
  if (!options_.obituary.empty())
    static_cast<void>(
        guard_wire::send(guard_.socket.get(), guard_wire::obituary{options_.obituary}));
}

expected<void> process_service::poll_loop::begin() {
  leave_obituary();
  const auto& wake = mail_->wake;
  if (!wake || !watch_.add(wake.get(), wake_key, EPOLLIN) || !listen_to_guard()) {
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
  // An orderly end needs no obituary.
  if (!options_.obituary.empty() && guard_.socket)
    static_cast<void>(guard_wire::send(guard_.socket.get(), guard_wire::obituary{}));
  guard_.socket.reset();
  if (guard_.pid == 0 || bury_guard(guard_.pid, options_.guard_silence))
    return;
  ::kill(guard_.pid, SIGKILL);
  bury_guard(guard_.pid, death_patience);
}

void process_service::poll_loop::mailbox::put(request what) {
  std::lock_guard lock{mutex};
  requests.push_back(std::move(what));
  if (requests.size() == 1)
    ::eventfd_write(wake.get(), 1);
}

std::vector<process_service::poll_loop::request> process_service::poll_loop::mailbox::take() {
  std::lock_guard lock{mutex};
  eventfd_t ignored = 0;
  ::eventfd_read(wake.get(), &ignored);
  return std::exchange(requests, {});
}

void process_service::poll_loop::run() {
  while (!stopping_ || !children_.empty()) {
    auto ready = watch_.wait(patience_ms());
    auto is = [](pipe_watch::key a, pipe_watch::key b) {
      return a.process == b.process && a.role == b.role;
    };
    for (const auto& event : ready) {
      if (auto name = pipe_watch::key_of(event); name.process != 0) {
        // The guard reports the end of each process, but not while it is stopped.
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
    // Checked only after its waiting messages were read: this thread may have slept, not the guard.
    if (guard_due_ && std::chrono::steady_clock::now() >= *guard_due_)
      give_up_silent_guard();
    if (stopping_)
      give_up_files();
    send_outgoing();
  }
}

void process_service::poll_loop::take_requests() {
  for (auto& one : mail_->take())
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
  children_.try_emplace(id, id, std::move(what.what), std::move(what.who), means_);
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
  look_for_files(id);
}

/// Runs on the thread of the job, since the disk may not answer.
void process_service::poll_loop::look_for_files(std::uint64_t id) {
  auto* child = find(id);
  if (child == nullptr || !child->writer())
    return;
  child->writer()->run([mail = mail_, id, search = files_.search_for(id)] {
    mail->put(looked{id, search.run()});
  });
}

void process_service::poll_loop::handle(const looked& what) {
  if (files_.know(what.id, what.what))
    look_for_files(what.id);
  // Earlier changes were not reported.
  if (auto* child = find(what.id); child != nullptr && what.what.has_file)
    child->on_files_changed();
}

void process_service::poll_loop::hear_of_files() {
  const auto news = files_.take();
  for (auto id : news.changed) {
    if (auto* child = find(id))
      child->on_files_changed();
  }
  for (auto id : news.grown)
    look_for_files(id);
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

void process_service::poll_loop::handle(const end_answers& what) {
  if (auto* child = find(what.which))
    child->end_answers();
}

void process_service::poll_loop::handle(park what) {
  auto* child = find(what.which);
  if (child == nullptr)
    return;
  if (child->begin_park(std::move(what.holder), buffer_))
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

void process_service::poll_loop::handle(const written& what) {
  if (auto* child = find(what.id)) {
    child->on_written(buffer_);
    forget_if_finished(what.id);
  }
}

/// Once no process is left, only their files keep the loop alive, as long as the disks make
/// progress.
void process_service::poll_loop::give_up_files() {
  auto waits = [](const auto& x) { return x.second.waits_for_files(); };
  files_due_.reset();
  if (!std::all_of(children_.begin(), children_.end(), waits))
    return;
  const auto now = std::chrono::steady_clock::now();
  alone_since_ = alone_since_.value_or(now);
  std::vector<std::uint64_t> stuck;
  for (const auto& [id, child] : children_) {
    const auto& writer = child.writer();
    const auto moved = std::max(writer ? writer->moved() : now, *alone_since_);
    const auto due = moved + options_.output_patience;
    if (due <= now)
      stuck.push_back(id);
    else
      files_due_ = std::min(files_due_.value_or(due), due);
  }
  for (auto id : stuck) {
    find(id)->give_up_files("its file system did not answer for "
                            + text_of(options_.output_patience));
    forget_if_finished(id);
  }
}

void process_service::poll_loop::handle(const stop&) {
  stopping_ = true;
  std::vector<end> all;
  for (const auto& [id, child] : children_)
    all.push_back({{id, child.use()}, std::nullopt});
  for (const auto& one : all)
    handle(one);
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

} // namespace tune

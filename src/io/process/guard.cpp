// SPDX-License-Identifier: BSD-3-Clause
#include "guard.hpp"

#include "cgroup.hpp"
#include "guard_wire.hpp"
#include "own_limits.hpp"
#include "proc_files.hpp"
#include "spawn.hpp"
#include "supervised_process.hpp"
#include "tune/io/process/notice_signal.hpp"
#include "tune/io/process/shortage.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <deque>
#include <string>
#include <string_view>

namespace tune {

namespace {

/// Descriptors below this are kept occupied, so that received ones never get a number that a trial
/// process uses.
constexpr int first_free_fd = 16;
/// Descriptors reserved for reading /proc, which is the only way to find what a trial left behind.
constexpr std::size_t own_fds = 4;
/// Messages handled before dead processes are reaped again.
constexpr int messages_per_turn = 32;

/// The guard's main loop: takes orders and reports deaths.
class guard {
public:
  guard(unique_fd socket, unique_fd signals, int null)
      : socket_{std::move(socket)}, signals_{std::move(signals)}, null_{null} {
    say(guard_wire::hello{});
  }

  /// Runs until the node and all processes are gone.
  /// @returns the obituary program to run then; empty for none.
  std::vector<std::string> run() {
    for (;;) {
      supervised_processes_.reap();
      auto next = supervised_processes_.pass();
      flush();
      if (orphaned_ && supervised_processes_.empty() && supervised_processes_.clear_strays())
        return std::move(obituary_);
      wait(next);
      drain_signals();
      if (!orphaned_ && !limits_.restore())
        end_for_lack_of_limits();
      if (!orphaned_)
        take_orders();
    }
  }

private:
  unique_fd socket_;
  unique_fd signals_;
  int null_;
  bool orphaned_ = false;
  std::vector<std::string> obituary_;
  std::deque<guard_wire::message> outbox_;
  process_table supervised_processes_{&guard::on_farewell, this};
  own_limits limits_;

  static void on_farewell(void* self, const guard_wire::exited& last_word) {
    static_cast<guard*>(self)->say(last_word);
  }

  void say(guard_wire::message what) {
    if (!orphaned_)
      outbox_.push_back(std::move(what));
  }

  void flush() {
    while (!outbox_.empty() && !orphaned_) {
      auto result = guard_wire::send(socket_.get(), outbox_.front());
      if (result == guard_wire::io_result::would_block)
        return;
      if (result != guard_wire::io_result::ok)
        lose_node();
      else
        outbox_.pop_front();
    }
  }

  void lose_node() {
    hear_last_words();
    orphaned_ = true;
    outbox_.clear();
    supervised_processes_.end_all();
  }

  /// Ends the guard after another process has permanently lowered its limits, which new processes
  /// would inherit. Another guard can do better, as after a kill.
  void end_for_lack_of_limits() {
    orphaned_ = true;
    obituary_.clear();
    outbox_.clear();
    socket_.reset();
    supervised_processes_.kill_all();
  }

  /// A node that ends in order revokes its obituary but may leave messages of the guard unread:
  /// these cause an error on the socket before that message.
  void hear_last_words() {
    for (auto errors = 0; errors < 2;) {
      auto got = guard_wire::receive(socket_.get());
      if (got.result == guard_wire::io_result::failed)
        ++errors;
      else if (got.result != guard_wire::io_result::ok)
        return;
      else if (auto* words = got.what ? std::get_if<guard_wire::obituary>(&*got.what) : nullptr)
        obituary_ = std::move(words->argv);
    }
  }

  void wait(std::optional<std::chrono::milliseconds> limit) {
    auto wanted = static_cast<short>(outbox_.empty() ? POLLIN : POLLIN | POLLOUT);
    std::array<pollfd, 2> fds{pollfd{signals_.get(), POLLIN, 0},
                              pollfd{orphaned_ ? -1 : socket_.get(), wanted, 0}};
    // When orphaned, poll: the death of some strays raises no signal here and must not keep the
    // guard for ever.
    auto longest = orphaned_ ? 100 : 60'000;
    auto timeout = limit ? static_cast<int>(std::min<std::int64_t>(limit->count(), longest))
                         : (orphaned_ ? longest : -1);
    ::poll(fds.data(), fds.size(), timeout);
  }

  void drain_signals() {
    std::array<signalfd_siginfo, 16> buffer;
    while (::read(signals_.get(), buffer.data(), sizeof buffer) > 0) {}
  }

  void take_orders() {
    for (int i = 0; i < messages_per_turn; ++i) {
      auto got = guard_wire::receive(socket_.get());
      if (got.result == guard_wire::io_result::would_block)
        return;
      if (got.result != guard_wire::io_result::ok) {
        lose_node();
        return;
      }
      if (!got.what)
        continue;
      if (auto* order = std::get_if<guard_wire::launch>(&*got.what))
        start(std::move(*order), std::move(got.fds), got.fds_lost);
      else if (const auto* request = std::get_if<guard_wire::end>(&*got.what))
        end(*request);
      else if (const auto* question = std::get_if<guard_wire::look>(&*got.what))
        look(*question);
      else if (std::holds_alternative<guard_wire::ping>(*got.what))
        say(guard_wire::pong{});
      else if (auto* words = std::get_if<guard_wire::obituary>(&*got.what))
        obituary_ = std::move(words->argv);
    }
  }

  void end(const guard_wire::end& order) {
    if (auto* what = supervised_processes_.find(order.id))
      supervised_processes_.end(*what, order.grace);
  }

  void look(const guard_wire::look& question) {
    if (const auto* what = supervised_processes_.find(question.id))
      say(guard_wire::seen{question.id, supervised_processes_.is_alone(*what)});
  }

  void refuse(std::uint64_t id, error why) {
    guard_wire::exited word;
    word.id = id;
    word.how = guard_wire::exited::kind::not_started;
    word.text = std::move(why.detail);
    word.fault = why.code;
    say(std::move(word));
  }

  [[nodiscard]] static error too_few_descriptors(const std::string& doing) {
    return {ec::shortage, "cannot " + doing + ": " + text_of_shortage(EMFILE)};
  }

  /// Whether `count` more descriptors can be opened.
  [[nodiscard]] bool has_room(std::size_t count) const {
    std::vector<unique_fd> all;
    while (all.size() < count) {
      all.emplace_back(::fcntl(null_, F_DUPFD_CLOEXEC, first_free_fd));
      if (!all.back())
        return false;
    }
    return true;
  }

  void start(guard_wire::launch order, std::vector<unique_fd> fds, bool fds_lost) {
    auto wanted = std::size_t{order.has_stdout} + order.has_stderr + 2u * order.has_protocol;
    if (fds_lost || fds.size() != wanted)
      return refuse(order.id, too_few_descriptors("take over the process's pipes"));
    supervised_process made;
    made.id = order.id;
    made.tag = std::move(order.tag);
    made.grace = order.grace;
    made.born = proc_files::now_in_ticks();
    // Checked before the group is made: without descriptors there would be no group, and so no
    // limit.
    if (!has_room(own_fds + 1))
      return refuse(order.id, too_few_descriptors("look after a further process"));
    if (order.memory_limit != 0)
      limit_memory(order, made);
    auto pid = spawn(plan_of(order, made, fds));
    if (!pid)
      return refuse(order.id, pid.error());
    made.pid = *pid;
    say(guard_wire::started{made.id, made.pid});
    supervised_processes_.add(std::move(made));
  }

  void limit_memory(guard_wire::launch& order, supervised_process& made) {
    made.group = cgroup::make(cgroup::own_name(std::to_string(order.id)), order.memory_limit);
    made.lacks_group = !made.group;
    if (!made.group && order.address_space_fallback)
      order.limits.emplace_back(RLIMIT_AS, order.memory_limit);
  }

  [[nodiscard]] spawn_order plan_of(guard_wire::launch& order, const supervised_process& made,
                                    const std::vector<unique_fd>& fds) const {
    spawn_order result;
    result.argv = std::move(order.argv);
    result.env = std::move(order.env);
    result.directory = std::move(order.directory);
    result.limits = std::move(order.limits);
    result.cgroup_members = made.group ? made.group->members_fd() : -1;
    std::size_t next = 0;
    auto take = [&](bool there) { return there ? fds[next++].get() : null_; };
    result.fds = {null_, take(order.has_stdout), take(order.has_stderr)};
    if (!order.has_protocol)
      return result;
    auto report = take(true);
    auto answer = take(true);
    if (order.protocol_is_standard) {
      result.fds[0] = answer;
      result.fds[1] = report;
    } else {
      result.fds.insert(result.fds.end(), {report, answer});
    }
    return result;
  }
};

/// Moves `fd` above the descriptors of future processes, and occupies the lower ones.
unique_fd clear_low_fds(int fd, int null) {
  unique_fd result{::fcntl(fd, F_DUPFD_CLOEXEC, first_free_fd)};
  for (int low = 0; low < first_free_fd; ++low) {
    if (low != null)
      ::dup3(null, low, O_CLOEXEC);
  }
  return result;
}

/// Forgets the signals that came while they were blocked: they were meant for the node.
void forget_signals() {
  for (int number = 1; number < NSIG; ++number) {
    ::signal(number, SIG_IGN);
    ::signal(number, SIG_DFL);
  }
}

/// Replaces this process by another program. @returns only if it cannot be run.
void become(std::vector<std::string> argv) {
  forget_signals();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::vector<char*> words;
  for (auto& x : argv)
    words.push_back(x.data());
  words.push_back(nullptr);
  ::execv(words.front(), words.data());
}

unique_fd open_signals() {
  // TERM and similar signals are meant for the node, whose end shows at the socket.
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  sigset_t deaths;
  ::sigemptyset(&deaths);
  ::sigaddset(&deaths, SIGCHLD);
  return unique_fd{::signalfd(-1, &deaths, SFD_CLOEXEC | SFD_NONBLOCK)};
}

} // namespace

std::optional<int> guard_main(int argc, char** argv) {
  if (argc < 3 || std::string_view{argv[1]} != "__tune-guard")
    return std::nullopt;
  std::string_view text{argv[2]};
  auto fd = -1;
  std::from_chars(text.data(), text.data() + text.size(), fd);
  auto null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  auto high_null = ::fcntl(null, F_DUPFD_CLOEXEC, first_free_fd);
  auto socket = clear_low_fds(fd, null);
  if (!socket || high_null < 0 || ::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
    return 1;
  ::prctl(PR_SET_NAME, "tune-guard");
  if (const auto* ignored = std::getenv(guard_ignores))
    set_notice_signal(std::atoi(ignored));
  if (::chdir("/") != 0)
    return 1;
  remove_left_groups();
  auto obituary = guard{std::move(socket), open_signals(), high_null}.run();
  remove_left_groups();
  if (!obituary.empty())
    become(std::move(obituary));
  return 0;
}

} // namespace tune

/// The thread behind a process service.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "child_process.hpp"
#include "file_watch.hpp"
#include "guard.hpp"

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

namespace tune {

class process_service::poll_loop {
public:
  struct launch {
    std::uint64_t id;
    process_order what;
    std::shared_ptr<process_listener> who;
  };
  struct resume {
    process_handle which;
    pipe_role role;
  };
  struct answer {
    process_handle which;
    std::string line;
  };
  struct end_answers {
    process_handle which;
  };
  struct end {
    process_handle which;
    /// Empty for the grace of the order.
    std::optional<std::chrono::milliseconds> grace;
  };
  struct park {
    process_handle which;
    std::shared_ptr<process_listener> holder;
  };
  struct hand_on {
    process_handle which;
    process_turn how;
    std::shared_ptr<process_listener> who;
    std::string line;
  };
  /// Sent when files of the process have room again or are finished.
  struct written {
    std::uint64_t id;
  };
  /// Result of a search for the directories of watched files.
  struct looked {
    std::uint64_t id;
    file_watch::found what;
  };
  /// Ends all processes, then the thread.
  struct stop {};
  using request = std::variant<launch, resume, answer, end_answers, end, park, hand_on, written,
                               looked, stop>;

  poll_loop(process_service_options options, guard_connection guard);
  ~poll_loop();

  /// Starts the thread. Call it once, before anything else.
  /// @errors `ec::shortage` if there is no thread or descriptor for it.
  [[nodiscard]] expected<void> begin();

  void post(request what) { mail_->put(std::move(what)); }
  [[nodiscard]] std::uint64_t next_id() { return ++last_id_; }
  [[nodiscard]] pid_t guard_pid() const { return guard_pid_; }

private:
  /// Requests to the loop. Shared with writer threads, which may outlive the loop.
  struct mailbox {
    std::mutex mutex;
    std::vector<request> requests;
    unique_fd wake;

    void put(request what);
    [[nodiscard]] std::vector<request> take();
  };

  /// A launch by its id, an end, a look, or a ping to the guard.
  using errand = std::variant<std::uint64_t, guard_wire::end, guard_wire::look, guard_wire::ping>;

  /// Keys of process 0: the wake-up event, the guard's socket, and the watched files.
  static constexpr pipe_watch::key wake_key{0, pipe_role::out};
  static constexpr pipe_watch::key guard_key{0, pipe_role::err};
  static constexpr pipe_watch::key files_key{0, pipe_role::report};
  /// Time for a killed process to disappear.
  static constexpr std::chrono::seconds death_patience{2};

  process_service_options options_;
  std::atomic<std::uint64_t> last_id_ = 0;
  std::atomic<pid_t> guard_pid_ = 0;
  std::shared_ptr<mailbox> mail_ = std::make_shared<mailbox>();

  // The members below are used by the thread only.
  guard_connection guard_;
  pipe_watch watch_;
  file_watch files_;
  output_threads writers_;
  child_means means_;
  std::map<std::uint64_t, child_process> children_;
  /// Errands for the guard, in order.
  std::deque<errand> outgoing_;
  /// True while a ping is in `outgoing_` or awaits its answer.
  bool asks_guard_ = false;
  /// True if orders went out after that ping, or a process may have ended since.
  bool asks_again_ = false;
  /// Deadline for the guard's next message; empty while none is due.
  std::optional<std::chrono::steady_clock::time_point> guard_due_;
  /// Ids of processes that the guard knows.
  std::map<std::uint64_t, bool> sent_;
  /// True while the guard's socket is full; epoll reports when it takes more.
  bool guard_is_full_ = false;
  bool stopping_ = false;
  /// While stopping: since when no process is left, and the deadline for their files.
  std::optional<std::chrono::steady_clock::time_point> alone_since_;
  std::optional<std::chrono::steady_clock::time_point> files_due_;
  std::vector<char> buffer_;
  std::thread thread_;

  void run();
  void take_requests();
  void handle(launch what);
  void handle(const resume& what);
  void handle(const answer& what);
  void handle(const end_answers& what);
  void handle(const end& what);
  void handle(park what);
  void handle(hand_on what);
  void handle(const written& what);
  void handle(const looked& what);
  void handle(const stop& what);
  void give_up_files();

  [[nodiscard]] bool listen_to_guard();
  void hear_guard();
  void hear(const guard_wire::message& news, std::vector<std::uint64_t>& fresh);
  void order(errand what);
  void ask_whether_guard_lives();
  void expect_guard();
  [[nodiscard]] int patience_ms() const;
  /// "10 s".
  [[nodiscard]] static std::string text_of(std::chrono::milliseconds duration);
  void give_up_silent_guard();
  void lose_guard(const std::string& why);
  /// @errors Never `ec::process`: no command is at fault.
  [[nodiscard]] expected<void> ensure_guard();
  void leave_obituary();
  void send_outgoing();
  [[nodiscard]] guard_wire::io_result send_launch(std::uint64_t id);
  [[nodiscard]] guard_wire::io_result send_outgoing(const errand& what);
  [[nodiscard]] guard_wire::io_result ask_guard();

  void watch_files(std::uint64_t id, const process_order& what);
  void look_for_files(std::uint64_t id);
  void hear_of_files();

  child_process* find(std::uint64_t id);
  /// Null also if the process has another listener by now.
  child_process* find(process_handle which);
  void fail(std::uint64_t id, error why);
  void finish(std::uint64_t id, exit_info how);
  void forget_if_finished(std::uint64_t id);
};

} // namespace tune

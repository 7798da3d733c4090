/// How many commands of clients a submission server has under way, and how their output goes back.
/// They are carried out by a command runner (apps/tune-node/head).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "submitted_job.hpp"
#include "tune/net/submission_server.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace tune {

/// The running commands with their clients. Each has a runner of its own, so that a command whose
/// disk does not answer holds up no other.
class remote_commands {
public:
  /// Commands at a time, of all clients and of one certificate. Commands that last have places of
  /// their own: however many wait, a trial can be stopped.
  struct limits {
    std::size_t of_all = 0;
    std::size_t of_one = 0;
  };
  static constexpr limits of_short{32, 16};
  static constexpr limits of_lasting{96, 64};
  /// Commands at a time of one connection.
  static constexpr std::size_t most_of_connection = 4;

  /// @param self  The submission server, which owns this.
  /// @param ended Called when a command has ended.
  void init(submission_server_impl::pointer self,
            std::function<expected<command_runner_actor>(remote_command, std::string)> hire,
            std::function<void()> ended) {
    self_ = self;
    hire_ = std::move(hire);
    ended_ = std::move(ended);
  }
  ~remote_commands();

  /// Begins a command and has its first output sent to `who`.
  /// @param identity As `submission_server_settings::identity_of` has it.
  void begin(const command_wanted& what, const follower_actor& who, const std::string& identity);
  /// Has the next output sent.
  void go_on(const output_wanted& what, const follower_actor& who);
  /// Ends all commands of a client that is gone.
  void forget(const follower_actor& who);
  /// Whether no command runs.
  [[nodiscard]] bool is_idle() const { return running_.empty(); }

private:
  struct running {
    command_runner_actor runner;
    std::string identity;
    bool lasts = false;
  };
  /// Client and its number for the command.
  using key = std::pair<follower_actor, std::uint64_t>;

  submission_server_impl::pointer self_ = nullptr;
  std::function<expected<command_runner_actor>(remote_command, std::string)> hire_;
  std::function<void()> ended_;
  std::map<key, running> running_;

  [[nodiscard]] expected<void> has_room_for(const remote_command& what, const follower_actor& who,
                                            const std::string& identity) const;
  void ask(const key& which, const command_runner_actor& runner);
  void answer(const key& which, remote_output what);
  void refuse(const key& which, const error& why);
};

} // namespace tune

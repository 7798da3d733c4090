/// A client's connection to a standing head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/client_messages.hpp"
#include "tune/net/dial.hpp"
#include "tune/net/submission_actors.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tune {

/// Outcome of an experiment that was submitted.
struct experiment_fate {
  /// How the experiment ended; see `experiment_ended::text`. Empty: the head is out of reach.
  std::string text;
  bool has_rows = false;
  /// Why the head is out of reach.
  std::string lost;
};

struct head_client_settings {
  head_dialer dial;
  /// Name of the head for texts: its errors begin with it, as the dialer's do.
  std::string where;
  std::string cluster = "default";
  /// Name of the client for people: "me@laptop".
  std::string name;
  build_identity build = this_build();
};

/// Talks to a head about one experiment. Calls block, and may come from several threads.
class head_client {
public:
  /// @param system Must outlive the client; see `dial`.
  /// @errors `ec::unreachable`; `ec::refused` if the head refuses the client, with the cause.
  [[nodiscard]] static expected<std::unique_ptr<head_client>> connect(caf::actor_system& system,
                                                                      head_client_settings how);
  /// A client of the head that this process is; nothing of it can fail.
  [[nodiscard]] static std::unique_ptr<head_client>
  at_home(caf::actor_system& system, const submission_server_local_actor& head);
  /// Closes the connection; a submitted experiment that is not over goes on.
  ~head_client();
  head_client(const head_client&) = delete;
  head_client& operator=(const head_client&) = delete;

  /// Submits an experiment, at most once, and waits until its files are at the head and it runs,
  /// however long that takes.
  /// @errors those of the head; `ec::unreachable`.
  [[nodiscard]] expected<submission_taken> submit(const submission_message& words, job_offer files);
  /// Returns to an experiment that the same certificate submitted.
  /// @param words Only name, sender and rows count.
  /// @errors `ec::unknown_name` if no experiment of that name runs; `ec::refused` if it is
  /// another's;
  ///                 `ec::unreachable`.
  [[nodiscard]] expected<submission_taken> attach(submission_message words);
  /// Makes a submission under way fail. No effect if there is none.
  void withdraw();

  /// Asks about the experiment. @returns the answer's JSON.
  /// @errors `ec::unreachable`, `ec::timeout`.
  [[nodiscard]] expected<std::string> ask(const client_request& what);
  /// Like `ask`, but does not wait for the answer.
  void tell(const client_request& what);

  /// Has the head carry a command out, and waits for its end.
  /// @param take Gets the output as it comes: bytes for stdout, and for stderr. False: no more is
  ///             wanted, and the command is left alone.
  /// @returns its exit status.
  /// @errors what the head refuses it with; `ec::unreachable`, `ec::timeout`.
  [[nodiscard]] expected<int>
  carry_out(const remote_command& what,
            const std::function<bool(std::string_view out, std::string_view err)>& take);

  /// Outcome of the experiment, if it is known or becomes known within `patience`.
  [[nodiscard]] std::optional<experiment_fate> wait_for(std::chrono::milliseconds patience);

private:
  class impl;
  std::unique_ptr<impl> impl_;
  explicit head_client(std::unique_ptr<impl> what);
};

} // namespace tune

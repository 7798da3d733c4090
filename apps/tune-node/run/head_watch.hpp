/// Follows an experiment that runs at a head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "head/status_messages.hpp"
#include "run/screen.hpp"
#include "tune/net/head_client.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace tune::cli {

/// What a head says, with the command that lifts a pause as it is entered here.
/// @param directory The experiment's, at the head.
[[nodiscard]] std::string entered_here(std::string text, const std::string& directory);

/// Polls the head on a thread of its own, and has a screen show the answers.
class head_watch {
public:
  /// @param where Must outlive it. @param live Whether the screen is redrawn, and so needs more
  ///         information.
  head_watch(head_client& where, bool live) : where_{where}, live_{live} {}
  ~head_watch();
  head_watch(const head_watch&) = delete;
  head_watch& operator=(const head_watch&) = delete;

  /// Begins; `to.run` returns when the experiment is over or the head is out of reach.
  /// @param what The experiment at the head.
  void show_on(std::shared_ptr<screen> to, const submission_taken& what);

  /// The last state received.
  [[nodiscard]] std::optional<run_snapshot> latest() const;

  /// The end of the experiment. To be called after the screen's end.
  /// @errors `ec::unreachable`; `ec::protocol`.
  [[nodiscard]] const expected<final_status>& end() const { return end_; }
  [[nodiscard]] bool has_rows() const { return has_rows_; }

private:
  head_client& where_;
  bool live_;
  std::uint64_t key_ = 0;
  /// The experiment's directory at the head.
  std::string directory_;
  std::shared_ptr<screen> screen_;
  std::thread thread_;
  /// Number of the last event shown.
  std::uint64_t shown_ = 0;
  mutable std::mutex mutex_;
  std::optional<run_snapshot> latest_;
  expected<final_status> end_ = error{ec::internal, "it is not over"};
  bool has_rows_ = false;

  void follow();
  void look();
  void show(const std::vector<feed_event>& events);
  void conclude(const experiment_fate& how);
};

} // namespace tune::cli

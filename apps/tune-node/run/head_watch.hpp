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

/// Asks the head again and again, on a thread of its own, and has a screen show what it says.
class head_watch {
public:
  /// @param where Outlives it. @param live The screen is redrawn: it wants to know more.
  head_watch(head_client& where, bool live) : where_{where}, live_{live} {}
  ~head_watch();
  head_watch(const head_watch&) = delete;
  head_watch& operator=(const head_watch&) = delete;

  /// Begins; `to.run` returns when the experiment is over or the head out of reach.
  /// @param key What the head calls the experiment.
  void show_on(std::shared_ptr<screen> to, std::uint64_t key);

  /// The state that was last heard of.
  [[nodiscard]] std::optional<run_snapshot> latest() const;

  /// What became of the experiment. After the screen's end.
  /// @errors `ec::unreachable`; `ec::protocol`.
  [[nodiscard]] const expected<final_status>& end() const { return end_; }
  [[nodiscard]] bool has_rows() const { return has_rows_; }

private:
  head_client& where_;
  bool live_;
  std::uint64_t key_ = 0;
  std::shared_ptr<screen> screen_;
  std::thread thread_;
  /// Number of the last event that was shown.
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

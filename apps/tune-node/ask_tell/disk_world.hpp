/// The real surroundings of a conversation: the experiment's database, the clock, stderr.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/ask_tell/conversation.hpp"
#include "tune/io/sinks/trial_files/trial_files.hpp"
#include "tune/io/store/experiment_store.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace tune::cli {

class disk_world final : public conversation_ports {
public:
  /// @param trial_files Whether to write readable files for each trial, too.
  disk_world(std::shared_ptr<experiment_store> store, bool trial_files, bool quiet);

  /// Sets the time that the experiment had run before: time goes on from there.
  void go_on_from(instant before) { before_ = before; }

  [[nodiscard]] instant now() const override;
  [[nodiscard]] std::int64_t wall_ms() const override;
  [[nodiscard]] expected<void> commit(std::span<const store_item> items) override;
  void warn(const std::string& text) override;

  /// @param tell Called when more of the experiment is on disk.
  void tell_of_commits(std::function<void()> tell) { committed_ = std::move(tell); }

  /// Brings the trial files up to date, unless that was done a moment ago. Warns once if they
  /// cannot be written.
  void write_files(bool at_once);

private:
  using clock = std::chrono::steady_clock;

  std::shared_ptr<experiment_store> store_;
  bool wants_files_;
  bool quiet_;
  std::unique_ptr<trial_files> files_;
  std::function<void()> committed_;
  clock::time_point began_ = clock::now();
  clock::time_point written_ = clock::now();
  instant before_{0};

  [[nodiscard]] expected<void> catch_up();
};

} // namespace tune::cli

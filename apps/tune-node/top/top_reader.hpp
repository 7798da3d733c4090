/// Reads for the full-screen view on a thread of its own, so that keys never wait for a disk or a
/// head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "top/top_source.hpp"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace tune::cli {

/// All members may be called by one other thread.
class top_reader {
public:
  /// Time between two readings of the same.
  static constexpr std::chrono::milliseconds pace{1000};

  /// All signals are held on the thread.
  explicit top_reader(std::unique_ptr<top_source> from);
  /// Waits for a reading that goes on.
  ~top_reader();
  top_reader(const top_reader&) = delete;
  top_reader& operator=(const top_reader&) = delete;

  /// Reads this soon, and again at its pace.
  void want(top_wish wish);
  /// Has an order carried out before the next reading.
  void order(client_command what);

  /// What was read since the last call.
  [[nodiscard]] std::optional<expected<top_data>> take();
  /// What became of an order since the last call.
  [[nodiscard]] std::optional<std::string> take_told();

private:
  std::unique_ptr<top_source> from_;
  std::mutex guard_;
  std::condition_variable changed_;
  top_wish wish_;
  bool is_new_ = true;
  bool is_over_ = false;
  std::optional<client_command> order_;
  std::optional<expected<top_data>> data_;
  std::optional<std::string> told_;
  std::thread thread_;

  void run();
};

} // namespace tune::cli

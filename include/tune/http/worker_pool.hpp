/// A few threads that carry out what may block.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tune::http {

/// Carries out tasks in order, several at a time. For any thread.
class worker_pool {
public:
  /// @param most Tasks that may wait.
  /// @errors `ec::shortage` if a thread cannot be started.
  [[nodiscard]] static expected<std::unique_ptr<worker_pool>> start(std::size_t threads,
                                                                    std::size_t most);
  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;
  /// Waits for the tasks that have begun; the others are dropped.
  ~worker_pool() { stop(); }

  /// @param task May not throw. @returns false if too many wait already.
  [[nodiscard]] bool post(std::function<void()> task);
  void stop();

private:
  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool ends_ = false;
  std::vector<std::thread> threads_;

  explicit worker_pool(std::size_t most) : most_{most} {}
  void work();
};

} // namespace tune::http

/// The thread that reads the output of a node's programs for metrics. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace tune {

/// Work that is done in small pieces.
class piecework {
public:
  virtual ~piecework() = default;
  /// Does one piece. @returns whether there is more; if not, further work needs another `bring`.
  virtual bool work() = 0;
};

/// One per node: matching an expression may take long on a line, and must hold up nobody else.
/// Workers take turns by time, so that a slow one gets no more than its share.
class pattern_thread {
public:
  pattern_thread();
  ~pattern_thread();
  pattern_thread(const pattern_thread&) = delete;
  pattern_thread& operator=(const pattern_thread&) = delete;

  /// Queues `what` to work soon. It must not be queued already.
  void bring(std::shared_ptr<piecework> what);

private:
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<std::shared_ptr<piecework>> waiting_;
  bool ending_ = false;
  std::thread thread_;

  void run();
};

} // namespace tune

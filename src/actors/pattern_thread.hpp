/// The thread that reads the output of a node's programs for metrics. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace tune {

/// Work that comes in small pieces.
class piecework {
public:
  virtual ~piecework() = default;
  /// Does one piece. @returns whether there is more; else it has to be brought again.
  virtual bool work() = 0;
};

/// One per node: an expression may take long on a line, and nobody else shall wait for it. Workers
/// take turns by time, so that a slow one takes its share only.
class pattern_thread {
public:
  pattern_thread();
  ~pattern_thread();
  pattern_thread(const pattern_thread&) = delete;
  pattern_thread& operator=(const pattern_thread&) = delete;

  /// Has `what` work soon. It must not be waiting for its turn already.
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

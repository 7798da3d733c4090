/// Threads that train, one attempt after the other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

namespace tune {

/// Keeps threads for their next work: starting one costs more than a short trial. Thread-safe.
///
/// Nobody waits for work that hangs: its thread holds what it needs by itself, and when the work
/// ends after all it takes up other work or goes.
class training_threads {
public:
  training_threads();
  /// Sends idle threads away; busy ones go when their work is done.
  ~training_threads();
  training_threads(const training_threads&) = delete;
  training_threads& operator=(const training_threads&) = delete;

  /// Begins `work` at once, on an idle thread or a new one.
  /// @returns 0, or the errno by which no thread can be had.
  [[nodiscard]] int run(std::function<void()> work);

private:
  struct shared;
  std::shared_ptr<shared> shared_;

  static void serve(const std::shared_ptr<shared>& all, std::function<void()> work);
};

} // namespace tune

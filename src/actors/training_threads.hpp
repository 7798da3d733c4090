/// Threads that train, each for one attempt after the other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

namespace tune {

/// Keeps idle threads for further work: starting one costs more than a short trial. Thread-safe.
///
/// Nobody waits for work that hangs: its thread owns everything it needs, and if the work ends
/// after all, the thread takes up other work or ends.
class training_threads {
public:
  training_threads();
  /// Ends idle threads; busy ones end when their work is done.
  ~training_threads();
  training_threads(const training_threads&) = delete;
  training_threads& operator=(const training_threads&) = delete;

  /// Begins `work` at once, on an idle thread or a new one.
  /// @returns 0, or the errno for which no thread could be started.
  [[nodiscard]] int run(std::function<void()> work);

private:
  struct shared;
  std::shared_ptr<shared> shared_;

  static void serve(const std::shared_ptr<shared>& all, std::function<void()> work);
};

} // namespace tune

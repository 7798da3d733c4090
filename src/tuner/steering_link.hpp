/// Connects a program's handles to the experiment that its tuner runs. Private to the tuner.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/tuner/experiment_actors.hpp"

#include <filesystem>
#include <mutex>
#include <shared_mutex>

namespace tune {

/// Refers to the set of actors under way, if there is one, and keeps it alive while a caller uses
/// it.
class steering_link {
public:
  /// Starts `whom`, which is under way from then on, with `where` as its directory. Callers that
  /// come meanwhile, perhaps from a trial that began already, wait until it is.
  expected<void> begin(experiment_actors& whom, std::filesystem::path where) {
    std::lock_guard guard{mutex_};
    auto began = whom.start();
    if (began) {
      experiment_actors_ = &whom;
      directory_ = std::move(where);
    }
    return began;
  }
  /// Marks that none is under way. Waits for callers that use it.
  void end() {
    std::lock_guard guard{mutex_};
    experiment_actors_ = nullptr;
  }

  /// Calls `f` with the set of actors under way. @returns whether there is one.
  template <class F>
  bool with_experiment_actors(F f) const {
    std::shared_lock guard{mutex_};
    if (experiment_actors_ != nullptr)
      f(*experiment_actors_);
    return experiment_actors_ != nullptr;
  }

  /// Directory of the last experiment; empty: there was none.
  [[nodiscard]] std::filesystem::path directory() const {
    std::shared_lock guard{mutex_};
    return directory_;
  }

private:
  mutable std::shared_mutex mutex_;
  experiment_actors* experiment_actors_ = nullptr;
  std::filesystem::path directory_;
};

} // namespace tune

/// Between the runner and the user's callback: what is thrown there stays there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/runner.hpp"
#include "tune/trainable/drive.hpp"
#include "tune/tuner/tuner.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>

namespace tune {

/// Hands an experiment's news on, one at a time, keeps the warnings, and waits for the end.
class relay : public run_observer {
public:
  /// @param to May be null.
  explicit relay(std::shared_ptr<tuner_callback> to) : to_{std::move(to)} {}

  void began(const std::filesystem::path& directory) {
    call([&](tuner_callback& x) { x.began(directory); });
  }
  void listens(const std::string& address) {
    call([&](tuner_callback& x) { x.listens(address); });
  }
  void worker_changed(const std::string& line) {
    call([&](tuner_callback& x) { x.worker_changed(line); });
  }
  void trial_changed(const cmd::trial_changed& what, instant now) override {
    call([&](tuner_callback& x) { x.trial_changed(what, now); });
  }
  void attempt_failed(const cmd::attempt_changed& what, bool again, instant now) override {
    call([&](tuner_callback& x) { x.attempt_failed(what, again, now); });
  }
  void warned(const std::string& text) override {
    keep(text);
    call([&](tuner_callback& x) { x.warned(text); });
  }
  /// From the thread of the trial files.
  void warned_by_files(const std::string& why) {
    warned("trial files are not written any more: " + why);
  }
  void finished(const run_summary& how) override {
    std::lock_guard guard{mutex_};
    if (!over_)
      over_ = how;
    changed_.notify_all();
  }
  /// Nothing more will come, and this is why.
  void broke(const std::string& why) {
    run_summary how;
    how.storage_error = why;
    finished(how);
  }

  /// Waits for the end.
  [[nodiscard]] run_summary wait() {
    std::unique_lock guard{mutex_};
    changed_.wait(guard, [this] { return over_.has_value(); });
    return *over_;
  }

  [[nodiscard]] std::vector<std::string> warnings() const {
    std::lock_guard guard{mutex_};
    return warnings_;
  }

private:
  /// Held while the callback runs; never together with `mutex_`.
  std::mutex calling_;
  std::shared_ptr<tuner_callback> to_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> warnings_;
  std::optional<run_summary> over_;

  void keep(std::string text) {
    std::lock_guard guard{mutex_};
    warnings_.push_back(std::move(text));
  }

  template <class F>
  void call(F f) {
    std::lock_guard guard{calling_};
    if (to_ == nullptr)
      return;
    try {
      f(*to_);
    } catch (...) {
      keep("the callback is not called any more, it threw: " + current_exception_text());
      to_ = nullptr;
    }
  }
};

} // namespace tune

/// Stands between the runner and the user's callback, whose delays and exceptions stay here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/runner.hpp"
#include "tune/tuner/tuner.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace tune {

/// Passes on an experiment's events, keeps the warnings, and waits for the end. The callback is
/// called from a thread of its own, one call at a time and in order: the sender of an event never
/// waits.
class relay : public run_observer {
public:
  /// Most reports and decisions that wait for a slow callback; further ones are dropped and
  /// counted.
  static constexpr std::size_t most_waiting = 10'000;

  /// @param to May be null.
  explicit relay(std::shared_ptr<tuner_callback> to) : to_{std::move(to)} {}
  relay(const relay&) = delete;
  relay& operator=(const relay&) = delete;
  ~relay() override { close(); }

  /// Begins to call the callback; events that came before are passed on first.
  /// @errors `ec::process` where no thread can be had.
  [[nodiscard]] expected<void> start();
  /// Returns when the callback has received all events so far; it gets no more from now on.
  void close();

  void began(const std::filesystem::path& directory) {
    hand_on([directory](tuner_callback& x) { x.began(directory); });
  }
  void listens(const std::string& address) {
    hand_on([address](tuner_callback& x) { x.listens(address); });
  }
  void worker_changed(const std::string& line) {
    hand_on([line](tuner_callback& x) { x.worker_changed(line); });
  }
  void trial_changed(const cmd::trial_changed& what, instant now) override {
    hand_on([what, now](tuner_callback& x) { x.trial_changed(what, now); });
  }
  void reported(const std::shared_ptr<const report>& what, instant now) override {
    hand_on([what, now](tuner_callback& x) { x.reported(*what, now); }, true);
  }
  void saved(const on::saved& what, instant now) override {
    hand_on([what, now](tuner_callback& x) { x.saved(what, now); });
  }
  void decided(const cmd::decision_taken& what, instant now) override {
    hand_on([what, now](tuner_callback& x) { x.decided(what, now); }, true);
  }
  void attempt_failed(const cmd::attempt_changed& what, bool again, instant now) override {
    hand_on([what, again, now](tuner_callback& x) { x.attempt_failed(what, again, now); });
  }
  void warned(const std::string& text) override;
  /// From the thread of the trial files.
  void warned_by_files(const std::string& why) {
    warned("trial files are not written any more: " + why);
  }
  void finished(const run_summary& how) override;
  /// Nothing more will come, for this reason.
  void broke(const std::string& why);

  /// Waits for the end.
  [[nodiscard]] run_summary wait();

  [[nodiscard]] std::vector<std::string> warnings() const;

private:
  using call = std::function<void(tuner_callback&)>;
  struct item {
    call what;
    bool may_be_left_out = false;
  };

  /// Null once it threw. Used only by the thread that calls it.
  std::shared_ptr<tuner_callback> to_;
  std::thread caller_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<item> waiting_;
  /// How many of the waiting items may be left out.
  std::size_t bulk_ = 0;
  std::uint64_t left_out_ = 0;
  bool closed_ = false;
  std::vector<std::string> warnings_;
  std::optional<run_summary> over_;

  void hand_on(call what, bool may_be_left_out = false);
  /// Calls until the relay is closed and nothing waits.
  void serve();
  void call_one(const call& what);
  void keep(std::string text);
};

} // namespace tune

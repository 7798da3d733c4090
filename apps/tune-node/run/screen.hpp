/// Shows a running experiment: a block on a terminal, plain lines elsewhere.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/painter.hpp"
#include "console/plain_lines.hpp"
#include "console/run_snapshot.hpp"
#include "console/style.hpp"
#include "tune/actors/runner.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

namespace tune::cli {

/// Options of a screen.
struct screen_options {
  std::vector<objective> objectives;
  /// Whether to redraw a block in place.
  bool redraw = false;
  bool quiet = false;
  style look;
  /// The experiment's directory as the user would name it; empty: it is not here.
  std::string directory = {};
  /// Asks the running experiment for its state; nothing if it does not answer.
  std::function<std::optional<run_snapshot>()> snapshot;
  /// The state in which it ended; nothing if unknown.
  std::function<std::optional<run_snapshot>(const run_summary&)> last = {};
};

/// Receives the events of an experiment and shows it on stderr. `run` belongs to one thread; events
/// come from another one, through a bounded queue.
class screen : public run_observer {
public:
  explicit screen(screen_options options);

  void trial_changed(const cmd::trial_changed& what, instant now) override;
  void attempt_failed(const cmd::attempt_changed& what, bool again, instant now) override;
  void warned(const std::string& text) override;
  void finished(const run_summary& how) override;

  /// Asks for a redraw. From any thread.
  void stir();
  /// Shows a line, from any thread.
  void say(std::string text);

  /// Shows events until the experiment is over. @returns how it ended.
  [[nodiscard]] run_summary run();
  /// Shows events received since `run` returned.
  void show_rest();

private:
  struct failure {
    cmd::attempt_changed what;
    bool again = false;
  };
  struct item {
    instant at{0};
    std::variant<cmd::trial_changed, failure, std::string> what;
  };
  /// Most events that wait. Beyond it ends of trials are only counted: a line each would be no
  /// help.
  static constexpr std::size_t most_waiting = 1000;
  /// Most failures that are shown in full where only lines are shown.
  static constexpr std::uint64_t most_failures = 100;

  screen_options options_;
  plain_lines lines_;
  painter painter_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<item> waiting_;
  std::uint64_t left_out_ = 0;
  std::uint64_t failures_told_ = 0;
  bool news_ = false;
  std::optional<run_summary> over_;
  /// Trials that failed for good and alike: the first of them, and their number.
  struct alike_failures {
    trial_id first;
    std::uint64_t count = 0;
  };
  std::map<std::string, alike_failures> alike_;

  void push(item what);
  [[nodiscard]] bool shows_lines() const { return !options_.redraw && !options_.quiet; }
  void print(const std::string& text);
  void show(const std::deque<item>& all, const std::optional<run_snapshot>& state);
  void show(const item& x);
  void show(const failure& x, instant at);
  bool may_tell_failure();
  bool tell_alike(const failure& x);
  void show_state(const run_snapshot& x);
  void show_last(const run_summary& how);
  void draw(instant now);
};

} // namespace tune::cli

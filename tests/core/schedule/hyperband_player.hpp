/// Drives HyperBand by hand: facts in a compact notation, verdicts carried out at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/hyperband/hyperband.hpp"

#include "support/scheduler_feed.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tune::support {

inline hyperband::settings with(double max_t, double eta, bool stop_last = true) {
  hyperband::settings result;
  result.max_t = max_t;
  result.reduction_factor = eta;
  result.stop_last_trials = stop_last;
  return result;
}

/// The actions without reasons and notes: "pause 3; stop 1; allow 2".
inline std::string verbs(const decision& what) {
  decision bare{what.cause, {}};
  for (const auto& x : what.actions) {
    if (!std::holds_alternative<annotate>(x.what))
      bare.actions.push_back({x.trial, x.what, {}});
  }
  return text_of(bare);
}

/// Tells a rule facts, and carries out its verdicts at once.
class hyperband_player {
public:
  hyperband_player(hyperband::form how, hyperband::settings what, bool maximise = true)
      : uut{std::move(how), std::move(what), maximise}, tell{uut} {}

  hyperband::hyperband_scheduler uut;
  scheduler_feed tell;
  std::set<trial_id> paused;

  void add(std::uint64_t from, std::uint64_t to) {
    for (auto i = from; i <= to; ++i)
      tell.add(i);
  }

  decision report(std::uint64_t trial, double time, double score) {
    return carry_out(uut.judge(tell.result(trial, time, score), {trial}));
  }

  /// Carries out in the runner's order: effects that need not wait for a running trial are told
  /// before the decision.
  decision carry_out(decision what) {
    auto rests = paused;
    for (const auto& x : what.actions) {
      const auto* ends = std::get_if<stop>(&x.what);
      if (ends != nullptr && rests.contains(x.trial))
        end(x.trial, *ends);
      else if (std::holds_alternative<allow>(x.what) && paused.erase(x.trial) > 0)
        tell.tell(fact::unpaused{x.trial});
    }
    tell.tell(fact::decided{what, {}});
    for (const auto& x : what.actions) {
      const auto* ends = std::get_if<stop>(&x.what);
      if (std::holds_alternative<pause_trial>(x.what)) {
        paused.insert(x.trial);
        tell.tell(fact::paused{x.trial, {1}});
      } else if (ends != nullptr && !rests.contains(x.trial)) {
        end(x.trial, *ends);
      }
    }
    return what;
  }
  void end(trial_id trial, const stop& how) {
    paused.erase(trial);
    tell.end(trial.number, how.completes ? fact::end_kind::completed : fact::end_kind::stopped);
  }

  decision stall() { return carry_out(uut.on_stall(1000)); }

  /// Trials that may start, in order.
  std::vector<std::uint64_t> next(std::uint32_t count = 100) const {
    std::vector<std::uint64_t> result;
    for (auto x : uut.choose(1, count).start)
      result.push_back(x.number);
    return result;
  }

  /// Starts all trials in the queue.
  void start_all() { tell.choose(1000); }
};
/// A full band of running trials with max_t 8 and reduction factor 2: its brackets are (4, 8), (4,
/// 4), (6, 2) and (8, 1).
class hyperband_band : public testing::Test {
protected:
  hyperband_player uut{hyperband::plain(), with(8, 2)};

  void SetUp() override {
    uut.add(0, 21);
    uut.start_all();
  }
};

} // namespace tune::support

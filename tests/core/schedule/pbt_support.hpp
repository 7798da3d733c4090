/// Populations for PBT tests, whose facts are told one by one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/pbt/pbt.hpp"

#include "support/scheduler_feed.hpp"
#include "support/scripted_dice.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace tune::samples {

/// Doubles the donor's `x`.
struct doubling : pbt::explorer {
  [[nodiscard]] pbt::explored explore(const pbt::heritage& what, pbt::dice&) const override {
    auto x = what.donor.config == nullptr ? value{1} : *what.donor.config->find("x");
    value twice{2 * x.number().value_or(0)};
    return {{{"x", twice}}, {{"x", x, twice, "doubled"}}};
  }
};

inline config_ptr config_of(double x) {
  return std::make_shared<const object>(object{{"x", x}});
}

/// Names of the actions: "go_on", "annotate+go_on", "save+pause", …
inline std::string verbs(const decision& what) {
  std::string result;
  for (const auto& x : what.actions)
    result += (result.empty() ? "" : "+") + std::string{name_of(x.what)};
  return result;
}

inline value reason(const decision& what, std::string_view name) {
  const auto& first = what.actions.front();
  const auto* notes = std::get_if<annotate>(&first.what);
  const auto* found = (notes != nullptr ? notes->notes : first.reason).find(name);
  return found != nullptr ? *found : value{};
}

/// A population of running trials with interval 10; the donor is the first of the upper quantile.
class pbt_rule : public testing::Test {
protected:
  pbt::settings settings{"pbt", "training_iteration", 10, 0, 0.25, true, false};
  std::unique_ptr<pbt::pbt_scheduler> uut;
  std::unique_ptr<support::scheduler_feed> tell;
  std::uint64_t checkpoints = 0;
  std::uint64_t donor = 0;

  void make(std::uint64_t trials, bool maximise = true) {
    uut = std::make_unique<pbt::pbt_scheduler>(settings, std::make_unique<doubling>(), 1, maximise,
                                               [this](const pbt::occasion&, trial_id) {
                                                 return std::make_unique<support::scripted_dice>(
                                                     std::deque<double>{},
                                                     std::deque<std::uint64_t>{donor});
                                               });
    tell = std::make_unique<support::scheduler_feed>(*uut);
    for (std::uint64_t i = 0; i < trials; ++i)
      add(i, static_cast<double>(i));
    for (std::uint64_t i = 0; i < trials; ++i)
      start(i);
  }
  void add(std::uint64_t trial, double x, bool again = false) {
    tell->tell(fact::added{{trial}, config_of(x), again});
  }
  void start(std::uint64_t trial) {
    tell->tell(fact::chosen{{0, {{trial}}}, {}});
    tell->tell(fact::started{{trial}});
  }
  std::uint64_t save(std::uint64_t trial, std::uint64_t iteration) {
    tell->tell(fact::saved{{trial}, {++checkpoints}, iteration});
    return checkpoints;
  }
  void pause(std::uint64_t trial, std::uint64_t iteration) {
    save(trial, iteration);
    tell->tell(fact::paused{{trial}, {checkpoints}});
  }
  /// Tells a result and has it judged; a requested save is made at once.
  decision result(std::uint64_t trial, double time, double score) {
    auto verdict = tell->judged(trial, time, score);
    for (const auto& x : verdict.actions) {
      if (std::holds_alternative<tune::save>(x.what))
        save(x.trial.number, static_cast<std::uint64_t>(time));
    }
    return verdict;
  }
  /// The decision on the last trial's report at the end of the interval: trial i has scores[i], and
  /// all others have reported.
  decision last_of(const std::vector<double>& scores) {
    make(scores.size());
    for (std::size_t i = 0; i + 1 < scores.size(); ++i)
      result(i, 10, scores[i]);
    return result(scores.size() - 1, 10, scores.back());
  }
  /// Decides a stall and records the decision.
  decision stall(std::vector<std::uint32_t> refused = {}) {
    auto what = uut->on_stall(100);
    tell->tell(fact::decided{what, std::move(refused)});
    return what;
  }
};

} // namespace tune::samples

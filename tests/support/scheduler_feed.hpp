/// Feeds a scheduler facts in a compact notation, for cases worked out by hand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/schedule/scheduler.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tune::support {

/// Numbers the facts and keeps them.
class scheduler_feed {
public:
  explicit scheduler_feed(scheduler& uut) : uut_{&uut} {}

  sequence tell(decltype(scheduler_fact::what) what) {
    log_.push_back({++seq_, instant{0}, std::move(what)});
    uut_->apply(log_.back());
    return seq_;
  }

  void add(std::uint64_t trial, bool again = false) { tell(fact::added{{trial}, nullptr, again}); }

  /// Tells a result. @returns its `seq`.
  sequence result(std::uint64_t trial, double time, double score) {
    fact::result what;
    what.trial = {trial};
    what.iteration = static_cast<std::uint64_t>(time > 0 && std::isfinite(time) ? time : 0);
    what.scores = {score};
    what.time = time;
    return tell(std::move(what));
  }

  /// Tells a result, has it judged, and records the verdict. @returns the decision.
  decision judged(std::uint64_t trial, double time, double score) {
    auto verdict = uut_->judge(result(trial, time, score), {trial});
    tell(fact::decided{verdict, {}});
    return verdict;
  }

  void complete(std::uint64_t trial, double time, double score, bool judged = false) {
    fact::ended what;
    what.trial = {trial};
    what.how = fact::end_kind::completed;
    what.scores = {score};
    what.time = time;
    what.judged = judged;
    tell(std::move(what));
  }

  void end(std::uint64_t trial, fact::end_kind how) {
    fact::ended what;
    what.trial = {trial};
    what.how = how;
    tell(std::move(what));
  }

  /// Has the scheduler choose, and records the choice.
  std::vector<std::uint64_t> choose(std::uint32_t count) {
    auto answer = uut_->choose(seq_, count);
    std::vector<std::uint64_t> result;
    for (auto x : answer.start)
      result.push_back(x.number);
    tell(fact::chosen{std::move(answer), {}});
    return result;
  }

  [[nodiscard]] const std::vector<scheduler_fact>& log() const { return log_; }

private:
  scheduler* uut_;
  std::vector<scheduler_fact> log_;
  sequence seq_ = 0;
};

[[nodiscard]] inline std::uint64_t digest(const scheduler& what) {
  fingerprint result;
  what.describe(result);
  return result.digest();
}

/// "go_on 3; stop 4 rule=asha rung=1": a form to compare by, since NaN must equal NaN.
[[nodiscard]] inline std::string text_of(const decision& what) {
  std::string result;
  auto append = [&](const object& facts) {
    for (const auto& [name, x] : facts)
      result += " " + name + "=" + to_text(x);
  };
  for (const auto& x : what.actions) {
    result += (result.empty() ? "" : "; ") + std::string{name_of(x.what)} + " "
              + std::to_string(x.trial.number);
    if (const auto* notes = std::get_if<annotate>(&x.what))
      append(notes->notes);
    append(x.reason);
  }
  return result;
}

} // namespace tune::support

/// A scheduler that follows a script, and answers that tests expect.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "io/ask_tell/talk.hpp"

#include "tune/core/schedule/fifo_queue.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace tune::samples {

inline constexpr auto go_on_zero
    = R"({"op":"decision","trial":"00000","decision":"continue","reason":""})";
inline constexpr auto ok = R"({"op":"ok"})";
inline constexpr auto finished = R"({"op":"none","reason":"finished"})";
inline constexpr auto waits = R"({"op":"none","reason":"wait"})";

/// Acts on each report as the script says, first come, first served; wakes all paused trials once
/// nothing runs.
class puppet : public scheduler {
public:
  /// Actions by trial and iteration.
  using script = std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<action>>;
  explicit puppet(script what) : script_{std::move(what)} {}

  [[nodiscard]] scheduler_traits traits() const override {
    scheduler_traits result;
    result.choose_ahead = 4;
    return result;
  }
  void apply(const scheduler_fact& what) override {
    queue_.apply(what);
    if (const auto* x = std::get_if<fact::result>(&what.what))
      last_[x->trial] = x->iteration;
    else if (const auto* rests = std::get_if<fact::paused>(&what.what))
      paused_.insert(rests->trial);
    else if (const auto* back = std::get_if<fact::unpaused>(&what.what))
      paused_.erase(back->trial);
    else if (const auto* over = std::get_if<fact::ended>(&what.what))
      paused_.erase(over->trial);
  }
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override {
    auto said = script_.find({trial.number, last_.at(trial)});
    if (said == script_.end())
      return {cause, {{trial, go_on{}, {}}}};
    return {cause, said->second};
  }
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override {
    return queue_.first(at, count);
  }
  [[nodiscard]] decision on_stall(sequence at) const override {
    decision result{at, {}};
    for (auto id : paused_)
      result.actions.push_back({id, allow{}, {}});
    return result;
  }
  void describe(fingerprint& into) const override { queue_.describe(into); }

private:
  script script_;
  fifo_queue queue_;
  std::map<trial_id, std::uint64_t> last_;
  std::set<trial_id> paused_;
};

inline recipe scripted(puppet::script what) {
  recipe result;
  result.judge = [what] { return std::make_unique<puppet>(what); };
  return result;
}

} // namespace tune::samples

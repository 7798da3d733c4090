// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/target_watch.hpp"

#include <algorithm>
#include <utility>

namespace tune::cli {

target_watch::target_watch(std::shared_ptr<trial_model> of, objective what, double enough,
                           std::function<instant()> clock)
    : of_{std::move(of)}, what_{std::move(what)}, enough_{enough}, clock_{std::move(clock)} {}

simulated_step target_watch::next(trial_id trial, const config_ptr& config, std::uint64_t done) {
  auto result = of_->next(trial, config, done);
  const auto* found = result.metrics ? result.metrics->find(what_.metric) : nullptr;
  auto number = found != nullptr ? found->number() : std::nullopt;
  if (!number || !(what_.maximise ? *number >= enough_ : *number <= enough_))
    return result;
  auto when = clock_() + result.takes;
  reached_ = reached_ ? std::min(*reached_, when) : when;
  return result;
}

} // namespace tune::cli

/// A made-up experiment, as the rules of a report see it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/study.hpp"

#include <cmath>
#include <limits>

namespace tune::cli {

/// Minimises `loss` over `lr` (log, 1e-4 to 1) and `act` (relu or tanh); 40 trials of ten
/// iterations each, of which number 20 is the best; all lie in the middle of `lr`.
inline study made_up_study() {
  study result;
  result.name = "made-up";
  result.metric = "loss";
  result.maximise = false;
  result.objectives = "minimise loss";
  result.searcher = "random";
  result.scheduler = "fifo";
  result.seed = 7;
  result.wanted = 40;
  result.status = "done";
  result.elapsed_s = 90;
  study_parameter lr{"lr", "loguniform(1e-4, 1)"};
  lr.log = true;
  lr.low = 1e-4;
  study_parameter act{"act", "choice(relu, tanh)", study_parameter::kind::list};
  act.values = {"relu", "tanh"};
  result.parameters = {lr, act};
  for (std::uint64_t i = 0; i < 40; ++i) {
    study_trial trial{{i}};
    trial.iterations = 10;
    trial.time_s = 2;
    trial.how.score = -1 - std::abs(static_cast<double>(i) - 20) / 10;
    trial.at = {0.005 + 0.001 * static_cast<double>(i % 10), static_cast<double>(i % 2)};
    result.trials.push_back(std::move(trial));
  }
  result.winner.place = 20;
  result.winner.config = "lr=0.005 act=relu";
  result.winner.iteration = 10;
  result.cost = {80, 400};
  return result;
}

} // namespace tune::cli

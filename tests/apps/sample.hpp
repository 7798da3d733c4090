/// An experiment to look at, shared by the tests of renderers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/run_snapshot.hpp"

#include <chrono>
#include <memory>
#include <utility>

namespace tune::cli::sample {

inline config_ptr shared(object x) {
  return std::make_shared<const object>(std::move(x));
}

/// Twelve trials of twenty, two of them running, with a best one.
inline run_snapshot digits() {
  using namespace std::chrono_literals;
  using enum trial_status;
  run_snapshot x;
  x.experiment = "digits-mlp";
  x.directory = "results/digits-mlp";
  x.objectives = {{"accuracy", true}};
  x.counts = {4, 2, 1, 4, 1}; // pending, running, paused, terminated, errored
  x.planned = 20;
  x.elapsed = 2min + 5s;
  x.best = best_row{{3},
                    shared({{"lr", 0.01}, {"hidden", 64}, {"optimizer", "adam"}}),
                    shared({{"accuracy", 0.98125}, {"loss", 0.0625}}),
                    9,
                    "results/digits-mlp/trials/00003/checkpoint_000002",
                    9,
                    shared({{"accuracy", 0.98125}}),
                    terminated};
  x.used = {amount::of(2), amount::of(0.5), 0, {}};
  x.total = {amount::of(4), amount::of(1), 0, {}};
  x.trials = {
      {{3}, terminated, 9, {0.98125}, shared({{"lr", 0.01}, {"hidden", 64}}), "", 0, 40s},
      {{5}, errored, 1, {value{}}, shared({{"lr", 0.5}, {"hidden", 32}}), "exit status 1", 3, 2s},
      {{6}, running, 4, {0.5}, shared({{"lr", 0.001}, {"hidden", 128}}), "", 0, 12400ms},
      {{2}, terminated, 3, {0.25}, shared({{"lr", 0.1}, {"hidden", 64}}), "", 0, 9s},
      {{4}, running, 7, {0.75}, shared({{"lr", 0.02}, {"hidden", 256}}), "", 0, 65s},
      {{8}, pending, 0, {}, shared({{"lr", 0.03}, {"hidden", 32}}), "", 0, 0s},
  };
  return x;
}

} // namespace tune::cli::sample

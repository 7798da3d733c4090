/// Behaviour of the trainables of a simulated experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tune {

/// One iteration of one trainable.
struct simulated_step {
  /// Reported metrics; empty: the trainable has ended.
  std::optional<object> metrics;
  /// Computing time before the report.
  instant takes{0};
  /// Without metrics: the error with which the trainable fails; empty: it has come to its own end.
  std::optional<std::string> failure = {};
};

/// Simulates all trainables. Deterministic: a trial that goes on from a checkpoint behaves the
/// same.
class trial_model {
public:
  virtual ~trial_model() = default;

  /// The next iteration after `done` iterations with this configuration.
  [[nodiscard]] virtual simulated_step next(trial_id trial, const config_ptr& config,
                                            std::uint64_t done)
      = 0;
  /// The trial does not run at present: data kept for it may be dropped.
  virtual void forget(trial_id) {}
};

} // namespace tune

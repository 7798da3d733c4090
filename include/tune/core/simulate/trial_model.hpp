/// What the trainables of a simulated experiment do.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <optional>

namespace tune {

/// One iteration of one trainable.
struct simulated_step {
  /// What it reports; nothing: it has come to its own end.
  std::optional<object> metrics;
  /// How long it computes before.
  instant takes{0};
};

/// Answers for all trainables. Deterministic: a trial that goes on from a checkpoint goes on alike.
class trial_model {
public:
  virtual ~trial_model() = default;

  /// The iteration after the first `done` of this configuration.
  [[nodiscard]] virtual simulated_step next(trial_id trial, const config_ptr& config,
                                            std::uint64_t done)
      = 0;
  /// The trial does not run now: what was kept for it may go.
  virtual void forget(trial_id) {}
};

} // namespace tune

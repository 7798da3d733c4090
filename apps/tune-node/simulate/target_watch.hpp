/// Finds out when a simulated experiment reached its target.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/settings.hpp"
#include "tune/core/simulate/trial_model.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace tune::cli {

/// Wraps a model and watches the metrics of its trainables.
class target_watch : public trial_model {
public:
  /// @param enough A value of the objective; larger is better if that is maximised.
  /// @param clock  Gives the experiment's time.
  target_watch(std::shared_ptr<trial_model> of, objective what, double enough,
               std::function<instant()> clock);

  [[nodiscard]] simulated_step next(trial_id trial, const config_ptr& config,
                                    std::uint64_t done) override;
  void forget(trial_id trial) override { of_->forget(trial); }

  /// Time when the first trial had computed a value that is good enough; nothing: none had.
  [[nodiscard]] std::optional<instant> reached() const { return reached_; }

private:
  std::shared_ptr<trial_model> of_;
  objective what_;
  double enough_;
  std::function<instant()> clock_;
  std::optional<instant> reached_;
};

} // namespace tune::cli

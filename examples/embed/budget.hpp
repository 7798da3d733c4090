/// A user-defined stopper: one class and one entry of a catalogue.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tune/core/stop/stopper.hpp>

#include <string>

namespace embed {

/// Ends the experiment once the sum of a metric over all reports of all trials reaches `most`.
class budget : public tune::stopper {
public:
  budget(std::string metric, double most) : metric_{std::move(metric)}, most_{most} {}

  std::optional<tune::stop_verdict> see(const tune::report& what) override;
  /// Does nothing: the cost of a trial still counts.
  void forget(tune::trial_id) override {}
  [[nodiscard]] std::vector<tune::needed_metric> needs() const override;
  void describe(tune::fingerprint& into) const override { into.add(spent_); }

private:
  std::string metric_;
  double most_;
  double spent_ = 0;
};

/// The entry by which the INI file and `list stoppers` know it.
[[nodiscard]] tune::stopper_catalogue::entry budget_entry();

} // namespace embed

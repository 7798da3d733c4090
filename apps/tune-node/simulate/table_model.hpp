/// Recorded curves as the trainables of a simulation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/simulate/trial_model.hpp"
#include "tune/core/space/space.hpp"
#include "tune/io/table/curve_table.hpp"

#include <map>
#include <memory>
#include <vector>

namespace tune::cli {

/// Replays curves in virtual time. An iteration takes as long as the column `time_total_s` says:
/// the difference from the row before.
class table_model : public trial_model {
public:
  /// @param otherwise Duration of an iteration where the table has none. [> 0]
  table_model(curve_table table, std::shared_ptr<const search_space> space, instant otherwise)
      : table_{std::move(table)}, space_{std::move(space)}, otherwise_{otherwise} {}

  [[nodiscard]] simulated_step next(trial_id trial, const config_ptr& config,
                                    std::uint64_t done) override;
  void forget(trial_id trial) override { running_.erase(trial); }

private:
  struct curve {
    config_ptr config;
    std::vector<object> rows;
    std::size_t next = 0;
    std::uint64_t done = 0;
    double time = 0;
  };

  curve_table table_;
  std::shared_ptr<const search_space> space_;
  instant otherwise_;
  std::map<trial_id, curve> running_;

  curve& curve_of(trial_id trial, const config_ptr& config, std::uint64_t done);
};

} // namespace tune::cli

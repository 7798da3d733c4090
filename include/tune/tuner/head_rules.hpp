/// What each head of a recorded experiment went by.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/experiment/event.hpp"
#include "tune/core/experiment/rule_change.hpp"

#include <optional>
#include <string>

namespace tune {

/// Reads it from the configurations in the log, head by head, so that a replay decides as each of
/// them did.
class head_rules {
public:
  /// @param spec The newest head's configuration, as in `on::opened`.
  /// @param settings What the replaying experiment was made with, of that configuration.
  /// @param own The stoppers that `[stop]` may name beside those that are built in.
  head_rules(std::string spec, experiment_settings settings, stopper_catalogue own = {});

  /// What changes with a head, which must be asked of all heads in order. Nothing: all stays.
  /// @errors `ec::storage` where its configuration cannot be read.
  [[nodiscard]] expected<std::optional<rule_change>> of(const on::opened& head);

private:
  std::string spec_;
  experiment_settings settings_;
  stopper_catalogue own_;
  /// The searcher is the user's own, and ends by itself.
  bool counts_itself_ = false;
};

} // namespace tune

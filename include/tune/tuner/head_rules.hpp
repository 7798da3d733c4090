/// The rules of each head of a recorded experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/experiment/event.hpp"
#include "tune/core/experiment/rule_change.hpp"

#include <optional>
#include <string>

namespace tune {

/// Reads the rules from the configurations in the log, head by head, so that a replay decides as
/// each of them did.
class head_rules {
public:
  /// @param spec The newest head's configuration, as in `on::opened`.
  /// @param settings Settings of the replaying experiment, made of that configuration.
  /// @param own Stoppers that `[stop]` may name in addition to the built-in ones.
  head_rules(std::string spec, experiment_settings settings, stopper_catalogue own = {});

  /// The rule changes of a head; must be asked of all heads in order. Nothing: all rules stay.
  /// @errors `ec::storage` if its configuration cannot be read.
  [[nodiscard]] expected<std::optional<rule_change>> of(const on::opened& head);

private:
  std::string spec_;
  experiment_settings settings_;
  stopper_catalogue own_;
  /// Whether the searcher is the user's own, and ends by itself.
  bool counts_itself_ = false;
};

} // namespace tune

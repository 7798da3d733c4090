/// Determines how the trials of an experiment save checkpoints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/settings.hpp"
#include "tune/io/spec/spec.hpp"

#include <string>

namespace tune {

class trainable_registry;

/// How a trainable saves checkpoints, as far as known before it runs.
struct saving {
  save_ability how = save_ability::none;
  /// Describes the trainable in messages: "the function parabola". Empty if an external executor
  /// runs the trials.
  std::string trainable;
  /// Why there are no checkpoints, or none on request; empty if there are.
  std::string why_not;
};

/// How the trials of `what` save. A program is assumed to save until it says otherwise when it
/// runs. Without `[trainable]` an external executor is asked, which can save.
///
/// @param known Functions and classes available for `[trainable] name`.
[[nodiscard]] saving saving_of(const spec& what, const trainable_registry& known);

} // namespace tune

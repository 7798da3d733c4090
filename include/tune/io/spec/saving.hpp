/// How the trials of an experiment save.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/settings.hpp"
#include "tune/io/spec/spec.hpp"

#include <string>

namespace tune {

class trainable_registry;

/// How checkpoints of a trainable can be had, as far as that is known before it runs.
struct saving {
  save_ability how = save_ability::none;
  /// What the trainable is, for messages: "the function parabola". Empty where an external executor
  /// runs the trials.
  std::string trainable;
  /// Why there are none, or none on request; empty where there are.
  std::string why_not;
};

/// How the trials of `what` save. A program is taken at its word once it runs. Without
/// `[trainable]` an external executor is asked, which can.
///
/// @param known Functions and classes that `[trainable] name` may mean.
[[nodiscard]] saving saving_of(const spec& what, const trainable_registry& known);

} // namespace tune

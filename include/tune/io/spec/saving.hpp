/// Whether trials can write checkpoints when they are asked to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/spec.hpp"

#include <string>

namespace tune {

class trainable_registry;

/// Why the trials of `what` cannot write a checkpoint whenever they are asked to, for a message;
/// empty where they can. Without `[trainable]` an external executor is asked, which can.
///
/// @param known Functions and classes that `[trainable] name` may mean.
[[nodiscard]] std::string why_no_saving(const spec& what, const trainable_registry& known);

} // namespace tune

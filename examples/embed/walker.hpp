/// The same gradient descent as an actor, for programs that consist of actors anyway.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tune/actors/own_trainable.hpp>

namespace embed {

/// Walks down (x - 1)^2 from x = 10 with the step `lr`, and reports `loss`.
[[nodiscard]] tune::own_trainable walker();

} // namespace embed

/// The function trainable `quadratic`: the simplest thing to tune.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/trainable/trainable.hpp"

namespace tune::examples {

/// A bowl with its minimum, 0, at x = 1, y = -2. It takes no time.
///
/// Configuration: `x` and `y` (0), `iterations` (10), `noise` (0.01, standard deviation of the
/// noise in each report), `seed` (0). Report n of a trial is `loss` = (x - 1)^2 + (y + 2)^2 + 1 / n
/// plus noise, and `score` = -loss.
void quadratic(session& with);

} // namespace tune::examples

/// A user-defined scheduler and searcher, as actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tune/tuner/run_options.hpp>

namespace embed {

/// Uses actors of this program as scheduler and searcher of an experiment.
///
/// Only the file behind this function includes CAF.
void use_own_actors(tune::run_options& to);

} // namespace embed

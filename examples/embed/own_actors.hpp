/// A scheduler and a searcher of one's own, as actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tune/tuner/run_options.hpp>

namespace embed {

/// Has an experiment judged and searched by actors of this program.
///
/// Only the file behind this function includes CAF.
void use_own_actors(tune::run_options& to);

} // namespace embed

/// `gather_exports` in slices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/checkpoint/gather_exports.hpp"
#include "tune/io/files/sliced.hpp"

namespace tune {

/// Failed exports and leftovers are removed without a time limit, as far as possible.
sliced<gathered_exports> gathering_exports(exported_files what);

} // namespace tune

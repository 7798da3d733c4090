/// `gather_exports` in slices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/checkpoint/gather_exports.hpp"
#include "tune/io/files/sliced.hpp"

namespace tune {

/// What counts as failed, and what is left, is removed until all is gone that can go.
sliced<gathered_exports> gathering_exports(exported_files what);

} // namespace tune

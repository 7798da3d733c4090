/// The whole command line around a set of trainables: what `main` calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/trainable/trainable.hpp"

namespace tune::cli {

/// Does what the command line says. Call first in `main`, before any thread is made: the same
/// program is started again as host of its trainables.
///
/// @param trainables What `[trainable] name` may be.
/// @returns the process's exit status; anything thrown inside is reported and gives 1.
[[nodiscard]] int run_program(int argc, char** argv, trainable_registry trainables);

} // namespace tune::cli

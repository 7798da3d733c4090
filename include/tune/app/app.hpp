/// The whole command line of tune-node around a program's own trainables, schedulers and searchers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/tuner/choices.hpp"

#include <string>

namespace tune {

/// Runs the command line: `run`, `list`, `trials`, … as in docs/cli.md, with the choices of `what`
/// in addition to the shipped ones, or in their place.
///
/// Call first in `main`, before any thread is started: the same program is started again as host of
/// its trainables. Unlike the rest of the library this is a program: it writes to stdout and
/// stderr, and waits for Ctrl-C and SIGTERM while an experiment runs.
///
/// ```cpp
/// int main(int argc, char** argv) {
///   tune::trainable_registry mine;
///   mine.add_class<network>("network", "a small network");
///   return tune::app(argc, argv, tune::builtin_choices(std::move(mine)));
/// }
/// ```
/// @returns the status to return from `main`; anything thrown inside is reported and gives 1.
[[nodiscard]] int app(int argc, char** argv, choices what);

} // namespace tune

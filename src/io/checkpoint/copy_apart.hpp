/// Runs work that may block for ever on a thread of its own. Private to checkpoints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/sliced.hpp"

#include <chrono>
#include <filesystem>
#include <functional>

namespace tune {

/// Maximum number of such threads, including those that will never finish.
inline constexpr int most_copies_apart = 64;

/// Runs the work on its own thread, and waits for it in slices. If it is given up, or makes no
/// progress for `patience`, the thread is left alone: it ends with its present slice, or with the
/// process.
/// @param begin Called on that thread; must own everything it needs.
/// @param where Path in error texts.
/// @errors those of the work; `ec::storage` if there was no progress or too many others are
/// waiting; `ec::shortage` if there are no more threads.
sliced<expected<void>> working_apart(std::function<sliced<expected<void>>()> begin,
                                     std::filesystem::path where,
                                     std::chrono::milliseconds patience);

} // namespace tune

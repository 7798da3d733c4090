/// Work that may be kept waiting for ever, on a thread of its own. Private to checkpoints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/sliced.hpp"

#include <chrono>
#include <filesystem>
#include <functional>

namespace tune {

/// So many at most work at a time, those included that will never be done.
inline constexpr int most_copies_apart = 64;

/// Does the work on a thread of its own, and waits for it in slices. Given up, or where nothing of
/// it is done for `patience`, the thread is left alone: it ends with its present slice, or with
/// the process.
/// @param begin Called on that thread; all that it needs belongs to it.
/// @param where For the error.
/// @errors those of the work; `ec::storage` where nothing came, or too many others wait;
/// `ec::shortage` where there are no
///   more threads.
sliced<expected<void>> working_apart(std::function<sliced<expected<void>>()> begin,
                                     std::filesystem::path where,
                                     std::chrono::milliseconds patience);

} // namespace tune

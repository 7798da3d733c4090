/// A checkpoint of `digits_mlp`: one small binary file.
///
/// The file `network.bin` holds, in the byte order of the machine: the eight letters "digits 1",
/// the epoch, the optimiser's steps, the count of widths and the widths (64-bit each), the count of
/// parameters, and three times so many 32-bit floats: parameters, first and second moments.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "digits/optimizer.hpp"
#include "digits/perceptron.hpp"

#include <filesystem>

namespace tune::examples {

/// Writes all state of a training into `directory`.
/// @errors `ec::storage` naming the file.
[[nodiscard]] expected<void> write_checkpoint(const std::filesystem::path& directory,
                                              std::uint64_t epoch, const perceptron& network,
                                              const optimizer& how);

/// Reads it back into a network of the same shape, and into `how` without touching its options.
/// Nothing is changed unless it returns the epoch.
/// @errors `ec::unreadable` without the file; `ec::bad_syntax` if it is torn or of another kind;
///         `ec::bad_option` if it is of a network of another shape.
[[nodiscard]] expected<std::uint64_t> read_checkpoint(const std::filesystem::path& directory,
                                                      perceptron& network, optimizer& how);

} // namespace tune::examples

/// How an output file is kept within its cap.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace tune {

/// Limit on the end that is kept, which may wait in memory. [bytes]
inline constexpr std::uint64_t longest_output_end = 256 * 1024;

/// The part of a file's cap that is for the end of the output. [bytes]
[[nodiscard]] std::uint64_t output_end_size(std::uint64_t cap);

/// The line between beginning and end.
[[nodiscard]] std::string output_gap(std::uint64_t left_out);

/// Removes that line from the beginning of `text`. @returns the number of bytes that it names; 0 if
/// there is none.
[[nodiscard]] std::uint64_t take_output_gap(std::string_view& text);

/// Cuts a file to which attempts were appended whole, each within the cap for itself: the beginning
/// is kept and the newest end, with the line between them. Does nothing if the file is within its
/// cap already, or is no regular file. Blocks on the disk.
/// @param newest where the last attempt's output begins in the file; 0 if that is not known.
[[nodiscard]] expected<void> keep_within_cap(const guarded_directory& where,
                                             const std::string& name, std::uint64_t cap,
                                             std::uint64_t newest);

} // namespace tune

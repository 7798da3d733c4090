/// The line that names the error in what a failed program wrote.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace tune {

/// Whether a line names an error as Python, Java and JavaScript write it: a dotted name that ends
/// in `Error` or `Exception`, and then a colon or nothing, as in `torch.AcceleratorError: CUDA
/// error` or `MemoryError`. Blanks before it do not count.
[[nodiscard]] bool names_error(std::string_view line);

/// The last line that names an error; what follows it is a continuation or advice. Nothing where
/// there is none, or a further stack trace of Python begins behind it, whose error bears a name of
/// another kind.
[[nodiscard]] std::optional<std::size_t> error_line_in(std::span<const std::string_view> lines);

/// Whether a program says that it failed for want of memory, be it that of a GPU: in the line that
/// names its error or behind it, or in any line where there is no such line. Known are the errors
/// of Python, NumPy, PyTorch (CUDA and HIP), CuPy, JAX and Java, and `std::bad_alloc`.
/// @param lines What it wrote last, in order.
[[nodiscard]] bool names_want_of_memory(std::span<const std::string_view> lines);

} // namespace tune

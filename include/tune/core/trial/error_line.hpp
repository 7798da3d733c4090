/// The line that names the error in what a failed program wrote.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tune {

/// Whether a line names an error as Python, Java and JavaScript write it: a dotted name that ends
/// in `Error` or `Exception`, and then a colon, a code in brackets or nothing, as in
/// `torch.AcceleratorError: CUDA error`, `Error [ERR_X]: no` or `MemoryError`. Blanks before it do
/// not count.
[[nodiscard]] bool names_error(std::string_view line);

/// The line that names the error by the form in which a language's runtime writes one: Python,
/// Node.js, Java, Rust, Go, Julia, Fortran, Lua, Octave, R, Ruby, Perl, Tcl, C++, sanitizers and
/// others. The last such line counts; exceptions that Python ignored do not, and neither does a
/// line with more than seven others behind it that are no stack trace. Nothing where there is none.
/// @param lines In order, indented as they were written.
[[nodiscard]] std::optional<std::size_t> error_line_in(std::span<const std::string_view> lines);

/// The line that tells most of why a program failed: `error_line_in`, or else the last line that
/// is no part of a stack trace. If two lines say that others are left out, as of a program's
/// output in memory, it is the first one between them.
/// @param lines [n >= 1]
[[nodiscard]] std::size_t telling_line_in(std::span<const std::string_view> lines);

/// "… (3 lines between)": stands for lines that are left out. [n >= 1]
[[nodiscard]] std::string gap_text(std::uint64_t lines);

/// Whether a program says that it failed for want of memory, be it that of a GPU: in the line that
/// names its error or behind it, or in any line where there is no such line. Known are the errors
/// of Python, NumPy, PyTorch (CUDA and HIP), CuPy, JAX and Java, and `std::bad_alloc`.
/// @param lines What it wrote last, in order.
[[nodiscard]] bool names_want_of_memory(std::span<const std::string_view> lines);

} // namespace tune

/// How far a file is that results are appended to, and whether a crash tore it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tune {

/// What a file holds; one that is missing holds nothing.
struct file_state {
  /// Lines, or records of a table.
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  /// Bytes up to the end of the last line or record, and before the first zero: a file that grew
  /// before a loss of power may have zeros where its content did not come.
  std::uint64_t whole = 0;

  [[nodiscard]] bool is_torn() const { return whole < bytes; }
  [[nodiscard]] std::uint64_t torn() const { return bytes - whole; }
};

/// More bytes than so many results, and what else stands in their file, ever take.
[[nodiscard]] constexpr std::uint64_t most_bytes_of(std::uint64_t results) {
  constexpr std::uint64_t longest = 16 * 1024 * 1024;
  return results < UINT64_MAX / longest - 2 ? (results + 1) * longest : UINT64_MAX;
}
/// The same of the failures of a trial.
constexpr std::uint64_t most_failure_bytes = 256 * 1024 * 1024;

/// What is missing or is no regular file is empty. Nothing is read behind the first zero, so that a
/// file of holes costs no more than its head: `count` is then that of the lines before it.
/// @param most A file with more bytes is somebody else's. It is not read, and nothing in it is
/// whole.
/// @errors `ec::storage`.
[[nodiscard]] expected<file_state> state_of_lines(const guarded_directory& where,
                                                  const std::string& name, std::uint64_t most);
/// The same of comma-separated values.
[[nodiscard]] expected<file_state> state_of_table(const guarded_directory& where,
                                                  const std::string& name, std::uint64_t most);

/// What is wrong with a file that was written at once.
enum class text_state : std::uint8_t { missing, torn, other };

/// @param whole What was written. "torn": a part of that, or with zeros in it. No more of the file
///              is read than that has bytes.
[[nodiscard]] expected<text_state> state_of_text(const guarded_directory& where,
                                                 const std::string& name, std::string_view whole);

/// Calls `see(part)` for the content of a file, until it returns false. What is missing or is no
/// regular file is empty.
[[nodiscard]] expected<void> for_parts(const guarded_directory& where, const std::string& name,
                                       const std::function<bool(std::string_view)>& see);

} // namespace tune

/// Measures a file to which results are appended, and detects damage by a crash.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tune {

/// Content of a file; a missing file counts as empty.
struct trial_file_state {
  /// Number of lines, or of records of a table.
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  /// Bytes up to the end of the last line or record, and before the first zero byte: a file that
  /// grew before a loss of power may contain zeros instead of content.
  std::uint64_t whole = 0;

  [[nodiscard]] bool is_torn() const { return whole < bytes; }
  [[nodiscard]] std::uint64_t torn() const { return bytes - whole; }
};

/// Upper bound for the size of a file with this number of results and its other content. [bytes]
[[nodiscard]] constexpr std::uint64_t most_bytes_of(std::uint64_t results) {
  constexpr std::uint64_t longest = 16 * 1024 * 1024;
  return results < UINT64_MAX / longest - 2 ? (results + 1) * longest : UINT64_MAX;
}
/// Upper bound for the size of the file of a trial's failures. [bytes]
constexpr std::uint64_t most_failure_bytes = 256 * 1024 * 1024;

/// The state of a file of lines. A missing file, or one that is not regular, counts as empty.
/// Nothing is read after the first zero byte, so that a sparse file costs no more than its head:
/// `count` is then the number of lines before it.
/// @param most Size limit in bytes. A larger file cannot be the runtime's own: it is not read, and
/// nothing in it counts as whole.
/// @errors `ec::storage`.
[[nodiscard]] expected<trial_file_state>
state_of_lines(const guarded_directory& where, const std::string& name, std::uint64_t most);
/// Like `state_of_lines`, for comma-separated values.
[[nodiscard]] expected<trial_file_state>
state_of_table(const guarded_directory& where, const std::string& name, std::uint64_t most);

/// Faults of a file that was written in one piece.
enum class text_state : std::uint8_t { missing, torn, other };

/// @param whole The text that was written. The file is "torn" if it holds only a part of it, or has
///              zeros in it. At most `whole.size()` bytes of the file are read.
[[nodiscard]] expected<text_state> state_of_text(const guarded_directory& where,
                                                 const std::string& name, std::string_view whole);

/// Calls `see(part)` for the content of a file until it returns false. A missing file, or one that
/// is not regular, counts as empty.
[[nodiscard]] expected<void> for_parts(const guarded_directory& where, const std::string& name,
                                       const std::function<bool(std::string_view)>& see);

} // namespace tune

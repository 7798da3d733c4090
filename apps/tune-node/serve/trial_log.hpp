/// What trials printed, for HTTP clients: once, or as it grows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "serve/feeds.hpp"
#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace tune::cli {

/// A file that a trial prints into.
struct trial_log {
  /// The experiment's.
  std::filesystem::path directory;
  trial_id trial;
  /// "stdout", "stderr".
  std::string stream;
};

/// A part of a log.
struct log_part {
  /// Made harmless by `printable_parts`; without a code point that is cut off at either end.
  std::string text;
  /// In the file. [bytes]
  std::uint64_t offset = 0;
  std::uint64_t next = 0;
  std::uint64_t size = 0;

  [[nodiscard]] bool is_at_end() const { return next >= size; }
};

/// Reads a part. A file that is not there is empty.
/// @param offset Negative: so many bytes before the end; beyond the end: the end.
/// @errors `ec::refused` where it is no regular file; `ec::unreadable`, `ec::storage`.
[[nodiscard]] expected<log_part> read_log(const trial_log& which, std::int64_t offset,
                                          std::size_t limit);

/// {text, offset, next_offset, bytes, eof}.
[[nodiscard]] object to_object(const log_part& x);

/// Sends the log from `offset` on as events `log`, and the event `end` when the trial has ended, or
/// nobody runs it any more.
[[nodiscard]] std::unique_ptr<live_feed> make_log_feed(trial_log which, std::int64_t offset,
                                                       std::shared_ptr<http::byte_pipe> to);

} // namespace tune::cli

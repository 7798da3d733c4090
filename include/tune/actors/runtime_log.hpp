/// The runtime's own log: what happens to trials, as lines of a file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/runner.hpp"
#include "tune/io/spec/spec.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tune {

/// Options of the runtime's log.
struct runtime_log_options {
  /// Missing parent directories are created. An existing file is appended to.
  std::filesystem::path file;
  /// Lowest level of the lines that are written.
  log_level least = log_level::info;
  /// Called once, from the log's thread, if lines cannot be written.
  std::function<void(const std::string&)> on_failure = {};
  /// The file is renamed to `name.1.ext` before it outgrows this; older ones are renumbered, up to
  /// `most_files` in all, and the oldest is removed. [bytes]
  std::size_t most_bytes = 10'000'000;
  std::size_t most_files = 4;
};

/// Writes status changes at info, each with the trial's number first, decisions and placements at
/// debug, failed attempts and warnings at warning, the end at info. A thread of its own writes the
/// lines; if it falls behind, the oldest lines are dropped and counted at the end, and nobody
/// waits.
///
/// @errors of `open_runtime_log`: `ec::storage` with key and path where the file cannot be opened.
[[nodiscard]] expected<std::shared_ptr<run_observer>> open_runtime_log(runtime_log_options options);

/// Hands everything to several observers, in order.
[[nodiscard]] std::shared_ptr<run_observer>
joined_observers(std::vector<std::shared_ptr<run_observer>> all);

} // namespace tune

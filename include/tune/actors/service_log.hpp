/// The log of a process that stands, a head or a worker: lines of JSON in a file that is rotated.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tune {

/// Makes a text fit for a log: what looks like a secret is replaced by "(not shown)", and control
/// characters are made visible.
///
/// Secrets are what follows `Bearer `, or a name for which `names_a_secret` holds and `=` or `:`,
/// up to a blank, and hexadecimal numbers of 64 digits.
[[nodiscard]] std::string fit_for_log(std::string_view text);

/// For any thread. Nobody waits for the disk: a thread of its own writes, and drops the oldest
/// lines if it falls behind.
class service_log {
public:
  struct settings {
    /// Missing parent directories are made; an existing file is appended to.
    std::filesystem::path file;
    /// Who writes: "head", "worker".
    std::string who;
    /// Told once, from the log's thread, if lines cannot be written.
    std::function<void(const std::string&)> on_failure = {};
    /// As for `runtime_log_options`. [bytes]
    std::size_t most_bytes = 10'000'000;
    std::size_t most_files = 4;
  };

  /// @errors `ec::storage`, naming the file.
  [[nodiscard]] static expected<std::unique_ptr<service_log>> open(settings how);
  service_log(const service_log&) = delete;
  service_log& operator=(const service_log&) = delete;
  /// Writes what waits.
  ~service_log();

  /// Adds the line `{"time":"2026-01-31T12:00:00.123Z","level":"info","who":"head","text":"…"}`.
  void write(const std::string& text,
             std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

private:
  class impl;
  std::unique_ptr<impl> impl_;
  explicit service_log(std::unique_ptr<impl> what);
};

} // namespace tune

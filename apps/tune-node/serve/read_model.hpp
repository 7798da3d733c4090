/// What a gateway asks of the records of experiments.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/http/messages.hpp"
#include "tune/http/problem.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tune::cli {

/// How far the log of an experiment is.
struct log_position {
  /// Tells a record from another that took its place; 0: whichever is there.
  std::int64_t record = 0;
  sequence last = 0;

  friend auto operator<=>(const log_position&, const log_position&) = default;
};

/// What has happened in an experiment since a place of its log.
struct change {
  log_position last;
  /// JSON, in one line.
  std::string text;
};

/// Answers from the records, and changes nothing. For any thread, several at once; may block.
class read_model {
public:
  read_model() = default;
  read_model(const read_model&) = delete;
  read_model& operator=(const read_model&) = delete;
  virtual ~read_model() = default;

  /// @param path Below `/api/v1`, decoded. @returns JSON.
  [[nodiscard]] virtual std::variant<std::string, http::problem>
  answer(const std::vector<std::string>& path, const http::query_map& query) = 0;
  /// Nothing if nothing has happened. Everything has where `from` is a place of another record, or
  /// one that the record has not come to.
  [[nodiscard]] virtual std::variant<std::optional<change>, http::problem>
  change_since(const std::string& experiment, log_position from) = 0;
  /// Costs next to nothing; nothing if it cannot be told.
  [[nodiscard]] virtual std::optional<log_position> position_of(const std::string& experiment) {
    static_cast<void>(experiment);
    return std::nullopt;
  }
  /// Whether what is served can be read.
  [[nodiscard]] virtual bool is_readable() = 0;
  /// The directory of an experiment, which is one of those that are served.
  [[nodiscard]] virtual std::variant<std::filesystem::path, http::problem>
  directory_of(const std::string& experiment) = 0;
};

/// The records below `place`: a storage, or the directory of one experiment.
[[nodiscard]] std::shared_ptr<read_model> make_read_model(const std::filesystem::path& place);

} // namespace tune::cli

/// Tells clients of what changes in an experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "serve/feeds.hpp"
#include "serve/read_model.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace tune::cli {

/// What there is to tell of an experiment.
struct experiment_news {
  std::optional<change> what;
  /// It is no longer there.
  bool is_gone = false;
};

/// What changed in a moment, asked for once however many clients follow. Used by the thread of the
/// feeds only.
class recent_changes {
public:
  explicit recent_changes(std::shared_ptr<read_model> model) : model_{std::move(model)} {}

  [[nodiscard]] experiment_news since(const std::string& experiment, const log_position& from);
  /// The record that is there; 0 if that cannot be told.
  [[nodiscard]] std::int64_t record_of(const std::string& experiment) const;

private:
  struct known {
    experiment_news what;
    std::chrono::steady_clock::time_point at;
  };
  std::shared_ptr<read_model> model_;
  std::map<std::pair<std::string, log_position>, known> known_;
};

/// @param since Place of the log after which changes are told. If another record takes the place of
///              its own, all is told of that one; if the experiment is removed, an event `gone`
///              ends it.
[[nodiscard]] std::unique_ptr<live_feed> make_change_feed(std::shared_ptr<recent_changes> changes,
                                                          std::string experiment,
                                                          std::filesystem::path directory,
                                                          log_position since,
                                                          std::shared_ptr<http::byte_pipe> to);

} // namespace tune::cli

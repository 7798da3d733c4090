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

/// What changed in a moment, asked for once however many clients follow. Used by the thread of the
/// feeds only.
class recent_changes {
public:
  explicit recent_changes(std::shared_ptr<read_model> model) : model_{std::move(model)} {}

  [[nodiscard]] std::optional<change> since(const std::string& experiment, sequence seq);

private:
  struct known {
    std::optional<change> what;
    std::chrono::steady_clock::time_point at;
  };
  std::shared_ptr<read_model> model_;
  std::map<std::pair<std::string, sequence>, known> known_;
};

/// @param since Place of the log after which changes are told.
[[nodiscard]] std::unique_ptr<live_feed> make_change_feed(std::shared_ptr<recent_changes> changes,
                                                          std::string experiment,
                                                          std::filesystem::path directory,
                                                          sequence since,
                                                          std::shared_ptr<http::byte_pipe> to);

} // namespace tune::cli

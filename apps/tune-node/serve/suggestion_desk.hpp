/// Tells why configurations were proposed, for clients that ask by HTTP.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/http/problem.hpp"
#include "tune/io/store/scan_rows.hpp"
#include "tune/tuner/choices.hpp"

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

namespace tune::cli {

/// Replays records, one at a time, and remembers what was found. For any thread; blocks as long as
/// the replay takes.
class suggestion_desk {
public:
  /// Most answers that are remembered.
  static constexpr std::size_t most_kept = 500;

  /// @param all Everything the experiments may name; must outlive the desk.
  explicit suggestion_desk(const choices& all) : all_{all} {}

  /// The explanation of a trial's suggestion as `trials --why` gives it.
  /// @returns JSON; a problem with status 503 while another trial is being explained.
  [[nodiscard]] std::variant<std::string, http::problem> explain(const std::filesystem::path& of,
                                                                 trial_id trial);
  /// Leaves off what is being worked out.
  void close() { ends_ = true; }

private:
  /// The record up to a trial's creation stays as it is, unless another one takes its place or it
  /// is gone on with by another configuration.
  struct question {
    std::filesystem::path directory;
    std::int64_t created_ms = 0;
    sequence opened = 0;
    trial_id trial;
    friend auto operator<=>(const question&, const question&) = default;
  };

  const choices& all_;
  std::atomic<bool> ends_ = false;
  /// Held by the one that works.
  std::mutex work_;
  std::mutex mutex_;
  std::map<question, std::string> known_;
  /// The oldest first.
  std::deque<question> order_;

  [[nodiscard]] std::optional<std::string> known(const question& what);
  void keep(const question& what, const std::string& text);
};

} // namespace tune::cli

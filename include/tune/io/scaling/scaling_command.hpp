/// The user's command that gets and gives back workers: what it is told, and what it answers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/scaling.hpp"
#include "tune/core/error.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// A command and its surroundings.
struct scaling_command {
  /// Run by `/bin/sh -c`.
  std::string text;
  /// Its working directory.
  std::filesystem::path directory;
  /// It is killed after this time. [> 0]
  std::chrono::milliseconds timeout{std::chrono::minutes{1}};
  /// Further variables, as "NAME=value".
  std::vector<std::string> environment = {};
};

/// How a call ended.
struct scaling_result {
  /// How many workers it did ask for, where it told so; or why it failed: see `scaling::called`.
  expected<std::optional<std::uint64_t>> how = std::optional<std::uint64_t>{};
  /// What it printed, in printable lines; the first ones, if there are many.
  std::vector<std::string> lines = {};
};

/// One line, without its end; see docs/elasticity.md.
[[nodiscard]] std::string to_json(const scaling_call& x);
/// The same numbers as variables: "TUNE_WANTED_WORKERS=5".
[[nodiscard]] std::vector<std::string> environment_of(const scaling_call& x);

/// Reads a line such as `{"asked": 2}`. Unknown fields are ignored.
/// @errors `ec::bad_syntax`, `ec::bad_option`.
[[nodiscard]] expected<std::optional<std::uint64_t>> scaling_answer_from(std::string_view line);

/// Runs the command and waits for its end. It blocks.
/// @param stop The command is killed once it is true.
[[nodiscard]] scaling_result run_scaling_command(const scaling_command& how,
                                                 const scaling_call& what,
                                                 const std::atomic<bool>& stop);

} // namespace tune

/// The command line that goes on with an experiment that nobody runs now.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/spec/spec.hpp"
#include "tune/tuner/needed_files.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tune::cli {

/// How one goes on, in words of a shell.
struct way_on {
  /// "tune-node resume results/x", to which options can be added; where the files of its trials are
  /// not here, a `run` of its INI file, which stands as FILE, and a head as HOST:PORT: only who
  /// submitted it knows these.
  std::string command;
  /// Whether it is that `resume`.
  bool is_resume = true;
  /// What FILE is, and why `resume` cannot, as the end of a sentence; empty: it can.
  std::string note = {};
};

/// @param missing What its trials need and does not lie where the record says.
[[nodiscard]] way_on way_on_from(const std::filesystem::path& directory,
                                 const missing_files& missing);
/// The same for what lies in the directory now.
[[nodiscard]] way_on way_on_in(const std::filesystem::path& directory);

/// That command with a mode for trials that had failed, such as "errored_only".
[[nodiscard]] std::string with_mode(const way_on& x, std::string_view mode);

/// Whether what goes on in `directory` has the files that it began with. To be asked before
/// anything changes.
/// @param by_record Its configuration is the recorded one, and so are the places of its files.
/// @errors `ec::unreadable` with what is missing and how to go on.
[[nodiscard]] expected<void> has_files_to_go_on(const std::filesystem::path& directory,
                                                const spec& now, bool by_record);

/// Whether a trial of `before` can be run again as `now` says.
/// @errors `ec::unreadable` with what is missing and how to run it all the same.
[[nodiscard]] expected<void> has_files_to_rerun(const std::filesystem::path& directory,
                                                const spec& before, const spec& now);

} // namespace tune::cli

/// Turns a launch order into the process of its trial. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trainables.hpp"

#include "tune/core/error.hpp"
#include "tune/io/process/host_talk.hpp"
#include "tune/io/process/process_service.hpp"

#include <chrono>
#include <filesystem>
#include <string>

namespace tune {

/// Whether the program is a host of a C++ trainable.
[[nodiscard]] bool is_host(const trainable_start& what);

/// Files that a process finds when it starts.
struct prepared_files {
  std::filesystem::path params;
  /// Describes something that was in the way and was replaced; empty: nothing was.
  std::string note;
};

/// Creates the trial's directory and its params.json.
/// @errors `ec::refused` if something in the trial's own directory is in the way, which is the
///         trial's fault; `ec::storage`, which is the node's.
[[nodiscard]] expected<prepared_files> prepare(const trainable_start& what);

/// The process of a trial that runs a program or a host.
/// @param params What `prepare` returned.
[[nodiscard]] process_order order_of(const trainable_start& what,
                                     const std::filesystem::path& params);

/// Why the program of a trial cannot be given its parameters, with the parameter's name; empty: it
/// can.
[[nodiscard]] std::string why_not_passed(const trainable_start& what, const process_order& order,
                                         const std::filesystem::path& params);

/// The order by which a waiting host runs this trial next.
[[nodiscard]] host_order host_order_of(const trainable_start& what,
                                       const std::filesystem::path& params);

/// The files for the output of a host during this trial.
[[nodiscard]] process_turn turn_of(const trainable_start& what);

/// Tells people why no report could be judged before the program's end, and what helps if it
/// buffers. A program may also have printed its lines only then, in quick succession.
/// @param run How long the program ran.
[[nodiscard]] std::string late_reports_text(std::chrono::nanoseconds run,
                                            const trainable_start& what);

} // namespace tune

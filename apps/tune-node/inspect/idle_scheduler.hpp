/// Schedulers that judged nobody, since no trial trained for as long as they wait.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/spec.hpp"
#include "tune/io/store/store_reader.hpp"

#include <optional>
#include <string>

namespace tune::cli {

/// How long a trial trains before its scheduler judges it for the first time.
struct first_judgement {
  /// Type of the scheduler.
  std::string rule;
  /// Key that says how long.
  std::string key;
  /// Metric that this is measured in.
  std::string time_attr;
  /// [in `time_attr`]
  double at = 0;
};

/// Nothing for schedulers without such a key, and for those that are not built in.
[[nodiscard]] std::optional<first_judgement> first_judgement_of(const spec& what);

/// @param longest How long the trial trained that trained longest. [< x.at]
[[nodiscard]] std::string idle_scheduler_text(const first_judgement& x, double longest);

/// The same of a record; empty where it decided something, where a trial trained for so long, or
/// where none reported how long it trained.
[[nodiscard]] std::string idle_scheduler_text(store_reader& from);

} // namespace tune::cli

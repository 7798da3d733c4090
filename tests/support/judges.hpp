/// Every scheduler in all its forms, as tests try them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/scheduler.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tune::support {

/// Who judges.
struct judge {
  /// Names it among the others.
  std::string name;
  /// Its type in the catalogue; empty: the toy.
  std::string type;
  /// Options that let it do all it can within 20 trials of 10 reports; others have their defaults.
  std::map<std::string, std::string> options;
  /// 1, or 2: the second is a size, which differs from trial to trial.
  std::uint32_t objectives = 1;
  /// Checkpoints come with reports, some or all: by nature, or since trainables say that they
  /// cannot be asked.
  bool by_reports = false;
};

/// The toy, which does everything a scheduler may do, and every scheduler shipped in all its forms;
/// those that need checkpoints once more with such that come with reports: "…_by_reports".
[[nodiscard]] const std::vector<judge>& judges();
/// Null where there is none of this name.
[[nodiscard]] const judge* find_judge(std::string_view name);

/// One CPU: what each trial asks for.
[[nodiscard]] resource_request one_slot();

/// A scheduler over the space x = uniform(0, 100).
[[nodiscard]] std::unique_ptr<scheduler> make_scheduler(const judge& who, std::uint64_t seed);

} // namespace tune::support

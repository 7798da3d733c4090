/// Options that are times of liveness.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/bound_option.hpp"
#include "command/option_values.hpp"
#include "tune/core/liveness/liveness_rules.hpp"

#include <chrono>
#include <string>

namespace tune::cli {

inline constexpr auto any_silence = "within 1s to 24h";
inline constexpr auto any_grace = "0, or within 1s to 24h";

/// A time of liveness. @param set Sets it in rules that are checked then.
[[nodiscard]] inline bound_option<liveness_rules>
bound_liveness(option_doc doc, instant liveness_rules::*set, std::string range) {
  auto read = [set, range](const std::string& text) -> expected<std::chrono::nanoseconds> {
    auto time = time_from(text);
    if (!time)
      return time.error();
    liveness_rules checked;
    checked.*set = *time;
    if (!validate(checked))
      return error{ec::bad_option, in_single_quotes(text) + " is not " + range};
    return *time;
  };
  return bound(doc, set, read);
}

} // namespace tune::cli

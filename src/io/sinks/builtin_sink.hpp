/// One sink that is shipped. Private to the sinks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/seam/trial_sink.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace tune {

/// An entry of the catalogue, and what its declarations cannot say.
struct builtin_sink {
  sink_catalogue::entry entry;
  /// Checks option values before anything begins.
  /// @errors with a detail that starts with the option's name and a colon.
  std::function<expected<void>(const options&)> check;
};

/// The text of an option that may be left out; empty then.
[[nodiscard]] inline std::string text_or_none(const options& from, std::string_view name) {
  return from.has(name) ? from.text(name) : std::string{};
}

} // namespace tune

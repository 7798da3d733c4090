/// The lines of `[sinks]`, sorted by sink.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/seam/trial_sink.hpp"
#include "tune/io/spec/spec.hpp"

#include <map>
#include <string>
#include <vector>

namespace tune {

/// One sink that `[sinks]` names.
struct sink_wish {
  std::string name;
  /// Whether there is a line of the sink itself, and whether that turns it on.
  bool is_said = false;
  bool is_on = false;
  /// Options as written, by name. A value of the sink's own line is that of its first option.
  std::map<std::string, std::string> written;
};

/// In the order in which they are first named. Sinks that are not known are among them.
[[nodiscard]] std::vector<sink_wish> sink_wishes(const std::vector<named_text>& lines,
                                                 const sink_catalogue& all);

} // namespace tune

/// The events of an experiment as JSON, one object in a line: docs/sinks.md. Private to the sinks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/seam/trial_sink.hpp"

#include <string>

namespace tune {

/// Version of the lines, in the first one.
inline constexpr std::int64_t event_lines_version = 1;

/// Each function returns one line with its end.
namespace event_lines {

[[nodiscard]] std::string opened(const log_place& where, const on::opened& what,
                                 const experiment_facts& of, const std::string& directory);
[[nodiscard]] std::string created(const log_place& where, const trial_facts& what);
[[nodiscard]] std::string started(const log_place& where, const on::placed& what,
                                  const object& config);
[[nodiscard]] std::string reported(const log_place& where, const report& what);
[[nodiscard]] std::string saved(const log_place& where, const on::saved& what);
[[nodiscard]] std::string ended(const log_place& where, const on::ended& what);
[[nodiscard]] std::string concluded(const log_place& where, const trial_facts& what);
[[nodiscard]] std::string finished(const log_place& where, const experiment_end& how);

} // namespace event_lines

/// The names of a lease's nodes, each once: "a" or "a, b".
[[nodiscard]] std::string nodes_of(const lease& what);

} // namespace tune

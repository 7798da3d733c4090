/// The messages beyond the command protocol between a node and a host that is kept for several
/// trials.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/trainable/trainable.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tune {

/// Host to node, instead of an exit: the attempt ended well, its output is flushed, and the host
/// waits for another attempt.
inline constexpr std::string_view idle_line = R"({"idle":true})";

/// Node to host: the next attempt. Everything else in the trial's environment stays as it is.
struct host_order {
  trial_context context;
  /// The file with the configuration as JSON.
  std::filesystem::path params;
  /// Empty for a start from scratch.
  std::optional<std::filesystem::path> restore;
};

/// `{"next":{…}}`, without newline. A path that is not UTF-8 does not survive it.
[[nodiscard]] std::string to_line(const host_order& what);

/// @errors `ec::protocol`.
[[nodiscard]] expected<host_order> read_host_order(std::string_view text);

} // namespace tune

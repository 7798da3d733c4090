/// The labels that nodes bear by themselves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tune {

/// The label that only the node `name` bears.
[[nodiscard]] inline std::string node_label(const std::string& name) {
  return "node " + name;
}

/// The label of nodes that know the registered trainable `name`.
[[nodiscard]] inline std::string trainable_label(const std::string& name) {
  return "trainable " + name;
}

/// The label of nodes that count the memory of programs, but cannot enforce its limit.
inline constexpr const char* memory_only_counted_label = "memory is only counted";

} // namespace tune

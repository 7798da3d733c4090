// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/end_class.hpp"

#include <array>

namespace tune {

namespace {

constexpr std::array<std::string_view, end_class_count> names{
    "finished", "stopped",   "paused",    "user_error",  "timeout",       "out_of_memory",
    "killed",   "node_lost", "preempted", "interrupted", "bad_checkpoint"};

} // namespace

std::string_view to_text(end_class x) {
  return names[static_cast<std::size_t>(x)];
}

std::optional<end_class> end_class_from(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name)
      return static_cast<end_class>(i);
  }
  return std::nullopt;
}

bool is_failure(end_class x) {
  return x != end_class::finished && x != end_class::stopped && x != end_class::paused
         && x != end_class::preempted && x != end_class::interrupted;
}

} // namespace tune

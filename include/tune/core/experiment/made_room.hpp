/// How the record says that an attempt ended so that trials of a higher priority had room.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace tune {

/// Prefix of the detail of such an attempt's end; the rest names the experiment that needed the
/// room: "high of bob, priority 5".
inline constexpr std::string_view made_room_reason = "made room for ";

[[nodiscard]] inline std::string made_room_text(std::string_view for_whom) {
  return std::string{made_room_reason} + std::string{for_whom};
}

/// Whom the attempt made room for; empty if it ended otherwise.
[[nodiscard]] inline std::string_view made_room_for(std::string_view detail) {
  return detail.starts_with(made_room_reason) ? detail.substr(made_room_reason.size())
                                              : std::string_view{};
}

} // namespace tune

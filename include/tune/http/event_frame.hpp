/// Server-sent events as text: HTML, section 9.2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/http/messages.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tune::http {

/// A place in a log that clients know by a text: "4711", or "4711@1764268123456".
struct event_id {
  std::uint64_t place = 0;
  /// Tells a log from another that took its place; 0: whichever is there.
  std::int64_t log = 0;

  friend bool operator==(const event_id&, const event_id&) = default;
};

/// One event. Line ends in `data` are kept; whatever it holds, it cannot begin another event.
/// @param name Without line ends.
/// @param id   What a client shows when it comes back.
[[nodiscard]] std::string event_frame(std::string_view name, std::string_view data,
                                      std::optional<event_id> id = std::nullopt);

/// Keeps a silent connection open.
inline constexpr std::string_view event_comment = ":\n\n";

/// Where a client wants to go on: the header `Last-Event-ID`, else the parameter `since`.
/// Nothing if it says neither, or what is no such text.
[[nodiscard]] std::optional<event_id> event_place(const request& from);

} // namespace tune::http

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/event_frame.hpp"

#include <algorithm>
#include <charconv>

namespace tune::http {

namespace {

/// Removes and returns the first line. CR, LF and CRLF end one.
std::string_view next_line(std::string_view& rest) {
  const auto end = std::min(rest.find_first_of("\r\n"), rest.size());
  const auto line = rest.substr(0, end);
  const auto is_pair = rest.substr(end, 2) == "\r\n";
  rest.remove_prefix(std::min(end + (is_pair ? 2 : 1), rest.size()));
  return line;
}

} // namespace

std::string event_frame(std::string_view name, std::string_view data,
                        std::optional<std::uint64_t> id) {
  std::string result;
  if (id)
    result.append("id: ").append(std::to_string(*id)).append("\n");
  result.append("event: ").append(name).append("\n");
  do
    result.append("data: ").append(next_line(data)).append("\n");
  while (!data.empty());
  result.append("\n");
  return result;
}

std::optional<std::uint64_t> event_place(const request& from) {
  std::string text;
  if (const auto last = from.headers.only("Last-Event-ID"))
    text = *last;
  else
    text = from.asked("since").value_or("");
  std::uint64_t result = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, result);
  return !text.empty() && read.ec == std::errc{} && read.ptr == end ? std::optional{result}
                                                                    : std::nullopt;
}

} // namespace tune::http

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

/// @param text Digits alone.
template <class Number>
std::optional<Number> number_from(std::string_view text) {
  Number result = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, result);
  const auto is_whole = !text.empty() && text.front() != '-' && read.ec == std::errc{};
  return is_whole && read.ptr == end ? std::optional{result} : std::nullopt;
}

std::string to_text(const event_id& x) {
  auto result = std::to_string(x.place);
  return x.log == 0 ? result : result + "@" + std::to_string(x.log);
}

} // namespace

std::string event_frame(std::string_view name, std::string_view data, std::optional<event_id> id) {
  std::string result;
  if (id)
    result.append("id: ").append(to_text(*id)).append("\n");
  result.append("event: ").append(name).append("\n");
  do
    result.append("data: ").append(next_line(data)).append("\n");
  while (!data.empty());
  result.append("\n");
  return result;
}

std::optional<event_id> event_place(const request& from) {
  std::string given;
  if (const auto last = from.headers.only("Last-Event-ID"))
    given = *last;
  else
    given = from.asked("since").value_or("");
  const std::string_view text = given;
  const auto at = text.find('@');
  const auto place = number_from<std::uint64_t>(text.substr(0, at));
  const auto log = at == text.npos ? std::optional<std::int64_t>{0}
                                   : number_from<std::int64_t>(text.substr(at + 1));
  return place && log ? std::optional{event_id{*place, *log}} : std::nullopt;
}

} // namespace tune::http

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/byte_range.hpp"

#include <algorithm>
#include <charconv>

namespace tune::http {

namespace {

std::optional<std::uint64_t> number_from(std::string_view text) {
  std::uint64_t result = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, result);
  return !text.empty() && read.ec == std::errc{} && read.ptr == end ? std::optional{result}
                                                                    : std::nullopt;
}

} // namespace

std::variant<byte_range, whole_content, no_such_range>
read_range(std::optional<std::string_view> header, std::uint64_t size) {
  constexpr std::string_view unit = "bytes=";
  if (!header || !header->starts_with(unit))
    return whole_content{};
  const auto spec = header->substr(unit.size());
  const auto dash = spec.find('-');
  if (dash == spec.npos || spec.find(',') != spec.npos)
    return whole_content{};
  const auto first = number_from(spec.substr(0, dash));
  const auto last = number_from(spec.substr(dash + 1));
  if (dash == 0) {
    if (!last)
      return whole_content{};
    if (*last == 0 || size == 0)
      return no_such_range{};
    return byte_range{size - std::min(size, *last), size - 1};
  }
  const auto is_open = dash + 1 == spec.size();
  if (!first || (!last && !is_open) || (last && *last < *first))
    return whole_content{};
  if (*first >= size)
    return no_such_range{};
  return byte_range{*first, last ? std::min(*last, size - 1) : size - 1};
}

} // namespace tune::http

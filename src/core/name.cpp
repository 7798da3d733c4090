// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/name.hpp"

#include <algorithm>

namespace tune {

std::string why_no_name(std::string_view name) {
  if (name.size() > most_name_bytes)
    return "a name has at most " + std::to_string(most_name_bytes) + " bytes, not "
           + std::to_string(name.size());
  auto splits = [](char c) { return c == '.' || c == '/'; };
  auto parts = static_cast<std::size_t>(std::count_if(name.begin(), name.end(), splits)) + 1;
  if (parts > most_name_parts)
    return "a name has at most " + std::to_string(most_name_parts)
           + " parts between dots or slashes, not " + std::to_string(parts);
  return {};
}

std::string shown_name(std::string_view name) {
  constexpr std::size_t shown = 60;
  if (name.size() <= shown)
    return std::string{name};
  auto end = shown;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0u) == 0x80u)
    --end;
  return std::string{name.substr(0, end)} + "…";
}

} // namespace tune

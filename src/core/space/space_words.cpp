// SPDX-License-Identifier: BSD-3-Clause
#include "space_words.hpp"

#include "tune/core/plugin/options.hpp"

namespace tune {

std::string shortened(std::string text) {
  constexpr std::size_t shown = 160;
  if (text.size() <= shown)
    return text;
  auto end = shown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u)
    --end;
  return text.substr(0, end) + "…";
}

error about(std::string_view name, std::string_view what, ec code) {
  return {code, in_quotes(name) + ": " + std::string{what}};
}

std::string hint(std::string_view wrong, const std::vector<parameter>& known) {
  std::vector<std::string> names;
  for (const auto& x : known)
    names.push_back(x.name);
  if (auto near = nearest_name(wrong, names); !near.empty())
    return "; did you mean " + in_quotes(near) + '?';
  if (names.size() > 10)
    return {};
  std::string result = "; known:";
  for (const auto& x : names)
    result += ' ' + x;
  return result;
}

} // namespace tune

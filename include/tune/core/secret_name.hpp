/// Which names stand for secrets, so that their values are not shown.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace tune {

/// Shown in the place of a secret.
inline constexpr std::string_view secret_not_shown = "(not shown)";

/// Whether what has this name is probably a secret: SECRET, PASSWORD, PASSWD, CREDENTIAL or API_KEY
/// is in it, or it ends with TOKEN (`max_tokens` is none), whatever the case; '-' counts as '_'.
[[nodiscard]] inline bool names_a_secret(std::string_view text) {
  constexpr std::array<std::string_view, 6> parts{"SECRET",     "PASSWORD", "PASSWD",
                                                  "CREDENTIAL", "API_KEY",  "APIKEY"};
  std::string name{text};
  for (auto& c : name)
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c == '-' ? '_' : c;
  return name.ends_with("TOKEN") || std::any_of(parts.begin(), parts.end(), [&](auto part) {
           return name.find(part) != std::string::npos;
         });
}

} // namespace tune

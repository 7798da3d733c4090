// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/shell_word.hpp"

namespace tune {

std::string shell_word(std::string_view text) {
  constexpr std::string_view safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                    "_-./=:,+@%";
  if (!text.empty() && text.find_first_not_of(safe) == text.npos)
    return std::string{text};
  std::string result = "'";
  for (auto c : text)
    result += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return result + "'";
}

} // namespace tune

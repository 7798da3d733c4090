// SPDX-License-Identifier: BSD-3-Clause
#include "console/one_line.hpp"

#include "tune/core/printable.hpp"

#include <algorithm>

namespace tune::cli {

std::string in_one_line(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  std::string result;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    line = line.substr(0, line.find_last_not_of(blanks) + 1);
    if (!line.empty())
      result += (result.empty() ? "" : " ") + std::string{line};
  }
  return printable(result);
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/plugin/option_line.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace tune {

namespace {

std::vector<std::string> words_of(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  std::vector<std::string> result;
  for (auto i = text.find_first_not_of(blanks); i != std::string_view::npos;
       i = text.find_first_not_of(blanks, i)) {
    auto end = std::min(text.find_first_of(blanks, i), text.size());
    result.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return result;
}

} // namespace

expected<options> parse_option_line(const std::vector<option_spec>& known, std::string_view text) {
  auto words = words_of(text);
  std::map<std::string, std::string> written;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size())
      return error{ec::bad_syntax,
                   words[i] + " has no value: expected option value option value ..."};
    if (!written.emplace(words[i], std::move(words[i + 1])).second)
      return error{ec::bad_option, words[i] + " is given twice"};
  }
  return options::parse(known, written);
}

} // namespace tune

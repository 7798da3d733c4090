// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pbt_replay/policy.hpp"

#include "tune/core/space/domain.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace tune::pbt_replay {

namespace {

/// One exploit.
struct row {
  value target;
  value donor;
  std::uint64_t iteration = 0;
  object before;
  object after;
};

error wrong(std::size_t number, const std::string& what, ec code = ec::bad_syntax) {
  return {code, "policy: row " + std::to_string(number) + ": " + what};
}

/// Length of the list that `text` begins with; the length of `text` if the list has no end.
std::size_t length_of_list(std::string_view text) {
  auto depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        i += text[i] == '\\' ? 1 : 0;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if ((c == ']' || c == '}') && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

/// Reads a whole number from 0.
std::optional<std::uint64_t> count(const value& x) {
  const auto* whole = x.as_int();
  return whole != nullptr && *whole >= 0 ? std::optional{static_cast<std::uint64_t>(*whole)}
                                         : std::nullopt;
}

expected<row> read_row(std::string_view text, std::size_t number) {
  auto parsed = parse_literal(text);
  if (!parsed)
    return wrong(number, parsed.error().detail);
  const auto* fields = parsed->as_list();
  if (fields == nullptr || fields->size() != 6)
    return wrong(number, "must be a list of six");
  auto iteration = count((*fields)[3]);
  const auto* before = (*fields)[4].as_object();
  const auto* after = (*fields)[5].as_object();
  if (!count((*fields)[2]) || !iteration)
    return wrong(number, "its third and fourth must be iterations");
  if (before == nullptr || after == nullptr)
    return wrong(number, "its fifth and sixth must be configurations");
  return row{(*fields)[0], (*fields)[1], *iteration, *before, *after};
}

expected<std::vector<row>> read_rows(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  std::vector<row> result;
  for (auto begin = text.find_first_not_of(blanks); begin != text.npos;
       begin = text.find_first_not_of(blanks)) {
    text.remove_prefix(begin);
    auto length = length_of_list(text);
    auto one = read_row(text.substr(0, length), result.size() + 1);
    if (!one)
      return one.error();
    result.push_back(std::move(*one));
    text.remove_prefix(length);
  }
  return result;
}

} // namespace

expected<policy> read_policy(std::string_view text) {
  auto rows = read_rows(text);
  if (!rows)
    return rows.error();
  if (rows->empty())
    return error{ec::bad_option, "policy: there is nothing to replay"};
  auto first = rows->size() - 1;
  while (first > 0 && (*rows)[first - 1].target == (*rows)[first].donor)
    --first;
  policy result{(*rows)[first].before, {}};
  for (auto i = first; i < rows->size(); ++i) {
    if (i > first && (*rows)[i].iteration < (*rows)[i - 1].iteration)
      return wrong(i + 1, "its iteration is before that of the row above", ec::bad_option);
    result.steps.push_back({(*rows)[i].iteration, std::move((*rows)[i].after)});
  }
  return result;
}

} // namespace tune::pbt_replay

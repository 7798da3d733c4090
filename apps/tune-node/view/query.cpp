// SPDX-License-Identifier: BSD-3-Clause
#include "view/query.hpp"

#include "tune/io/json.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace tune::cli {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::size_t longest_cursor = 2000;

std::optional<std::uint64_t> whole_number(const std::string& text) {
  std::uint64_t result = 0;
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (text.empty() || status != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return result;
}

} // namespace

view_fault fault_of(const error& why) {
  switch (why.code) {
    case ec::timeout:
    // Its record has no beginning yet.
    case ec::unreachable:
      return {503, "busy", to_text(why)};
    case ec::unknown_name:
      return {404, "not_found", to_text(why)};
    case ec::bad_option:
    case ec::bad_syntax:
      return {400, "bad_query", to_text(why)};
    case ec::refused:
      return {500, "foreign", to_text(why)};
    default:
      return {500, "unreadable", to_text(why)};
  }
}

view_fault bad_query(std::string why) {
  return {400, "bad_query", std::move(why)};
}

view_fault not_found(std::string what) {
  return {404, "not_found", std::move(what)};
}

void query_reader::refuse(const std::string& name, const std::string& why) {
  if (!fault_)
    fault_ = bad_query(name + ": " + why);
}

std::string query_reader::text(const std::string& name) const {
  auto [from, to] = from_.query.equal_range(name);
  return from == to ? std::string{} : std::prev(to)->second;
}

std::uint64_t query_reader::number(const std::string& name, std::uint64_t otherwise,
                                   std::uint64_t least, std::uint64_t most) {
  const auto given = text(name);
  if (given.empty())
    return otherwise;
  auto found = whole_number(given);
  if (!found || *found < least) {
    refuse(name, "a whole number of at least " + std::to_string(least) + " is expected");
    return otherwise;
  }
  return std::min(*found, most);
}

std::optional<trial_id> query_reader::trial(const std::string& name) {
  const auto given = text(name);
  if (given.empty())
    return std::nullopt;
  auto found = trial_from(given);
  if (!found)
    refuse(name, "the number of a trial is expected");
  return found;
}

std::string query_reader::one_of(const std::string& name, const std::vector<std::string>& words) {
  auto given = text(name);
  if (given.empty())
    return words.front();
  if (std::find(words.begin(), words.end(), given) != words.end())
    return given;
  std::string all;
  for (const auto& x : words)
    all += (all.empty() ? "" : ", ") + x;
  refuse(name, "one of " + all + " is expected");
  return words.front();
}

std::optional<trial_id> trial_from(const std::string& text) {
  auto found = whole_number(text);
  return found ? std::optional{trial_id{*found}} : std::nullopt;
}

std::string cursor_text(const value::list& place) {
  std::string result;
  for (unsigned char c : to_json(value{place})) {
    result += hex_digits[c >> 4U];
    result += hex_digits[c & 15U];
  }
  return result;
}

std::optional<value::list> cursor_from(const std::string& text) {
  if (text.empty() || text.size() % 2 != 0 || text.size() > longest_cursor)
    return std::nullopt;
  std::string json;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto high = hex_digits.find(text[i]), low = hex_digits.find(text[i + 1]);
    if (high == hex_digits.npos || low == hex_digits.npos)
      return std::nullopt;
    json += static_cast<char>(high << 4U | low);
  }
  auto read = from_json(json, json_position::metric, {longest_cursor, 4, true});
  const auto* list = read ? read->as_list() : nullptr;
  return list == nullptr ? std::nullopt : std::optional{*list};
}

} // namespace tune::cli

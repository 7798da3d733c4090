// SPDX-License-Identifier: BSD-3-Clause
#include "scanner.hpp"

#include "tune/core/space/space.hpp"
#include "tune/core/text.hpp"

#include <algorithm>

namespace tune {

namespace {

constexpr auto nowhere = std::string_view::npos;

/// Whether the word "if" stands alone at `i`.
bool is_if(std::string_view text, std::size_t i) {
  if (text.substr(i, 2) != "if")
    return false;
  constexpr std::string_view openers = ")]}\"";
  auto before = i == 0 || is_blank(text[i - 1]) || openers.find(text[i - 1]) != nowhere;
  auto after = i + 2 == text.size() || is_blank(text[i + 2]) || text[i + 2] == '(';
  return before && after;
}

/// Position of the first "if" outside of quotes and brackets.
std::size_t find_if_word(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        i += text[i] == '\\';
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      depth -= depth > 0;
    } else if (c == 'i' && depth == 0 && is_if(text, i)) {
      return i;
    }
  }
  return nowhere;
}

error prefixed(const std::string& name, error why, std::string_view where = {}) {
  why.detail = '"' + name + "\": " + std::string{where} + why.detail;
  return why;
}

expected<parameter> parse_parameter(const parameter_text& line) {
  std::string_view text = line.text;
  auto split = find_if_word(text);
  auto what = parse_domain(text.substr(0, split));
  if (!what)
    return prefixed(line.name, what.error());
  parameter result{line.name, std::move(*what), std::nullopt, line.numbers_runs};
  if (split == nowhere)
    return result;
  auto rule = condition::parse(text.substr(split + 2));
  if (!rule)
    return prefixed(line.name, rule.error(), "in the condition after 'if', ");
  result.active_if = std::move(*rule);
  return result;
}

} // namespace

expected<search_space> search_space::parse(const std::vector<parameter_text>& lines) {
  std::vector<parameter> parameters;
  parameters.reserve(lines.size());
  std::optional<space_constraint> constraint;
  for (const auto& line : lines) {
    if (line.name == constraint_line) {
      auto read = space_constraint::parse(line.text);
      if (!read)
        return prefixed(line.name, read.error());
      constraint = std::move(*read);
      continue;
    }
    auto one = parse_parameter(line);
    if (!one)
      return one.error();
    parameters.push_back(std::move(*one));
  }
  return make(std::move(parameters), std::move(constraint));
}

} // namespace tune

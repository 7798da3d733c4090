// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/expression.hpp"

#include "expression_reader.hpp"
#include "formula_parser.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tune {

namespace {

using sort = formula::sort;

value tree_of(const formula& x, const std::vector<std::string>& names) {
  if (x.what == sort::literal)
    return x.literal;
  if (x.what == sort::named || x.what == sort::length)
    return object{{x.what == sort::named ? "name" : "len", names[x.name]}};
  value::list parts;
  for (const auto& part : x.parts)
    parts.push_back(tree_of(part, names));
  return object{{"of", x.by->name}, {"with", std::move(parts)}};
}

void add_numbers(std::vector<std::size_t>& to, const formula& x) {
  if (x.what == sort::named && std::find(to.begin(), to.end(), x.name) == to.end())
    to.push_back(x.name);
  for (const auto& part : x.parts)
    add_numbers(to, part);
}

} // namespace

expected<expression> expression_reader::read(scanner& in) {
  in.skip_blanks();
  auto whole = in.rest();
  auto begin = in.position();
  formula_parser from{in, name_rule::in_braces};
  auto root = from.sum();
  if (!root)
    return root.error();
  expression result;
  result.text_ = trimmed(whole.substr(0, in.position() - begin));
  result.root_ = std::make_shared<const formula>(std::move(*root));
  result.names_ = std::make_shared<const std::vector<std::string>>(std::move(from.names));
  return result;
}

expected<expression> expression::parse(std::string_view text) {
  scanner in{text};
  auto result = expression_reader::read(in);
  if (!result)
    return result;
  in.skip_blanks();
  return in.at_end() ? result : in.expected_here("an operator or the end");
}

std::optional<double> expression::number(std::span<const value* const> values) const {
  auto result = evaluated(*root_, values);
  auto number = result ? number_of(*result) : std::nullopt;
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<interval> expression::span(const interval_of& known) const {
  return span_of(*root_, known);
}

std::vector<std::size_t> expression::numbers_read() const {
  std::vector<std::size_t> result;
  add_numbers(result, *root_);
  return result;
}

value expression::tree() const {
  return tree_of(*root_, *names_);
}

} // namespace tune

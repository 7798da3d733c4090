// SPDX-License-Identifier: BSD-3-Clause
#include "formula_parser.hpp"

#include "tune/core/text.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

using sort = formula::sort;

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool continues_name(char c) {
  return begins_name(c) || (c >= '0' && c <= '9') || c == '.';
}

bool is_truth(const formula& x) {
  return x.what == sort::all || x.what == sort::any || x.what == sort::negated
         || x.what == sort::compared;
}

formula literal_of(value what) {
  formula result;
  result.literal = std::move(what);
  return result;
}

formula joined(const operation* by, formula left, formula right) {
  formula result;
  result.what = sort::computed;
  result.by = by;
  result.parts.push_back(std::move(left));
  result.parts.push_back(std::move(right));
  return result;
}

std::string unknown_function(std::string_view name) {
  auto result = '"' + std::string{name} + "\" is no function; known: len";
  for (const auto& x : functions())
    result.append(" ").append(x.name);
  return result;
}

} // namespace

expected<formula> formula_parser::rule() {
  auto result = any(0);
  if (!result)
    return result;
  in_.skip_blanks();
  if (!in_.at_end())
    return in_.expected_here("an operator, 'and', 'or' or the end");
  return result;
}

bool formula_parser::take(std::string_view wanted) {
  in_.skip_blanks();
  if (!in_.rest().starts_with(wanted))
    return false;
  in_.go_to(in_.position() + wanted.size());
  return true;
}

std::string_view formula_parser::next_name() {
  in_.skip_blanks();
  auto left = in_.rest();
  std::size_t size = 0;
  if (!left.empty() && begins_name(left[0])) {
    while (size < left.size() && continues_name(left[size]))
      ++size;
  }
  return left.substr(0, size);
}

bool formula_parser::take_word(std::string_view wanted) {
  if (next_name() != wanted)
    return false;
  in_.go_to(in_.position() + wanted.size());
  return true;
}

expected<formula> formula_parser::chain(sort what, std::string_view word, int depth) {
  formula result;
  result.what = what;
  do {
    auto part = what == sort::any ? chain(sort::all, "and", depth) : negation(depth);
    if (!part)
      return part;
    result.parts.push_back(std::move(*part));
  } while (take_word(word));
  if (result.parts.size() > 1)
    return result;
  auto only = std::move(result.parts.front());
  return only;
}

expected<formula> formula_parser::negation(int depth) {
  if (depth > scanner::most_depth)
    return in_.expected_here("fewer brackets");
  if (!take_word("not"))
    return comparison(depth);
  auto inner = negation(depth + 1);
  if (!inner)
    return inner;
  formula result;
  result.what = sort::negated;
  result.parts.push_back(std::move(*inner));
  return result;
}

/// Reads a comparison. A bracket that begins here may hold comparisons itself: only if it closes
/// before any arithmetic goes on.
expected<formula> formula_parser::comparison(int depth) {
  auto begin = in_.position();
  if (take("(")) {
    auto inner = any(depth + 1);
    if (inner && take(")") && is_truth(*inner) && !continues())
      return inner;
    in_.go_to(begin);
  }
  auto left = sum(depth);
  if (!left)
    return left;
  auto how = relation_here();
  if (!how)
    return alone(std::move(*left));
  auto right = sum(depth);
  if (!right)
    return right;
  if (relation_here())
    return in_.wrong_at(in_.position(), "comparisons cannot be chained; write a < b and b < c");
  auto result = joined(nullptr, std::move(*left), std::move(*right));
  result.what = sort::compared;
  result.how = *how;
  return result;
}

/// Whether arithmetic or a comparison goes on after a bracket.
bool formula_parser::continues() {
  in_.skip_blanks();
  constexpr std::string_view operators = "+-*/%<>=!";
  return !in_.at_end() && operators.find(in_.peek()) != operators.npos;
}

/// Reads a name by itself as the question whether it is true.
expected<formula> formula_parser::alone(formula left) {
  if (left.what != sort::named)
    return in_.expected_here("a comparison such as < 10");
  auto result = joined(nullptr, std::move(left), literal_of(value{true}));
  result.what = sort::compared;
  return result;
}

std::optional<relation> formula_parser::relation_here() {
  static constexpr std::pair<std::string_view, relation> known[]
      = {{"<=", relation::at_most}, {">=", relation::at_least}, {"==", relation::equal},
         {"!=", relation::unequal}, {"<", relation::less},      {">", relation::greater}};
  for (const auto& [text, how] : known) {
    if (take(text))
      return how;
  }
  return std::nullopt;
}

const operation* formula_parser::operator_here(std::initializer_list<std::string_view> names_of) {
  for (auto name : names_of) {
    if (take(name))
      return operator_named(name, 2);
  }
  return nullptr;
}

expected<formula> formula_parser::sum(int depth) {
  auto result = product(depth);
  while (result) {
    const auto* by = operator_here({"+", "-"});
    if (by == nullptr)
      break;
    auto right = product(depth);
    if (!right)
      return right;
    result = joined(by, std::move(*result), std::move(*right));
  }
  return result;
}

expected<formula> formula_parser::product(int depth) {
  auto result = signed_power(depth);
  while (result) {
    const auto* by = operator_here({"*", "/", "%"});
    if (by == nullptr)
      break;
    auto right = signed_power(depth);
    if (!right)
      return right;
    result = joined(by, std::move(*result), std::move(*right));
  }
  return result;
}

/// Reads signs and powers: -x ** 2 is -(x ** 2), and 2 ** -1 is 0.5.
expected<formula> formula_parser::signed_power(int depth) {
  if (depth > scanner::most_depth)
    return in_.expected_here("fewer brackets");
  if (take("-")) {
    auto inner = signed_power(depth + 1);
    if (!inner)
      return inner;
    formula result;
    result.what = sort::computed;
    result.by = operator_named("-", 1);
    result.parts.push_back(std::move(*inner));
    return result;
  }
  auto base = atom(depth);
  if (!base || !take("**"))
    return base;
  auto exponent = signed_power(depth + 1);
  if (!exponent)
    return exponent;
  return joined(operator_named("**", 2), std::move(*base), std::move(*exponent));
}

expected<formula> formula_parser::atom(int depth) {
  in_.skip_blanks();
  auto c = in_.peek();
  if (take("(")) {
    auto inner = sum(depth + 1);
    if (inner && !take(")"))
      return in_.expected_here("')'");
    return inner;
  }
  if (c == '"' && by_ == name_rule::plain)
    return text();
  if (is_digit(c) || c == '.')
    return number();
  if (c != '{')
    return word(depth);
  auto name = braced_name();
  return name ? expected<formula>{node_of(sort::named, *name)} : name.error();
}

/// Reads a name without braces, a truth value or a function.
expected<formula> formula_parser::word(int depth) {
  auto name = next_name();
  auto braces = by_ == name_rule::in_braces;
  if (name.empty())
    return in_.expected_here(braces ? "a number, a parameter in braces or a bracket"
                                    : "a number, a parameter or a bracket");
  auto at = in_.position();
  in_.go_to(at + name.size());
  if (name == "true" || name == "false")
    return literal_of(value{name == "true"});
  if (take("("))
    return call(name, at, depth);
  if (braces)
    return in_.wrong_at(at, "a parameter stands in braces here: {" + std::string{name} + "}");
  return node_of(sort::named, name);
}

expected<formula> formula_parser::text() {
  auto read = in_.quoted();
  if (!read)
    return read.error();
  return literal_of(value{std::move(*read)});
}

expected<formula> formula_parser::number() {
  auto left = in_.rest();
  std::size_t size = 0;
  while (size < left.size()
         && (is_digit(left[size]) || left[size] == '.' || left[size] == 'e' || left[size] == 'E'
             || ((left[size] == '+' || left[size] == '-')
                 && (left[size - 1] == 'e' || left[size - 1] == 'E'))))
    ++size;
  auto read = meaning_of(left.substr(0, size));
  if (!read || (read->as_int() == nullptr && read->as_double() == nullptr))
    return in_.expected_here("a number");
  in_.go_to(in_.position() + size);
  return literal_of(std::move(*read));
}

expected<std::string_view> formula_parser::braced_name() {
  auto opened = in_.position();
  take("{");
  in_.skip_blanks();
  auto left = in_.rest();
  auto end = left.find_first_of("{}");
  if (end == left.npos || left[end] == '{')
    return in_.wrong_at(opened, "'{' is never closed");
  auto name = left.substr(0, end);
  name = name.substr(0, name.find_last_not_of(" \t\r\n") + 1);
  if (name.empty())
    return in_.wrong_at(opened, "a parameter's name belongs between the braces");
  in_.go_to(in_.position() + end + 1);
  return name;
}

formula formula_parser::node_of(sort what, std::string_view name) {
  formula result;
  result.what = what;
  auto i = std::find(names.begin(), names.end(), name);
  result.name = static_cast<std::size_t>(i - names.begin());
  if (i == names.end())
    names.emplace_back(name);
  return result;
}

expected<formula> formula_parser::call(std::string_view name, std::size_t at, int depth) {
  if (name == "len")
    return length();
  auto all = functions();
  auto known
      = std::find_if(all.begin(), all.end(), [&](const operation& x) { return x.name == name; });
  if (known == all.end())
    return in_.wrong_at(at, unknown_function(name), ec::unknown_name);
  formula result;
  result.what = sort::computed;
  result.by = &*known;
  do {
    auto part = sum(depth + 1);
    if (!part)
      return part;
    result.parts.push_back(std::move(*part));
  } while (take(","));
  if (!take(")"))
    return in_.expected_here("',' or ')'");
  if (result.parts.size() < known->least || result.parts.size() > known->most)
    return in_.wrong_at(at, std::string{name} + " takes one number", ec::bad_option);
  return result;
}

/// Reads what follows "len(".
expected<formula> formula_parser::length() {
  in_.skip_blanks();
  auto braced = in_.peek() == '{';
  if (!braced && by_ == name_rule::in_braces)
    return in_.expected_here("len({NAME})");
  auto name = braced ? braced_name() : expected<std::string_view>{next_name()};
  if (!name)
    return name.error();
  if (!braced)
    in_.go_to(in_.position() + name->size());
  if (name->empty() || !take(")"))
    return in_.expected_here("len(NAME)");
  return node_of(sort::length, *name);
}

} // namespace tune

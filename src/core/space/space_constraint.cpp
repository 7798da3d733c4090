// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/space_constraint.hpp"

#include "scanner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tune {

namespace {

using operands = std::span<const double>;
using formula = double (*)(operands);

struct function {
  std::string_view name;
  std::size_t least;
  std::size_t most;
  formula of;
};

constexpr std::size_t any_number = static_cast<std::size_t>(-1);

constexpr function functions[] = {
    {"abs", 1, 1, [](operands x) { return std::abs(x[0]); }},
    {"ceil", 1, 1, [](operands x) { return std::ceil(x[0]); }},
    {"exp", 1, 1, [](operands x) { return std::exp(x[0]); }},
    {"floor", 1, 1, [](operands x) { return std::floor(x[0]); }},
    {"log", 1, 1, [](operands x) { return std::log(x[0]); }},
    {"log2", 1, 1, [](operands x) { return std::log2(x[0]); }},
    {"log10", 1, 1, [](operands x) { return std::log10(x[0]); }},
    {"max", 1, any_number, [](operands x) { return *std::max_element(x.begin(), x.end()); }},
    {"min", 1, any_number, [](operands x) { return *std::min_element(x.begin(), x.end()); }},
    {"round", 1, 1, [](operands x) { return std::round(x[0]); }},
    {"sqrt", 1, 1, [](operands x) { return std::sqrt(x[0]); }},
};

double add(operands x) {
  return x[0] + x[1];
}
double subtract(operands x) {
  return x[0] - x[1];
}
double multiply(operands x) {
  return x[0] * x[1];
}
double divide(operands x) {
  return x[1] == 0 ? std::nan("") : x[0] / x[1];
}
double remainder(operands x) {
  return x[1] == 0 ? std::nan("") : x[0] - x[1] * std::floor(x[0] / x[1]);
}
double raise(operands x) {
  return std::pow(x[0], x[1]);
}
double negate(operands x) {
  return -x[0];
}

enum class relation { less, at_most, greater, at_least, equal, unequal };

} // namespace

struct space_constraint::node {
  enum class sort { all, any, negated, compared, computed, named, literal, length };

  sort what = sort::literal;
  std::vector<node> parts = {};
  relation how = relation::equal;
  formula of = nullptr;
  /// Index of the name.
  std::size_t name = 0;
  value literal = {};
};

namespace {

using node = space_constraint::node;
using sort = node::sort;
using truth = std::optional<bool>;
using known_values = std::span<const value* const>;

/// A number where it is one; true and false are.
std::optional<double> number_of(const value& x) {
  if (const auto* yes = x.as_bool())
    return *yes ? 1 : 0;
  auto number = x.as_int() != nullptr || x.as_double() != nullptr ? x.number() : std::nullopt;
  return number && !std::isnan(*number) ? number : std::nullopt;
}

/// Nothing where a name is absent.
std::optional<value> evaluated(const node& x, known_values values);

std::optional<value> computed(const node& x, known_values values) {
  std::vector<double> numbers;
  for (const auto& part : x.parts) {
    auto one = evaluated(part, values);
    auto number = one ? number_of(*one) : std::nullopt;
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  auto made = x.of(numbers);
  return std::isnan(made) ? std::nullopt : std::optional{value{made}};
}

std::optional<value> evaluated(const node& x, known_values values) {
  if (x.what == sort::literal)
    return x.literal;
  if (x.what == sort::computed)
    return computed(x, values);
  const auto* given = values[x.name];
  if (given == nullptr)
    return std::nullopt;
  if (x.what == sort::named)
    return *given;
  const auto* list = given->as_list();
  return list != nullptr ? std::optional{value{static_cast<double>(list->size())}} : std::nullopt;
}

bool holds(double a, relation how, double b) {
  switch (how) {
    case relation::less:
      return a < b;
    case relation::at_most:
      return a <= b;
    case relation::greater:
      return a > b;
    case relation::at_least:
      return a >= b;
    case relation::equal:
      return a == b;
    default:
      return a != b;
  }
}

truth compared(const node& x, known_values values) {
  auto a = evaluated(x.parts[0], values);
  auto b = evaluated(x.parts[1], values);
  if (!a || !b)
    return std::nullopt;
  auto left = number_of(*a);
  auto right = number_of(*b);
  if (left && right)
    return holds(*left, x.how, *right);
  if (x.how == relation::equal)
    return *a == *b;
  return x.how == relation::unequal ? truth{*a != *b} : std::nullopt;
}

truth decided(const node& x, known_values values) {
  if (x.what == sort::compared)
    return compared(x, values);
  if (x.what == sort::negated) {
    auto inner = decided(x.parts.front(), values);
    return inner ? truth{!*inner} : std::nullopt;
  }
  auto wanted = x.what == sort::any;
  truth result = !wanted;
  for (const auto& part : x.parts) {
    auto one = decided(part, values);
    if (one == wanted)
      return wanted;
    if (!one)
      result = std::nullopt;
  }
  return result;
}

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool continues_name(char c) {
  return begins_name(c) || (c >= '0' && c <= '9') || c == '.';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Recursive descent, one function per level of precedence.
class parser {
public:
  explicit parser(std::string_view text) : text_{text}, in_{text} {}

  expected<node> whole() {
    auto result = any(0);
    if (!result)
      return result;
    in_.skip_blanks();
    if (!in_.at_end())
      return in_.expected_here("an operator, 'and', 'or' or the end");
    return result;
  }

  std::vector<std::string> names;

private:
  std::string_view text_;
  scanner in_;

  [[nodiscard]] std::string_view rest() const { return text_.substr(in_.position()); }

  bool take(std::string_view wanted) {
    in_.skip_blanks();
    if (!rest().starts_with(wanted))
      return false;
    in_.go_to(in_.position() + wanted.size());
    return true;
  }

  std::string_view next_name() {
    in_.skip_blanks();
    auto left = rest();
    std::size_t size = 0;
    if (!left.empty() && begins_name(left[0])) {
      while (size < left.size() && continues_name(left[size]))
        ++size;
    }
    return left.substr(0, size);
  }

  bool take_word(std::string_view wanted) {
    if (next_name() != wanted)
      return false;
    in_.go_to(in_.position() + wanted.size());
    return true;
  }

  expected<node> any(int depth) { return chain(sort::any, "or", depth); }

  expected<node> chain(sort what, std::string_view word, int depth) {
    node result;
    result.what = what;
    do {
      auto part = what == sort::any ? chain(sort::all, "and", depth) : negation(depth);
      if (!part)
        return part;
      result.parts.push_back(std::move(*part));
    } while (take_word(word));
    if (result.parts.size() == 1)
      return std::move(result.parts.front());
    return result;
  }

  expected<node> negation(int depth) {
    if (depth > scanner::most_depth)
      return in_.expected_here("fewer brackets");
    if (!take_word("not"))
      return comparison(depth);
    auto inner = negation(depth + 1);
    if (!inner)
      return inner;
    node result;
    result.what = sort::negated;
    result.parts.push_back(std::move(*inner));
    return result;
  }

  /// Whether a bracket that begins here holds comparisons: it closes before any arithmetic goes on.
  expected<node> comparison(int depth) {
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
    node result;
    result.what = sort::compared;
    result.how = *how;
    result.parts.push_back(std::move(*left));
    result.parts.push_back(std::move(*right));
    return result;
  }

  static bool is_truth(const node& x) {
    return x.what == sort::all || x.what == sort::any || x.what == sort::negated
           || x.what == sort::compared;
  }

  /// Whether arithmetic or a comparison goes on behind a bracket.
  bool continues() {
    in_.skip_blanks();
    constexpr std::string_view operators = "+-*/%<>=!";
    return !in_.at_end() && operators.find(in_.peek()) != operators.npos;
  }

  /// A name by itself asks whether it is true.
  expected<node> alone(node left) {
    if (left.what != sort::named)
      return in_.expected_here("a comparison such as < 10");
    node result;
    result.what = sort::compared;
    result.parts.push_back(std::move(left));
    node yes;
    yes.literal = value{true};
    result.parts.push_back(std::move(yes));
    return result;
  }

  std::optional<relation> relation_here() {
    static constexpr std::pair<std::string_view, relation> known[]
        = {{"<=", relation::at_most}, {">=", relation::at_least}, {"==", relation::equal},
           {"!=", relation::unequal}, {"<", relation::less},      {">", relation::greater}};
    for (const auto& [text, how] : known) {
      if (take(text))
        return how;
    }
    return std::nullopt;
  }

  static node joined(formula of, node left, node right) {
    node result;
    result.what = sort::computed;
    result.of = of;
    result.parts.push_back(std::move(left));
    result.parts.push_back(std::move(right));
    return result;
  }

  expected<node> sum(int depth) {
    auto result = product(depth);
    while (result) {
      auto of = take("+") ? add : take("-") ? subtract : nullptr;
      if (of == nullptr)
        break;
      auto right = product(depth);
      if (!right)
        return right;
      result = joined(of, std::move(*result), std::move(*right));
    }
    return result;
  }

  expected<node> product(int depth) {
    auto result = signed_power(depth);
    while (result) {
      auto of = take("*") ? multiply : take("/") ? divide : take("%") ? remainder : nullptr;
      if (of == nullptr)
        break;
      auto right = signed_power(depth);
      if (!right)
        return right;
      result = joined(of, std::move(*result), std::move(*right));
    }
    return result;
  }

  /// -x ** 2 is -(x ** 2), and 2 ** -1 is a half.
  expected<node> signed_power(int depth) {
    if (depth > scanner::most_depth)
      return in_.expected_here("fewer brackets");
    if (take("-")) {
      auto inner = signed_power(depth + 1);
      if (!inner)
        return inner;
      node result;
      result.what = sort::computed;
      result.of = negate;
      result.parts.push_back(std::move(*inner));
      return result;
    }
    auto base = atom(depth);
    if (!base || !take("**"))
      return base;
    auto exponent = signed_power(depth + 1);
    if (!exponent)
      return exponent;
    return joined(raise, std::move(*base), std::move(*exponent));
  }

  expected<node> atom(int depth) {
    in_.skip_blanks();
    auto c = in_.peek();
    if (take("(")) {
      auto inner = sum(depth + 1);
      if (inner && !take(")"))
        return in_.expected_here("')'");
      return inner;
    }
    if (c == '"')
      return text();
    if (is_digit(c) || c == '.')
      return number();
    auto name = next_name();
    if (name.empty())
      return in_.expected_here("a number, a parameter or a bracket");
    auto at = in_.position();
    in_.go_to(at + name.size());
    if (name == "true" || name == "false") {
      node result;
      result.literal = value{name == "true"};
      return result;
    }
    return take("(") ? call(name, at, depth) : node_of(sort::named, name);
  }

  expected<node> text() {
    auto read = in_.quoted();
    if (!read)
      return read.error();
    node result;
    result.literal = value{std::move(*read)};
    return result;
  }

  expected<node> number() {
    auto left = rest();
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
    node result;
    result.literal = std::move(*read);
    return result;
  }

  node node_of(sort what, std::string_view name) {
    node result;
    result.what = what;
    auto i = std::find(names.begin(), names.end(), name);
    result.name = static_cast<std::size_t>(i - names.begin());
    if (i == names.end())
      names.emplace_back(name);
    return result;
  }

  expected<node> call(std::string_view name, std::size_t at, int depth) {
    if (name == "len") {
      auto of = next_name();
      in_.go_to(in_.position() + of.size());
      if (of.empty() || !take(")"))
        return in_.expected_here("len(NAME)");
      return node_of(sort::length, of);
    }
    const auto* known = std::find_if(std::begin(functions), std::end(functions),
                                     [&](const function& x) { return x.name == name; });
    if (known == std::end(functions))
      return in_.wrong_at(at, unknown_function(name), ec::unknown_name);
    node result;
    result.what = sort::computed;
    result.of = known->of;
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

  static std::string unknown_function(std::string_view name) {
    auto result = '"' + std::string{name} + "\" is no function; known: len";
    for (const auto& x : functions)
      result.append(" ").append(x.name);
    return result;
  }
};

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  auto first = text.find_first_not_of(blanks);
  if (first == text.npos)
    return {};
  return std::string{text.substr(first, text.find_last_not_of(blanks) - first + 1)};
}

} // namespace

expected<space_constraint> space_constraint::parse(std::string_view text) {
  space_constraint result;
  result.text_ = trimmed(text);
  parser from{text};
  auto root = from.whole();
  if (!root)
    return root.error();
  result.root_ = std::make_shared<const node>(std::move(*root));
  result.names_ = std::make_shared<const std::vector<std::string>>(std::move(from.names));
  return result;
}

bool space_constraint::allows(std::span<const value* const> values) const {
  return decided(*root_, values).value_or(true);
}

} // namespace tune

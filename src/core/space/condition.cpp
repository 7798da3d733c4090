// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/condition.hpp"

#include "is_number.hpp"
#include "scanner.hpp"

#include "tune/core/space/comparison.hpp"
#include "tune/core/space/space.hpp"

#include <algorithm>
#include <map>

namespace tune {

namespace {

using truth = std::optional<bool>;

} // namespace

struct condition::node {
  enum class sort { all, any, negated, compared, member };

  sort what = sort::compared;
  /// Operands of all, any (two or more) and negated (one).
  std::vector<node> parts{};
  /// For compared and member: index of the name, and literals (one, or a list).
  std::size_t name = 0;
  relation how = relation::equal;
  std::vector<value> literals{};
};

namespace {

using node = condition::node;

bool are_equal(const value& a, const value& b) {
  if (a.as_int() != nullptr && b.as_int() != nullptr)
    return *a.as_int() == *b.as_int();
  if (is_number(a) && is_number(b))
    return *a.number() == *b.number();
  return a == b;
}

template <class T>
bool ordered(const T& a, relation how, const T& b) {
  switch (how) {
    case relation::less:
      return a < b;
    case relation::at_most:
      return a <= b;
    case relation::greater:
      return a > b;
    case relation::at_least:
      return a >= b;
    default:
      return false;
  }
}

truth evaluate(const node& x, std::span<const value* const> values);

/// Evaluates `all` for wanted = false, `any` for wanted = true: a single part with that value
/// decides.
truth evaluate_parts(const node& x, std::span<const value* const> values, bool wanted) {
  truth result = !wanted;
  for (const auto& part : x.parts) {
    auto one = evaluate(part, values);
    if (one == wanted)
      return wanted;
    if (!one)
      result = std::nullopt;
  }
  return result;
}

truth evaluate(const node& x, std::span<const value* const> values) {
  switch (x.what) {
    case node::sort::all:
      return evaluate_parts(x, values, false);
    case node::sort::any:
      return evaluate_parts(x, values, true);
    case node::sort::negated: {
      auto inner = evaluate(x.parts.front(), values);
      return inner ? truth{!*inner} : std::nullopt;
    }
    case node::sort::compared:
    case node::sort::member:
      break;
  }
  const auto* left = values[x.name];
  if (left == nullptr)
    return std::nullopt;
  if (x.what == node::sort::compared)
    return compare(*left, x.how, x.literals.front());
  return std::any_of(x.literals.begin(), x.literals.end(),
                     [&](const value& y) { return are_equal(*left, y); });
}

/// Appends all comparisons below `x`, from left to right.
void add_comparisons(std::vector<parameter_comparison>& to, const node& x,
                     const std::vector<std::string>& names) {
  for (const auto& part : x.parts)
    add_comparisons(to, part, names);
  for (const auto& literal : x.literals)
    to.push_back({names[x.name], x.how, literal});
}

/// Recursive descent, one function per level of precedence.
class parser {
public:
  explicit parser(std::string_view text) : in_{text} {}

  expected<node> whole() {
    auto result = any(0);
    if (!result)
      return result;
    in_.skip_blanks();
    if (!in_.at_end())
      return in_.expected_here("'and', 'or' or the end");
    return result;
  }

  std::vector<std::string> names;

private:
  /// The next word, without taking it.
  std::string_view next_word() {
    in_.skip_blanks();
    auto at = in_.position();
    auto result = in_.word(word_rule::condition);
    in_.go_to(at);
    return result;
  }

  bool take_word(std::string_view wanted) {
    if (next_word() != wanted)
      return false;
    in_.word(word_rule::condition);
    return true;
  }

  expected<node> any(int depth) { return chain(node::sort::any, "or", depth); }

  expected<node> chain(node::sort what, std::string_view word, int depth) {
    node result;
    result.what = what;
    do {
      auto part = what == node::sort::any ? chain(node::sort::all, "and", depth) : negation(depth);
      if (!part)
        return part;
      result.parts.push_back(std::move(*part));
    } while (take_word(word));
    if (result.parts.size() > 1)
      return result;
    auto only = std::move(result.parts.front());
    return only;
  }

  expected<node> negation(int depth) {
    bool negated = false;
    while (take_word("not"))
      negated = !negated;
    auto inner = primary(depth);
    if (!inner || !negated)
      return inner;
    node result;
    result.what = node::sort::negated;
    result.parts.push_back(std::move(*inner));
    return result;
  }

  expected<node> primary(int depth) {
    in_.skip_blanks();
    auto opened = in_.position();
    if (!in_.take('('))
      return comparison();
    if (depth >= scanner::most_depth)
      return in_.wrong_at(opened,
                          "brackets are nested deeper than " + std::to_string(scanner::most_depth));
    auto inner = any(depth + 1);
    if (!inner || in_.take(')'))
      return inner;
    if (in_.at_end())
      return in_.wrong_at(opened, "'(' is never closed");
    return in_.expected_here("'and', 'or' or ')'");
  }

  expected<node> comparison() {
    auto name = read_name();
    if (!name)
      return name.error();
    node result;
    result.name = *name;
    if (take_word("in"))
      return membership(std::move(result));
    if (next_word() == "not") {
      take_word("not");
      if (!take_word("in"))
        return in_.expected_here("'in'");
      auto inner = membership(std::move(result));
      if (!inner)
        return inner;
      node negated;
      negated.what = node::sort::negated;
      negated.parts.push_back(std::move(*inner));
      return negated;
    }
    auto how = read_relation();
    if (!how)
      return how.error();
    if (!*how) {
      result.literals.emplace_back(true);
      return result;
    }
    result.how = **how;
    auto right = in_.literal(word_rule::condition);
    if (!right)
      return right.error();
    result.literals.push_back(std::move(*right));
    return result;
  }

  expected<std::size_t> read_name() {
    in_.skip_blanks();
    auto at = in_.position();
    std::string name;
    if (in_.peek() == '"') {
      auto text = in_.quoted();
      if (!text)
        return text.error();
      name = std::move(*text);
    } else {
      name = in_.word(word_rule::condition);
      auto meaning = meaning_of(name);
      auto keyword = name == "and" || name == "or" || name == "in" || name == "if";
      if (name.empty() || keyword || !meaning || meaning->as_string() == nullptr) {
        in_.go_to(at);
        return in_.expected_here("a parameter's name");
      }
    }
    auto [known, added] = index_.emplace(name, names.size());
    if (added)
      names.push_back(name);
    return known->second;
  }

  /// Reads a relation, if one follows; empty if the name stands alone.
  expected<std::optional<relation>> read_relation() {
    in_.skip_blanks();
    auto first = in_.peek();
    if (first == '&' || first == '|')
      return in_.expected_here("'and' or 'or'");
    if (first != '=' && first != '!' && first != '<' && first != '>')
      return std::optional<relation>{};
    auto at = in_.position();
    in_.go_to(at + 1);
    auto second = in_.peek() == '=';
    if (second)
      in_.go_to(at + 2);
    if (first == '<')
      return std::optional{second ? relation::at_most : relation::less};
    if (first == '>')
      return std::optional{second ? relation::at_least : relation::greater};
    if (second)
      return std::optional{first == '=' ? relation::equal : relation::unequal};
    in_.go_to(at);
    return in_.expected_here("'==', '!=', '<', '<=', '>', '>=' or 'in'");
  }

  expected<node> membership(node result) {
    result.what = node::sort::member;
    in_.skip_blanks();
    auto opened = in_.position();
    auto close = in_.peek() == '[' ? ']' : ')';
    if (!in_.take('(') && !in_.take('['))
      return in_.expected_here("'('");
    do {
      in_.skip_blanks();
      if (in_.at_end())
        return in_.wrong_at(opened, "the list of 'in' is never closed");
      auto item = in_.literal(word_rule::condition);
      if (!item)
        return item.error();
      result.literals.push_back(std::move(*item));
    } while (in_.take(','));
    if (in_.take(close))
      return result;
    if (in_.at_end())
      return in_.wrong_at(opened, "the list of 'in' is never closed");
    return in_.expected_here(close == ')' ? "',' or ')'" : "',' or ']'");
  }

  scanner in_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

} // namespace

std::string_view to_text(relation x) {
  static constexpr std::string_view symbols[] = {"==", "!=", "<", "<=", ">", ">="};
  return symbols[static_cast<std::size_t>(x)];
}

bool compare(const value& a, relation how, const value& b) {
  if (how == relation::equal)
    return are_equal(a, b);
  if (how == relation::unequal)
    return !are_equal(a, b);
  if (a.as_int() != nullptr && b.as_int() != nullptr)
    return ordered(*a.as_int(), how, *b.as_int());
  if (is_number(a) && is_number(b))
    return ordered(*a.number(), how, *b.number());
  if (a.as_string() != nullptr && b.as_string() != nullptr)
    return ordered(*a.as_string(), how, *b.as_string());
  return false;
}

namespace {

object tree_of(const node& x, const std::vector<std::string>& names) {
  value::list parts;
  for (const auto& part : x.parts)
    parts.emplace_back(tree_of(part, names));
  switch (x.what) {
    case node::sort::all:
      return {{"and", std::move(parts)}};
    case node::sort::any:
      return {{"or", std::move(parts)}};
    case node::sort::negated:
      return {{"not", std::move(parts.front())}};
    case node::sort::member:
      return {{"name", names[x.name]}, {"in", x.literals}};
    case node::sort::compared:
      break;
  }
  return {{"name", names[x.name]}, {"is", to_text(x.how)}, {"value", x.literals.front()}};
}

} // namespace

object condition::tree() const {
  return tree_of(*root_, *names_);
}

expected<condition> condition::parse(std::string_view text) {
  parser from{text};
  auto root = from.whole();
  if (!root)
    return root.error();
  condition result;
  result.root_ = std::make_shared<const node>(std::move(*root));
  result.names_ = std::make_shared<const std::vector<std::string>>(std::move(from.names));
  result.text_ = trimmed(text);
  return result;
}

bool condition::holds(const object& where) const {
  std::vector<const value*> values;
  values.reserve(names_->size());
  for (const auto& name : *names_)
    values.push_back(find_parameter(where, name));
  return decide(values).value_or(false);
}

std::optional<bool> condition::decide(std::span<const value* const> values) const {
  return evaluate(*root_, values);
}

const std::vector<std::string>& condition::names() const {
  return *names_;
}

std::vector<parameter_comparison> comparisons_of(const condition& x) {
  std::vector<parameter_comparison> result;
  parser from{x.text()};
  if (auto root = from.whole())
    add_comparisons(result, *root, from.names);
  return result;
}

const std::string& condition::text() const {
  return text_;
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "formula.hpp"

#include <algorithm>
#include <cmath>

namespace tune {

namespace {

constexpr std::size_t any_number_of_operands = static_cast<std::size_t>(-1);

constexpr operation known_functions[] = {
    {"abs", 1, 1, [](operands x) { return std::abs(x[0]); }},
    {"ceil", 1, 1, [](operands x) { return std::ceil(x[0]); }},
    {"exp", 1, 1, [](operands x) { return std::exp(x[0]); }},
    {"floor", 1, 1, [](operands x) { return std::floor(x[0]); }},
    {"log", 1, 1, [](operands x) { return std::log(x[0]); }},
    {"log2", 1, 1, [](operands x) { return std::log2(x[0]); }},
    {"log10", 1, 1, [](operands x) { return std::log10(x[0]); }},
    {"max", 1, any_number_of_operands,
     [](operands x) { return *std::max_element(x.begin(), x.end()); }},
    {"min", 1, any_number_of_operands,
     [](operands x) { return *std::min_element(x.begin(), x.end()); }},
    {"round", 1, 1, [](operands x) { return std::round(x[0]); }},
    {"sqrt", 1, 1, [](operands x) { return std::sqrt(x[0]); }},
};

double divide(operands x) {
  return x[1] == 0 ? std::nan("") : x[0] / x[1];
}

double remainder(operands x) {
  return x[1] == 0 ? std::nan("") : x[0] - x[1] * std::floor(x[0] / x[1]);
}

constexpr operation known_operators[] = {
    {"+", 2, 2, [](operands x) { return x[0] + x[1]; }},
    {"-", 2, 2, [](operands x) { return x[0] - x[1]; }},
    {"*", 2, 2, [](operands x) { return x[0] * x[1]; }},
    {"/", 2, 2, divide},
    {"%", 2, 2, remainder},
    {"**", 2, 2, [](operands x) { return std::pow(x[0], x[1]); }},
    {"-", 1, 1, [](operands x) { return -x[0]; }},
};

using sort = formula::sort;
using truth = std::optional<bool>;

std::optional<value> computed(const formula& x, known_values values) {
  std::vector<double> numbers;
  numbers.reserve(x.parts.size());
  for (const auto& part : x.parts) {
    auto one = evaluated(part, values);
    auto number = one ? number_of(*one) : std::nullopt;
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  auto made = x.by->of(numbers);
  return std::isnan(made) ? std::nullopt : std::optional{value{made}};
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

truth compared(const formula& x, known_values values) {
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

} // namespace

std::span<const operation> functions() {
  return known_functions;
}

const operation* operator_named(std::string_view name, std::size_t count) {
  const auto* found
      = std::find_if(std::begin(known_operators), std::end(known_operators),
                     [&](const operation& x) { return x.name == name && x.least == count; });
  return found == std::end(known_operators) ? nullptr : found;
}

std::optional<double> number_of(const value& x) {
  if (const auto* yes = x.as_bool())
    return *yes ? 1 : 0;
  auto number = x.as_int() != nullptr || x.as_double() != nullptr ? x.number() : std::nullopt;
  return number && !std::isnan(*number) ? number : std::nullopt;
}

std::optional<value> evaluated(const formula& x, known_values values) {
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

std::optional<bool> decided(const formula& x, known_values values) {
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

} // namespace tune

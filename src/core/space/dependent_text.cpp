// SPDX-License-Identifier: BSD-3-Clause
#include "dependent_text.hpp"

#include "expression_reader.hpp"

#include <algorithm>
#include <cmath>

namespace tune {

namespace {

/// A distribution of numbers.
struct shape {
  std::string_view name;
  /// Arguments as written in the brackets.
  std::string_view arguments;
  bool has_bounds = true;
  bool whole = false;
  bool log = false;
  /// Numbers of arguments that are allowed.
  std::size_t least = 2;
  std::size_t most = 2;
};

constexpr shape shapes[] = {
    {"uniform", "low, high"},
    {"loguniform", "low, high", true, false, true},
    {"quniform", "low, high, q", true, false, false, 3, 3},
    {"qloguniform", "low, high, q", true, false, true, 3, 3},
    {"randint", "low, high", true, true},
    {"lograndint", "low, high", true, true, true},
    {"qrandint", "low, high, q", true, true, false, 2, 3},
    {"qlograndint", "low, high, q", true, true, true, 2, 3},
    {"randn", "mean, sd", false},
    {"qrandn", "mean, sd, q", false},
};

const shape* shape_named(std::string_view name) {
  const auto* found = std::find_if(std::begin(shapes), std::end(shapes),
                                   [&](const shape& x) { return x.name == name; });
  return found == std::end(shapes) ? nullptr : found;
}

std::string signature(const shape& x) {
  return std::string{x.name} + '(' + std::string{x.arguments} + ')';
}

/// Reads the step, which cannot depend on parameters.
expected<double> read_step(scanner& in, const shape& of) {
  in.skip_blanks();
  auto at = in.position();
  auto wrong = [&](const std::string& why) {
    return in.wrong_at(at, signature(of) + ": q must be " + why, ec::bad_option);
  };
  if (in.peek() == '{')
    return wrong("a number: only bounds can depend on other parameters");
  auto read = in.literal(word_rule::value);
  if (!read)
    return read.error();
  auto number = read->as_bool() == nullptr ? read->number() : std::nullopt;
  if (of.whole && (!number || *number < 1 || *number != std::floor(*number) || *number > 0x1p53))
    return wrong("a whole number >= 1");
  if (!number || !(*number > 0) || !std::isfinite(*number))
    return wrong("a number > 0");
  return *number;
}

} // namespace

bool is_dependent(const scanner& in, std::string_view distribution) {
  return shape_named(distribution) != nullptr && in.rest().find('{') != std::string_view::npos;
}

expected<domain> read_dependent(scanner& in, std::string_view distribution) {
  const auto& of = *shape_named(distribution);
  auto opened = in.position();
  if (!of.has_bounds)
    return in.wrong_at(opened,
                       signature(of)
                           + " takes numbers: bounds of ranges can depend on other "
                             "parameters, this has none",
                       ec::bad_option);
  in.take('(');
  auto low = expression_reader::read(in);
  if (!low)
    return low.error();
  if (!in.take(','))
    return in.expected_here("an operator or ','");
  auto high = expression_reader::read(in);
  if (!high)
    return high.error();
  dependent_range result{std::move(*low), std::move(*high), of.whole, of.log, of.whole ? 1.0 : 0};
  if (of.most > 2 && in.take(',')) {
    auto step = read_step(in, of);
    if (!step)
      return step.error();
    result.step = *step;
  } else if (of.least > 2) {
    return in.expected_here("an operator or ',' and q: " + signature(of));
  }
  if (in.take(')'))
    return domain{std::move(result)};
  return in.at_end() ? in.wrong_at(opened, "'(' is never closed")
                     : in.expected_here("an operator or ')'");
}

std::string text_of(const dependent_range& what) {
  auto stepped = what.whole ? what.step > 1 : what.step > 0;
  auto name = std::string{what.log ? "log" : ""} + (what.whole ? "randint" : "uniform");
  auto result = (stepped ? "q" + name : name) + '(' + what.low.text() + ", " + what.high.text();
  return result + (stepped ? ", " + to_text(value{what.step}) : "") + ')';
}

} // namespace tune

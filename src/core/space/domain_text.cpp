// SPDX-License-Identifier: BSD-3-Clause
#include "dependent_text.hpp"
#include "scanner.hpp"

#include "tune/core/plugin/options.hpp"
#include "tune/core/space/domain.hpp"
#include "tune/core/space/quantum.hpp"
#include "tune/core/value_set.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tune {

namespace {

struct distribution;

struct argument {
  value what;
  std::size_t position;
};

/// A distribution's name with its arguments, as read.
struct call {
  const scanner& in;
  const distribution& kind;
  std::vector<argument> arguments;
};

using builder = expected<domain> (*)(const call&);

struct distribution {
  std::string_view name;
  std::array<std::string_view, 3> arguments;
  std::size_t least;
  std::size_t most;
  builder build;
};

constexpr std::size_t any_number = static_cast<std::size_t>(-1);

std::string signature(const distribution& x) {
  if (x.most == any_number)
    return std::string{x.name} + "(a, b, …)";
  std::string result{x.name};
  for (std::size_t i = 0; i < x.most; ++i)
    result.append(i == 0 ? "(" : ", ").append(x.arguments[i]);
  return result + ')';
}

error bad_argument(const call& c, std::size_t i, std::string_view rule) {
  const auto& x = c.arguments[i];
  std::string name{c.kind.arguments[i]};
  return c.in.wrong_at(x.position,
                       signature(c.kind) + ": " + name + " = " + literal_text(x.what) + " must be "
                           + std::string{rule},
                       ec::bad_option);
}

expected<double> real(const call& c, std::size_t i, double fallback) {
  if (i >= c.arguments.size())
    return fallback;
  const auto& x = c.arguments[i].what;
  if (x.as_int() == nullptr && x.as_double() == nullptr)
    return bad_argument(c, i, "a number");
  return *x.number();
}

expected<std::int64_t> whole(const call& c, std::size_t i, std::int64_t fallback) {
  if (i >= c.arguments.size())
    return fallback;
  const auto& x = c.arguments[i].what;
  if (const auto* exact = x.as_int())
    return *exact;
  // "1e6" reads as a float, but is a whole number.
  const auto* number = x.as_double();
  if (number == nullptr || *number != std::floor(*number) || std::abs(*number) > 0x1p53)
    return bad_argument(c, i, "a whole number");
  return static_cast<std::int64_t>(*number);
}

std::string written(const call& c, std::size_t i) {
  return std::string{c.kind.arguments[i]} + " = " + literal_text(c.arguments[i].what);
}

/// Checks that both bounds are multiples of the step: otherwise the ends could not be reached.
expected<void> check_steps(const call& c, const float_range& x) {
  if (x.step <= 0)
    return bad_argument(c, 2, "> 0");
  for (std::size_t i : {0, 1}) {
    auto bound = i == 0 ? x.low : x.high;
    if (std::abs(bound / x.step) > most_steps)
      return bad_argument(c, 2, "larger: the bounds are more than 2^52 steps from 0");
    if (!steps_of(x.step, bound)) {
      auto k = std::floor(bound / x.step);
      const auto above = literal_text(multiple_of(x.step, k + 1));
      // A logarithmic range has no place for 0.
      const auto near = x.log && k <= 0 ? "; near is " + above
                                        : "; near are " + literal_text(multiple_of(x.step, k))
                                              + " and " + above;
      return bad_argument(c, i, "a multiple of " + written(c, 2) + near);
    }
  }
  return {};
}

template <bool Log, bool Steps>
expected<domain> build_float(const call& c) {
  auto low = real(c, 0, 0);
  auto high = real(c, 1, 1);
  auto step = real(c, 2, 0);
  for (const auto* x : {&low, &high, &step}) {
    if (!*x)
      return x->error();
  }
  float_range result{*low, *high, Log, *step};
  if (Log && *low <= 0)
    return bad_argument(c, 0, "> 0, because of the logarithm");
  if (*low >= *high)
    return bad_argument(c, 1, "above " + written(c, 0));
  if (!std::isfinite(*high - *low))
    return bad_argument(c, 1, "nearer to " + written(c, 0) + ": the range overflows a float");
  if (Steps) {
    if (auto fine = check_steps(c, result); !fine)
      return fine.error();
  }
  return domain{result};
}

template <bool Log, bool Steps>
expected<domain> build_int(const call& c) {
  auto low = whole(c, 0, 0);
  auto high = whole(c, 1, 1);
  auto step = whole(c, 2, 1);
  for (const auto* x : {&low, &high, &step}) {
    if (!*x)
      return x->error();
  }
  if (Log && *low < 1)
    return bad_argument(c, 0, ">= 1, because of the logarithm");
  if (*low >= *high)
    return bad_argument(c, 1, "above " + written(c, 0));
  if (Steps && *step < 1)
    return bad_argument(c, 2, ">= 1");
  if (auto [first, last] = steps_between(*low, *high, *step); first > last)
    return bad_argument(
        c, 2, "smaller: no multiple lies between " + written(c, 0) + " and " + written(c, 1));
  return domain{int_range{*low, *high, Log, *step}};
}

template <bool Steps>
expected<domain> build_normal(const call& c) {
  auto mean = real(c, 0, 0);
  auto sd = real(c, 1, 1);
  auto step = real(c, 2, 0);
  for (const auto* x : {&mean, &sd, &step}) {
    if (!*x)
      return x->error();
  }
  if (*sd <= 0)
    return bad_argument(c, 1, "> 0");
  if (Steps && *step <= 0)
    return bad_argument(c, 2, "> 0");
  if (!std::isfinite(std::abs(*mean) + 40 * *sd))
    return bad_argument(c, 1, "smaller: the range overflows a float");
  // Values beyond 40 standard deviations are never drawn.
  if (Steps && (std::abs(*mean) + 40 * *sd) / *step > most_steps)
    return bad_argument(c, 2, "larger: the values are more than 2^52 steps from 0");
  return domain{normal_range{*mean, *sd, *step}};
}

expected<domain> build_ordinal(const call& c) {
  choice_of result;
  value_set seen;
  for (const auto& x : c.arguments) {
    if (!seen.insert(x.what).second)
      return c.in.wrong_at(x.position, "ordinal(a, b, …): " + literal_text(x.what) + " comes twice",
                           ec::bad_option);
    result.options.push_back(x.what);
  }
  result.ordered = true;
  return domain{std::move(result)};
}

template <class Items>
expected<domain> build_items(const call& c) {
  Items result;
  value_set seen;
  for (const auto& x : c.arguments) {
    if (!seen.insert(x.what).second)
      return c.in.wrong_at(x.position,
                           signature(c.kind) + ": " + literal_text(x.what) + " comes twice",
                           ec::bad_option);
    result.items.push_back(x.what);
  }
  if (result.items.size() > Items::most_items)
    return c.in.wrong_at(0,
                         signature(c.kind) + " takes at most " + std::to_string(Items::most_items)
                             + " items, not " + std::to_string(result.items.size()),
                         ec::bad_option);
  return domain{std::move(result)};
}

template <class List>
expected<domain> build_list(const call& c) {
  List result;
  result.options.reserve(c.arguments.size());
  for (const auto& x : c.arguments)
    result.options.push_back(x.what);
  return domain{std::move(result)};
}

constexpr distribution distributions[] = {
    {"uniform", {"low", "high"}, 2, 2, build_float<false, false>},
    {"loguniform", {"low", "high"}, 2, 2, build_float<true, false>},
    {"quniform", {"low", "high", "q"}, 3, 3, build_float<false, true>},
    {"qloguniform", {"low", "high", "q"}, 3, 3, build_float<true, true>},
    {"randn", {"mean", "sd"}, 0, 2, build_normal<false>},
    {"qrandn", {"mean", "sd", "q"}, 3, 3, build_normal<true>},
    {"randint", {"low", "high"}, 2, 2, build_int<false, false>},
    {"lograndint", {"low", "high"}, 2, 2, build_int<true, false>},
    {"qrandint", {"low", "high", "q"}, 2, 3, build_int<false, true>},
    {"qlograndint", {"low", "high", "q"}, 2, 3, build_int<true, true>},
    {"choice", {}, 1, any_number, build_list<choice_of>},
    {"ordinal", {}, 1, any_number, build_ordinal},
    {"grid", {}, 1, any_number, build_list<grid_of>},
    {"permutation", {}, 2, any_number, build_items<permutation_of>},
    {"subset", {}, 1, any_number, build_items<subset_of>},
};

error unknown_distribution(const scanner& in, std::size_t at, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& x : distributions)
    names.emplace_back(x.name);
  auto what = '"' + std::string{name.substr(0, 40)} + "\" is not a distribution; ";
  if (auto near = nearest_name(name, names); !near.empty())
    return in.wrong_at(at, what + "did you mean \"" + near + "\"?", ec::unknown_name);
  what += "known:";
  for (const auto& x : names)
    what += ' ' + x;
  return in.wrong_at(at, what, ec::unknown_name);
}

/// Reads "(a, b, c)".
expected<std::vector<argument>> read_arguments(scanner& in) {
  std::vector<argument> result;
  auto opened = in.position();
  in.take('(');
  if (in.take(')'))
    return result;
  while (true) {
    in.skip_blanks();
    if (in.at_end())
      return in.wrong_at(opened, "'(' is never closed");
    auto at = in.position();
    auto item = in.literal(word_rule::value);
    if (!item)
      return item.error();
    result.push_back({std::move(*item), at});
    if (in.take(')'))
      return result;
    if (in.at_end())
      return in.wrong_at(opened, "'(' is never closed");
    if (!in.take(','))
      return in.expected_here("',' or ')'");
  }
}

expected<domain> read_call(scanner& in, std::size_t at, std::string_view name) {
  const auto* kind = std::find_if(std::begin(distributions), std::end(distributions),
                                  [&](const distribution& x) { return x.name == name; });
  if (kind == std::end(distributions))
    return unknown_distribution(in, at, name);
  if (is_dependent(in, name))
    return read_dependent(in, name);
  auto arguments = read_arguments(in);
  if (!arguments)
    return arguments.error();
  auto n = arguments->size();
  if (n < kind->least || n > kind->most) {
    if (kind->most == any_number)
      return in.wrong_at(at,
                         signature(*kind) + " needs at least "
                             + (kind->least == 1 ? "one value" : "two values"),
                         ec::bad_option);
    return in.wrong_at(at,
                       "expected " + signature(*kind) + ", found " + std::to_string(n)
                           + (n == 1 ? " argument" : " arguments"),
                       ec::bad_option);
  }
  return kind->build({in, *kind, std::move(*arguments)});
}

struct renderer {
  static std::string joined(std::string_view name, const std::vector<value>& xs) {
    std::string result{name};
    for (std::size_t i = 0; i < xs.size(); ++i)
      result += (i == 0 ? "(" : ", ") + literal_text(xs[i]);
    return result + ')';
  }
  /// Writes "low" rather than "low.0", since bounds of floats may be whole.
  static std::string joined(std::string_view name, std::initializer_list<double> xs) {
    std::string result{name};
    for (auto x : xs)
      result += (result.size() == name.size() ? "(" : ", ") + to_text(value{x});
    return result + ')';
  }

  std::string operator()(const constant& x) const { return literal_text(x.what); }
  std::string operator()(const dependent_range& x) const { return text_of(x); }
  std::string operator()(const choice_of& x) const {
    return joined(x.ordered ? "ordinal" : "choice", x.options);
  }
  std::string operator()(const permutation_of& x) const { return joined("permutation", x.items); }
  std::string operator()(const subset_of& x) const { return joined("subset", x.items); }
  std::string operator()(const grid_of& x) const { return joined("grid", x.options); }
  std::string operator()(const float_range& x) const {
    if (x.step > 0)
      return joined(x.log ? "qloguniform" : "quniform", {x.low, x.high, x.step});
    return joined(x.log ? "loguniform" : "uniform", {x.low, x.high});
  }
  std::string operator()(const normal_range& x) const {
    if (x.step > 0)
      return joined("qrandn", {x.mean, x.sd, x.step});
    return joined("randn", {x.mean, x.sd});
  }
  std::string operator()(const int_range& x) const {
    std::vector<value> arguments{x.low, x.high};
    if (x.step > 1)
      arguments.emplace_back(x.step);
    std::string name = x.log ? "lograndint" : "randint";
    return joined(x.step > 1 ? 'q' + name : name, arguments);
  }
};

} // namespace

expected<domain> parse_domain(std::string_view text) {
  scanner in{text};
  in.skip_blanks();
  if (in.at_end())
    return in.expected_here("a value or a distribution");
  auto at = in.position();
  auto name = in.word(word_rule::value);
  in.skip_blanks();
  auto is_call = !name.empty() && in.peek() == '(';
  if (!is_call)
    in.go_to(at);
  auto result = is_call ? read_call(in, at, name) : [&]() -> expected<domain> {
    auto what = in.literal(word_rule::value);
    if (!what)
      return what.error();
    return domain{constant{std::move(*what)}};
  }();
  if (!result)
    return result;
  in.skip_blanks();
  if (in.at_end())
    return result;
  auto why = in.expected_here("nothing after the value");
  if (!is_call && in.peek() == ',')
    why.detail += "; several values are choice(…) or grid(…)";
  return why;
}

std::string to_text(const domain& what) {
  return std::visit(renderer{}, what);
}

} // namespace tune

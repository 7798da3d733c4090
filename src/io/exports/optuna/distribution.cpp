// SPDX-License-Identifier: BSD-3-Clause
#include "exports/optuna/distribution.hpp"

#include "tune/io/json.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tune {

namespace {

std::string truth(bool x) {
  return x ? "true" : "false";
}

std::string float_distribution(double low, double high, bool log, double step) {
  return R"({"name": "FloatDistribution", "attributes": {"step": )"
         + (step > 0 ? python_json(step) : "null") + ", \"low\": " + python_json(low)
         + ", \"high\": " + python_json(high) + ", \"log\": " + truth(log) + "}}";
}

std::string int_distribution(std::int64_t low, std::int64_t high, bool log, std::int64_t step) {
  return R"({"name": "IntDistribution", "attributes": {"log": )" + truth(log)
         + ", \"step\": " + std::to_string(step) + ", \"low\": " + std::to_string(low)
         + ", \"high\": " + std::to_string(high) + "}}";
}

/// A choice that Optuna has a type for; lists and objects become texts.
value plain_choice(const value& x) {
  return x.as_list() == nullptr && x.as_object() == nullptr ? x : value{to_json(x)};
}

std::string categorical(const std::vector<value>& choices) {
  std::string result = R"({"name": "CategoricalDistribution", "attributes": {"choices": [)";
  for (std::size_t i = 0; i < choices.size(); ++i)
    result += (i == 0 ? "" : ", ") + python_json(plain_choice(choices[i]));
  return result + "]}}";
}

std::string item_name(const std::string& name, const value& item) {
  return name + "[" + to_text(item) + "]";
}

using parts = std::vector<optuna_parameter>;

parts of_choice(const std::string& name, const std::vector<value>& options, const value& x) {
  // Whole numbers may stand for floats.
  auto same = [&](const value& each) {
    return each == x
           || (each.as_double() != nullptr && x.as_int() != nullptr && each.number() == x.number());
  };
  const auto found = std::find_if(options.begin(), options.end(), same);
  if (found == options.end())
    return {};
  return {{name, static_cast<double>(found - options.begin()), categorical(options)}};
}

parts of_float(const std::string& name, const float_range& of, double x) {
  // Optuna has no steps in a logarithm, and counts them from the lower bound.
  auto low = of.low;
  auto high = of.high;
  const auto step = of.log ? 0 : of.step;
  if (step > 0) {
    low = std::ceil(low / step - 1e-9) * step;
    high = std::floor(high / step + 1e-9) * step;
  }
  // What is written may lie on the upper bound, or be rounded beyond.
  return {{name, x, float_distribution(std::min(low, x), std::max(high, x), of.log, step)}};
}

parts of_int(const std::string& name, const int_range& of, std::int64_t x) {
  auto low = of.low;
  auto high = of.step > 1 ? of.high : of.high - 1;
  const auto step = of.log ? 1 : std::max<std::int64_t>(of.step, 1);
  if (step > 1) {
    const auto size = static_cast<double>(step);
    low = static_cast<std::int64_t>(std::ceil(static_cast<double>(low) / size)) * step;
    high = static_cast<std::int64_t>(std::floor(static_cast<double>(high) / size)) * step;
  }
  return {{name, static_cast<double>(x),
           int_distribution(std::min(low, x), std::max(high, x), of.log, step)}};
}

parts of_permutation(const std::string& name, const permutation_of& of, const value::list& x) {
  const auto last = static_cast<std::int64_t>(of.items.size());
  parts result;
  for (const auto& item : of.items) {
    const auto place = std::find(x.begin(), x.end(), item);
    if (place != x.end())
      result.push_back({item_name(name, item), static_cast<double>(place - x.begin() + 1),
                        int_distribution(1, last, false, 1)});
  }
  return result;
}

parts of_subset(const std::string& name, const subset_of& of, const value::list& x) {
  parts result;
  for (const auto& item : of.items) {
    const auto is_in = std::find(x.begin(), x.end(), item) != x.end();
    result.push_back({item_name(name, item), is_in ? 1.0 : 0.0, categorical({false, true})});
  }
  return result;
}

} // namespace

std::string python_json(const value& what) {
  if (const auto* x = what.as_double(); x != nullptr && !std::isfinite(*x))
    return std::isnan(*x) ? "NaN" : *x > 0 ? "Infinity" : "-Infinity";
  if (const auto* list = what.as_list()) {
    std::string result = "[";
    for (const auto& x : *list)
      result += (result.size() == 1 ? "" : ", ") + python_json(x);
    return result + "]";
  }
  if (const auto* members = what.as_object()) {
    std::string result = "{";
    for (const auto& [name, x] : *members) {
      result += result.size() == 1 ? "" : ", ";
      append_json_string(result, name);
      result += ": " + python_json(x);
    }
    return result + "}";
  }
  return to_json(what);
}

void optuna_space::see(const object& config) {
  for (const auto& each : space_.parameters()) {
    const auto* found = find_parameter(config, each.name);
    const auto number = found == nullptr ? std::nullopt : found->number();
    if (!number || !std::isfinite(*number))
      continue;
    auto [place, is_new] = seen_.try_emplace(each.name, *number, *number);
    auto& [low, high] = place->second;
    low = std::min(low, *number);
    high = std::max(high, *number);
  }
}

std::optional<domain> optuna_space::domain_in(std::size_t i, const object& config) const {
  if (!space_.is_dependent(i))
    return space_.parameters()[i].what;
  std::vector<const value*> read;
  for (auto parent : space_.range_parents(i))
    read.push_back(find_parameter(config, space_.parameters()[parent].name));
  auto found = space_.range_of(i, read);
  return found ? found : space_.widest(i);
}

std::vector<optuna_parameter> optuna_space::translate(std::size_t i, const domain& what,
                                                      const value& x) const {
  const auto& name = space_.parameters()[i].name;
  const auto number = x.number();
  if (const auto* range = std::get_if<float_range>(&what))
    return number && std::isfinite(*number) ? of_float(name, *range, *number) : parts{};
  if (const auto* whole = std::get_if<int_range>(&what))
    return x.as_int() != nullptr ? of_int(name, *whole, *x.as_int()) : parts{};
  if (std::holds_alternative<normal_range>(what)) {
    const auto seen = seen_.find(name);
    if (!number || seen == seen_.end())
      return {};
    return {{name, *number, float_distribution(seen->second.first, seen->second.second, false, 0)}};
  }
  if (const auto* list = std::get_if<choice_of>(&what))
    return of_choice(name, list->options, x);
  if (const auto* grid = std::get_if<grid_of>(&what))
    return of_choice(name, grid->options, x);
  if (const auto* one = std::get_if<constant>(&what))
    return of_choice(name, {one->what}, x);
  if (const auto* order = std::get_if<permutation_of>(&what); order && x.as_list())
    return of_permutation(name, *order, *x.as_list());
  if (const auto* some = std::get_if<subset_of>(&what); some && x.as_list())
    return of_subset(name, *some, *x.as_list());
  return {};
}

std::vector<optuna_parameter> optuna_space::parameters(const object& config,
                                                       std::vector<std::string>& left_out) const {
  std::vector<optuna_parameter> result;
  for (std::size_t i = 0; i < space_.parameters().size(); ++i) {
    const auto& each = space_.parameters()[i];
    const auto* found = find_parameter(config, each.name);
    if (found == nullptr)
      continue;
    // What tells runs apart was not searched.
    auto what = each.numbers_runs ? std::nullopt : domain_in(i, config);
    auto some = what ? translate(i, *what, *found) : parts{};
    if (some.empty())
      left_out.push_back(each.name);
    for (auto& x : some)
      result.push_back(std::move(x));
  }
  return result;
}

} // namespace tune

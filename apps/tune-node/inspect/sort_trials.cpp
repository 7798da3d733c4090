// SPDX-License-Identifier: BSD-3-Clause
#include "command/read_words.hpp"
#include "inspect/trials.hpp"
#include "output/trial_columns.hpp"
#include "tune/core/space/space.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

namespace tune::cli {
namespace {

/// A sort key: a number, or a text, which comes after all numbers.
struct sort_value {
  /// Total violation of constraints; the smaller one comes first.
  double violation = 0;
  bool is_text = false;
  double number = 0;
  std::string text;

  friend bool operator<(const sort_value& x, const sort_value& y) {
    if (x.violation != y.violation)
      return x.violation < y.violation;
    if (x.is_text != y.is_text)
      return y.is_text;
    return x.is_text ? x.text < y.text : x.number < y.number;
  }
};

using reader = std::function<std::optional<sort_value>(const listed_trial&)>;

std::optional<sort_value> sortable(const value& x) {
  if (auto number = x.number())
    return std::isnan(*number) ? std::nullopt : std::optional{sort_value{0, false, *number, {}}};
  if (x.is_null())
    return std::nullopt;
  return sort_value{0, true, 0, to_text(x)};
}

reader by_count(std::uint64_t (*count)(const listed_trial&)) {
  return [count](const listed_trial& x) {
    return std::optional{sort_value{0, false, static_cast<double>(count(x)), {}}};
  };
}

/// Sorts the best first. @param heeds Whether constraints count.
reader by_objective(std::size_t i, bool maximise, bool heeds) {
  return [i, maximise, heeds](const listed_trial& x) {
    auto result = i < x.objectives.size() ? sortable(x.objectives[i]) : std::nullopt;
    if (result && heeds)
      result->violation = x.violation.value_or(0);
    if (result && maximise)
      result->number = -result->number;
    return result;
  };
}

/// Sorts true, false and null by their words, and lists and objects by their JSON, as the API does.
reader by_parameter(const std::string& name) {
  return [name](const listed_trial& x) -> std::optional<sort_value> {
    const auto* found = x.config ? find_parameter(*x.config, name) : nullptr;
    if (found == nullptr)
      return std::nullopt;
    if (found->is_null() || found->as_bool() != nullptr)
      return sort_value{0, true, 0, to_text(*found)};
    const auto is_json = found->as_list() != nullptr || found->as_object() != nullptr;
    return is_json ? sort_value{0, true, 0, to_json(*found)} : sortable(*found);
  };
}

reader by_fixed(const std::string& key) {
  if (key == "trial")
    return by_count([](const listed_trial& x) { return x.trial.number; });
  if (key == "status")
    return by_count([](const listed_trial& x) { return static_cast<std::uint64_t>(x.status); });
  if (key == "iterations")
    return by_count([](const listed_trial& x) { return x.iterations; });
  if (key == "failures")
    return by_count([](const listed_trial& x) { return std::uint64_t{x.failures}; });
  return {};
}

/// The objective that a key means.
std::optional<std::size_t> objective_meant(const std::string& key,
                                           const std::vector<objective>& objectives) {
  if (by_fixed(key))
    return std::nullopt;
  return key == "objective" ? std::optional<std::size_t>{0} : objective_named(objectives, key);
}

reader by_column(const trial_column& x) {
  constexpr std::string_view of_parameter = "config.";
  if (x.name.starts_with(of_parameter))
    return by_parameter(x.name.substr(of_parameter.size()));
  return [read = x.read](const listed_trial& row) { return sortable(read(row)); };
}

/// Reads the values for `key`; empty if there is no such key. @param heeds Whether constraints
/// count.
reader reader_of(const std::string& key, const std::vector<listed_trial>& rows,
                 const std::vector<objective>& objectives, const words& parameters, bool heeds) {
  if (auto fixed = by_fixed(key))
    return fixed;
  if (auto i = objective_meant(key, objectives))
    return by_objective(*i, objectives[*i].maximise, heeds);
  // As for `--columns`, a whole name goes before a short one, and a parameter before a metric.
  const auto columns = all_columns(rows, objectives, {parameters, {}});
  for (const auto& x : columns) {
    if (x.name == key)
      return by_column(x);
  }
  bool known = std::find(parameters.begin(), parameters.end(), key) != parameters.end()
               || std::any_of(rows.begin(), rows.end(), [&](const listed_trial& x) {
                    return x.config && find_parameter(*x.config, key) != nullptr;
                  });
  if (known)
    return by_parameter(key);
  for (const auto& x : columns) {
    if (x.title == key)
      return by_column(x);
  }
  return {};
}

error unknown_key(const std::string& key, const std::vector<listed_trial>& rows,
                  const std::vector<objective>& objectives, const words& parameters) {
  words known{"objective"};
  for (const auto& x : all_columns(rows, objectives, {parameters, {}})) {
    known.push_back(x.name);
    known.push_back(x.title);
  }
  return {ec::unknown_name, "--sort " + in_single_quotes(key)
                                + ": no trial has such a column, metric or parameter"
                                + did_you_mean(key, known)};
}

} // namespace

namespace {

/// Says which values come first.
enum class direction : std::uint8_t { as_usual, asc, desc };

/// Removes the direction from a key.
direction take_direction(std::string& key) {
  constexpr std::string_view asc = ":asc";
  constexpr std::string_view desc = ":desc";
  if (key.ends_with(asc)) {
    key.resize(key.size() - asc.size());
    return direction::asc;
  }
  if (key.ends_with(desc)) {
    key.resize(key.size() - desc.size());
    return direction::desc;
  }
  return direction::as_usual;
}

/// Whether the reader puts the greatest value first: for an objective that is maximised.
bool is_turned(const std::string& key, const std::vector<objective>& objectives) {
  const auto i = objective_meant(key, objectives);
  return i && objectives[*i].maximise;
}

} // namespace

expected<void> sort_trials(std::vector<listed_trial>& rows,
                           const std::vector<objective>& objectives, const std::string& wanted,
                           bool reverse, const std::vector<std::string>& parameters) {
  auto key = wanted;
  auto way = take_direction(key);
  if (way != direction::as_usual)
    reverse = reverse != ((way == direction::desc) != is_turned(key, objectives));
  auto read = reader_of(key, rows, objectives, parameters, way == direction::as_usual);
  if (!read)
    return rows.empty() ? expected<void>{} : unknown_key(key, rows, objectives, parameters);
  struct keyed {
    std::optional<sort_value> key;
    listed_trial row;
  };
  std::vector<keyed> sorted;
  sorted.reserve(rows.size());
  for (auto& x : rows) {
    auto found = read(x);
    sorted.push_back({std::move(found), std::move(x)});
  }
  std::stable_sort(sorted.begin(), sorted.end(), [reverse](const keyed& x, const keyed& y) {
    if (!x.key || !y.key)
      return x.key.has_value() && !y.key.has_value();
    return reverse ? *y.key < *x.key : *x.key < *y.key;
  });
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = std::move(sorted[i].row);
  return {};
}

} // namespace tune::cli

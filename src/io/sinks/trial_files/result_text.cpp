// SPDX-License-Identifier: BSD-3-Clause
#include "result_text.hpp"

#include "tune/io/sinks/trial_files/csv.hpp"

#include "tune/io/json.hpp"

#include <array>
#include <utility>

namespace tune {

namespace {

using named = std::pair<std::string_view, value>;

double seconds(std::chrono::nanoseconds x) {
  return std::chrono::duration<double>(x).count();
}

std::array<named, 9> automatic(const report& what, std::string_view node) {
  return {{{"training_iteration", value{static_cast<std::int64_t>(what.iteration)}},
           {"time_this_iter_s", value{seconds(what.time_this_iter)}},
           {"time_total_s", value{seconds(what.time_total)}},
           {"trial_id", value{to_text(what.trial)}},
           {"attempt", value{to_text(what.attempt)}},
           {"timestamp", value{what.timestamp_ms / 1000}},
           {"node", value{node}},
           {"pid", value{what.pid}},
           {"done", value{what.done}}}};
}

/// Calls `see(name, value)` for every metric that is not an object, with its whole path as the
/// name.
template <class F>
void for_leaves(const std::string& prefix, const object& metrics, F& see) {
  for (const auto& [name, x] : metrics) {
    if (const auto* inner = x.as_object())
      for_leaves(prefix + name + '/', *inner, see);
    else
      see(prefix + name, x);
  }
}

std::string cell(const value& x) {
  if (x.is_null())
    return {};
  if (x.as_list() != nullptr)
    return to_json(x);
  if (const auto* text = x.as_string())
    return is_utf8(*text) ? *text : mend_utf8(*text);
  return to_text(x);
}

/// The title of a metric's column, as it is read back.
std::string column_of(const std::string& name) {
  return csv::harmless(is_utf8(name) ? name : mend_utf8(name));
}

} // namespace

void append_result_line(std::string& to, const report& what, std::string_view node) {
  static const object none;
  const auto& metrics = what.metrics != nullptr ? *what.metrics : none;
  append_json(to, metrics);
  to.pop_back();
  bool first = metrics.empty();
  for (const auto& [name, x] : automatic(what, node)) {
    if (metrics.contains(name))
      continue;
    if (!std::exchange(first, false))
      to += ',';
    append_json_string(to, name);
    to += ':';
    append_json(to, x);
  }
  to += "}\n";
}

result_columns::result_columns() {
  for (const auto& one : automatic({}, {})) {
    places_.emplace(one.first, names_.size());
    names_.emplace_back(one.first);
  }
}

result_columns::result_columns(std::vector<std::string> names) : names_{std::move(names)} {
  for (std::size_t i = 0; i < names_.size(); ++i)
    places_.emplace(names_[i], i);
}

bool result_columns::add(const report& what) {
  bool grown = false;
  auto see = [&](const std::string& raw, const value&) {
    if (names_.size() >= most)
      return;
    auto name = column_of(raw);
    if (places_.try_emplace(name, names_.size()).second) {
      names_.push_back(std::move(name));
      grown = true;
    }
  };
  if (what.metrics != nullptr)
    for_leaves("", *what.metrics, see);
  return grown;
}

void result_columns::append_row(std::string& to, const report& what, std::string_view node) const {
  std::vector<std::string> cells(names_.size());
  auto see = [&](const std::string& raw, const value& x) {
    const auto found = places_.find(column_of(raw));
    if (found != places_.end())
      cells[found->second] = cell(x);
  };
  for (const auto& [name, x] : automatic(what, node))
    see(std::string{name}, x);
  if (what.metrics != nullptr)
    for_leaves("", *what.metrics, see);
  csv::append_record(to, cells);
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/table/curve_table.hpp"

#include "csv_reader.hpp"

#include "tune/core/plugin/options.hpp"
#include "tune/core/space/object_parameters.hpp"
#include "tune/core/trial/attempt_session.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace tune {

namespace {

constexpr std::string_view config_prefix = "config.";

/// Converts a cell to a value: a number if it is one, else what a literal of `[space]` would be.
value cell_value(const std::string& cell) {
  if (auto whole = parse_integer(cell))
    return *whole;
  if (auto number = parse_number(cell))
    return *number;
  if (cell == "true" || cell == "false")
    return cell == "true";
  return cell;
}

/// Converts a cell of a parameter: lists and objects stand in tables as JSON.
value parameter_value(const std::string& cell) {
  if (cell.starts_with('[') || cell.starts_with('{')) {
    if (auto read = from_json(cell))
      return std::move(*read);
  }
  return cell_value(cell);
}

/// A text in which equal numbers are equal, whether integer or float.
std::string canonical(const std::map<std::string, value>& config) {
  std::string result;
  for (const auto& [name, x] : config) {
    append_json_string(result, name);
    auto number = x.as_bool() == nullptr ? x.number() : std::nullopt;
    append_json(result, number ? value{*number} : x);
  }
  return result;
}

/// Position of a number on its parameter's scale, on which the range is 0 to 1.
double on_scale(const domain* known, double x) {
  if (known == nullptr)
    return x;
  auto scaled = [](double y, double low, double high, bool log) {
    if (log && y > 0 && low > 0)
      return (std::log(y) - std::log(low)) / (std::log(high) - std::log(low));
    return high > low ? (y - low) / (high - low) : y - low;
  };
  if (const auto* range = std::get_if<float_range>(known))
    return scaled(x, range->low, range->high, range->log);
  if (const auto* range = std::get_if<int_range>(known))
    return scaled(x, static_cast<double>(range->low), static_cast<double>(range->high), range->log);
  if (const auto* range = std::get_if<normal_range>(known))
    return (x - range->mean) / range->sd;
  return x;
}

double distance(const domain* known, const value* x, const value* y) {
  if (x == nullptr || y == nullptr)
    return x == y ? 0 : 1;
  auto a = x->number();
  auto b = y->number();
  if (!a || !b)
    return *x == *y ? 0 : 1;
  auto apart = on_scale(known, *a) - on_scale(known, *b);
  return apart * apart;
}

/// Why rows may seem to be of one configuration: "; there is no column config.lr: the column lr is
/// taken as a metric". Empty: each parameter has its column.
std::string missing_columns(const std::vector<std::string>& header,
                            const std::vector<std::string>& parameters) {
  auto has = [&](const std::string& column) {
    return std::find(header.begin(), header.end(), column) != header.end();
  };
  std::string result;
  for (const auto& name : parameters) {
    const auto column = std::string{config_prefix} + name;
    if (!has(column))
      result += "; there is no column " + column
                + (has(name) ? ": the column " + name + " is taken as a metric" : "");
  }
  return result;
}

error at_line(const std::string& name, std::size_t line, const std::string& what) {
  return {ec::bad_syntax, name + ":" + std::to_string(line) + ": " + what};
}

} // namespace

std::optional<std::string> why_no_table(const std::filesystem::path& file) {
  std::error_code failed;
  auto known = std::filesystem::status(file, failed);
  if (known.type() == std::filesystem::file_type::not_found)
    return "does not exist";
  if (failed)
    return failed.message();
  if (!std::filesystem::is_regular_file(known))
    return std::filesystem::is_directory(known) ? "is a directory, not a table"
                                                : "is no regular file";
  auto size = std::filesystem::file_size(file, failed);
  if (failed)
    return failed.message();
  if (size > most_table_bytes)
    return "is larger than 1 GiB, the most a table may have";
  return std::nullopt;
}

expected<curve_table> curve_table::load(const std::filesystem::path& file,
                                        const std::vector<std::string>& parameters) {
  auto unreadable = [&](const std::string& why) {
    return error{ec::unreadable, "cannot read the table " + file.string() + ": " + why};
  };
  if (auto why = why_no_table(file))
    return unreadable("it " + *why);
  std::ifstream in{file, std::ios::binary};
  std::ostringstream text;
  if (!in)
    return unreadable("it cannot be opened");
  if (in.peek() != std::ifstream::traits_type::eof() && !(text << in.rdbuf()))
    return unreadable("it cannot be read to its end");
  return parse(text.str(), file.string(), parameters);
}

expected<curve_table> curve_table::parse(std::string_view text, const std::string& name,
                                         const std::vector<std::string>& parameters) {
  csv_reader in{text};
  auto header = in.next();
  if (!header)
    return at_line(name, in.line(), header.error().detail);
  if (std::find(header->begin(), header->end(), "training_iteration") == header->end())
    return at_line(name, 1, "there is no column training_iteration");
  for (auto i = header->begin(); i != header->end(); ++i) {
    if (std::find(header->begin(), i, *i) != i)
      return at_line(name, 1, "there are two columns named " + *i);
  }
  curve_table result;
  for (;;) {
    auto cells = in.next();
    if (!cells)
      return at_line(name, in.line(), cells.error().detail);
    if (cells->empty())
      break;
    if (cells->size() != header->size())
      return at_line(name, in.line(),
                     std::to_string(cells->size()) + " cells, but the header has "
                         + std::to_string(header->size()));
    if (auto added = result.add_row(*header, *cells); !added)
      return at_line(name, in.line(),
                     added.error().detail
                         + (added.error().code == ec::refused ? missing_columns(*header, parameters)
                                                              : std::string{}));
  }
  if (result.curves_.empty())
    return at_line(name, 1, "the table has no rows");
  return result;
}

expected<void> curve_table::add_row(const std::vector<std::string>& header,
                                    const std::vector<std::string>& cells) {
  std::map<std::string, value> config;
  object metrics;
  std::uint64_t iteration = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    std::string_view column = header[i];
    if (column == "training_iteration") {
      auto whole = parse_integer(cells[i]);
      if (!whole || !attempt_session::iteration_of(*whole))
        return error{ec::bad_syntax,
                     "training_iteration is '" + cells[i] + "', not a whole number from 1 to 2^53"};
      iteration = static_cast<std::uint64_t>(*whole);
      metrics.set(column, *whole);
    } else if (cells[i].empty()) {
      continue;
    } else if (column.starts_with(config_prefix)) {
      const auto name = std::string{column.substr(config_prefix.size())};
      columns_.insert(name);
      config.emplace(name, parameter_value(cells[i]));
    } else {
      metrics.set(column, cell_value(cells[i]));
    }
  }
  auto [known, fresh] = by_config_.emplace(canonical(config), curves_.size());
  if (fresh)
    curves_.push_back({std::move(config), {}});
  if (!curves_[known->second].reports.emplace(iteration, std::move(metrics)).second)
    return error{ec::refused, "iteration " + std::to_string(iteration)
                                  + " of this configuration is there already"};
  return {};
}

std::vector<object> curve_table::curve_of(const object& config, const search_space& space) const {
  // Where the table has a column of a whole object, this is compared, else its members are.
  std::vector<std::string> whole;
  for (const auto& name : object_parameters(space)) {
    if (columns_.contains(name))
      whole.push_back(name);
  }
  std::map<std::string, value> wanted;
  // A text is read like a cell, in which the text "5" and the number look alike.
  for (auto& [name, x] : flatten(config, whole))
    wanted.emplace(name, x.as_string() == nullptr ? x : parameter_value(*x.as_string()));
  auto exact = by_config_.find(canonical(wanted));
  const auto* best = exact != by_config_.end() ? &curves_[exact->second] : nullptr;
  auto least = std::numeric_limits<double>::infinity();
  auto value_of = [](const std::map<std::string, value>& in, const std::string& name) {
    auto i = in.find(name);
    return i == in.end() ? nullptr : &i->second;
  };
  for (std::size_t i = 0; exact == by_config_.end() && i < curves_.size(); ++i) {
    double sum = 0;
    for (std::size_t p = 0; p < space.parameters().size(); ++p) {
      const auto& name = space.parameters()[p].name;
      sum += distance(&space.widest(p), value_of(wanted, name), value_of(curves_[i].config, name));
    }
    if (best == nullptr || sum < least) {
      best = &curves_[i];
      least = sum;
    }
  }
  std::vector<object> result;
  for (const auto& [iteration, metrics] : best->reports) {
    result.push_back(metrics);
    if (exact == by_config_.end()) {
      object instead;
      for (const auto& [name, x] : best->config)
        instead.set(name, x);
      result.back().set("table_config", to_json(instead));
    }
  }
  return result;
}

} // namespace tune

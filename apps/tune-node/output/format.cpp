// SPDX-License-Identifier: BSD-3-Clause
#include "output/format.hpp"

#include "tune/io/sinks/trial_files/csv.hpp"

#include <array>

namespace tune::cli {
namespace {

constexpr std::array<std::string_view, 4> names{"table", "json", "jsonl", "csv"};

} // namespace

std::string_view to_text(output_format x) {
  return names[static_cast<std::size_t>(x)];
}

std::optional<output_format> output_format_from(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return static_cast<output_format>(i);
  return std::nullopt;
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string result;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    result += i == 0 ? "" : ",";
    csv::append_field(result, fields[i]);
  }
  // Unquoted, a single empty field would read as an empty line.
  return (result.empty() && !fields.empty() ? "\"\"" : result) + "\n";
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "output/write_rows.hpp"

#include "tune/io/json.hpp"

#include <ostream>

namespace tune::cli {

namespace {

std::string field_of(const object& row, const std::string& name) {
  const auto* found = row.find(name);
  return found == nullptr || found->is_null() ? std::string{} : to_text(*found);
}

void write_array(std::span<const object> rows, json_layout layout, std::ostream& out) {
  const auto apart = layout == json_layout::row_per_line;
  out << '[';
  for (std::size_t i = 0; i < rows.size(); ++i)
    out << (i == 0 ? "" : ",") << (apart ? "\n  " : "") << to_json(rows[i]);
  out << (apart && !rows.empty() ? "\n]\n" : "]\n");
}

} // namespace

std::vector<std::string> titles_of(const object& row) {
  std::vector<std::string> result;
  for (const auto& [name, what] : row)
    result.push_back(name);
  return result;
}

void write_csv(const std::vector<std::string>& titles, std::span<const object> rows,
               std::ostream& out) {
  out << csv_line(titles);
  for (const auto& row : rows) {
    std::vector<std::string> fields;
    for (const auto& title : titles)
      fields.push_back(field_of(row, title));
    out << csv_line(fields);
  }
}

void write_rows(std::span<const object> rows, output_format format, json_layout layout,
                std::ostream& out) {
  if (format == output_format::json) {
    write_array(rows, layout, out);
  } else if (format == output_format::csv) {
    if (!rows.empty())
      write_csv(titles_of(rows.front()), rows, out);
  } else {
    for (const auto& row : rows)
      out << to_json(row) << '\n';
  }
}

void write_row(const object& row, output_format format, std::ostream& out) {
  if (format == output_format::csv)
    write_csv(titles_of(row), {&row, 1}, out);
  else
    out << to_json(row) << '\n';
}

} // namespace tune::cli

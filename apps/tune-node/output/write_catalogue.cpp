// SPDX-License-Identifier: BSD-3-Clause
#include "output/write_catalogue.hpp"

#include "console/text.hpp"
#include "output/write_rows.hpp"

#include <algorithm>
#include <ostream>

namespace tune::cli {
namespace {

std::string_view kind_text(option_kind x) {
  switch (x) {
    case option_kind::integer:
      return "integer";
    case option_kind::number:
      return "number";
    case option_kind::boolean:
      return "boolean";
    case option_kind::text:
      return "text";
    case option_kind::duration:
      return "duration";
  }
  return "text";
}

value option_object(const option_spec& x) {
  object result;
  result.set("name", x.name);
  result.set("kind", kind_text(x.kind));
  result.set("default", x.fallback.empty() ? value{} : value{x.fallback});
  result.set("range", range_text(x));
  result.set("meaning", x.meaning);
  return result;
}

object to_object(const listed_entry& x) {
  value::list known;
  for (const auto& option : x.known)
    known.push_back(option_object(option));
  object result;
  result.set("name", x.name);
  result.set("summary", x.summary);
  result.set("source", x.source);
  result.set("options", std::move(known));
  return result;
}

void write_csv(std::span<const listed_entry> entries, std::ostream& out) {
  out << csv_line({"name", "summary", "source", "option", "kind", "default", "range", "meaning"});
  for (const auto& x : entries) {
    if (x.known.empty())
      out << csv_line({x.name, x.summary, x.source, "", "", "", "", ""});
    for (const auto& option : x.known)
      out << csv_line({x.name, x.summary, x.source, option.name,
                       std::string{kind_text(option.kind)}, option.fallback, range_text(option),
                       option.meaning});
  }
}

/// "0.5 to 1, default 0.9".
std::string facts_of(const option_spec& x) {
  auto result = std::string{kind_text(x.kind)};
  if (auto range = range_text(x); !range.empty())
    result += ", " + range;
  return result + (x.fallback.empty() ? ", no default" : ", default " + x.fallback);
}

void write_indented(std::string_view text, std::size_t indent, std::size_t width,
                    std::ostream& out) {
  constexpr std::size_t least = 20;
  auto room = width == 0 ? 0 : std::max(least, width - std::min(width, indent));
  for (const auto& line : wrapped(printable(text), room))
    out << std::string(indent, ' ') << line << "\n";
}

void write_people(std::span<const listed_entry> entries, const table_look& look,
                  std::ostream& out) {
  for (const auto& x : entries) {
    out << look.colors.paint(tint::strong, printable(x.name)) << "\n";
    write_indented(x.summary, 2, look.width, out);
    if (!x.source.empty())
      write_indented("Source: " + x.source, 2, look.width, out);
    for (const auto& option : x.known) {
      out << "  " << look.colors.paint(tint::accent, printable(option.name)) << "  "
          << look.colors.paint(tint::faint, printable(facts_of(option))) << "\n";
      write_indented(option.meaning, 6, look.width, out);
    }
  }
}

} // namespace

void write_catalogue(std::span<const listed_entry> entries, output_format format,
                     const table_look& look, std::ostream& out) {
  if (format == output_format::table)
    return write_people(entries, look, out);
  if (format == output_format::csv)
    return write_csv(entries, out);
  std::vector<object> rows;
  for (const auto& x : entries)
    rows.push_back(to_object(x));
  write_rows(rows, format, json_layout::row_per_line, out);
}

} // namespace tune::cli

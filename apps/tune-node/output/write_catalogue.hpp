/// Writes the entries of a catalogue: `tune-node list`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "output/format.hpp"
#include "tune/core/plugin/catalogue.hpp"

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace tune::cli {

/// One entry of any catalogue.
struct listed_entry {
  std::string name;
  std::string summary;
  std::string source;
  std::vector<option_spec> known;
};

/// The entries of any catalogue.
template <class Part, class Context>
[[nodiscard]] std::vector<listed_entry> listed(const catalogue<Part, Context>& from) {
  std::vector<listed_entry> result;
  for (const auto& x : from.entries())
    result.push_back({x.name, x.summary, x.source, x.known});
  return result;
}

/// Writes `entries` in their order.
///
/// The table shows the options of each entry below it; JSON objects have `name`, `summary`,
/// `source` and `options`, a list of `name`, `kind`, `default` (null: none), `range`, `meaning`;
/// CSV has a line per option (one with empty option columns for entries without).
void write_catalogue(std::span<const listed_entry> entries, output_format format,
                     const table_look& look, std::ostream& out);

} // namespace tune::cli

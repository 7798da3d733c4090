/// Recorded learning curves: the reports that configurations made once, to be replayed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/space/space.hpp"
#include "tune/core/value.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// The largest table that is read. [bytes]
inline constexpr std::uint64_t most_table_bytes = std::uint64_t{1} << 30;

/// Why `file` cannot be a table, before it is read: only regular files are, up to
/// `most_table_bytes`. One clause without the path, such as "is a directory".
[[nodiscard]] std::optional<std::string> why_no_table(const std::filesystem::path& file);

/// Curves by configuration, read from CSV (RFC 4180): columns `config.<parameter>`,
/// `training_iteration`, and one per metric. Rows of equal configuration are one curve, in order
/// of iteration. An empty cell is a parameter or metric that is not there.
class curve_table {
public:
  /// @errors `ec::unreadable`; `ec::bad_syntax` with file, line and what is wrong: quoting, number
  ///         of cells, a missing column, an iteration that is no whole number >= 1 or comes twice.
  [[nodiscard]] static expected<curve_table> load(const std::filesystem::path& file);
  /// The same from a text; `name` stands in for the file in errors.
  [[nodiscard]] static expected<curve_table> parse(std::string_view text, const std::string& name);

  /// The reports of `config`, `training_iteration` among their metrics: those of the recorded
  /// configuration that equals it, else of the nearest one. Distance is the sum, over the
  /// parameters recorded, of squared differences on each parameter's scale (its range, logarithmic
  /// where it is), and 1 where texts differ or only one has the parameter; ties keep the first.
  ///
  /// A replaced configuration shows in every report as the metric `table_config`.
  [[nodiscard]] std::vector<object> curve_of(const object& config, const search_space& space) const;

  [[nodiscard]] std::size_t size() const { return curves_.size(); }

private:
  struct curve {
    /// By dotted name.
    std::map<std::string, value> config;
    std::map<std::uint64_t, object> reports;
  };
  std::vector<curve> curves_;
  /// Position in `curves_` by a canonical text of the configuration.
  std::map<std::string, std::size_t> by_config_;

  expected<void> add_row(const std::vector<std::string>& header,
                         const std::vector<std::string>& cells);
};

} // namespace tune

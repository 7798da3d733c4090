/// Recorded learning curves: reports of earlier runs of configurations, to be replayed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/space/space.hpp"
#include "tune/core/value.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Size limit of a table. [bytes]
inline constexpr std::uint64_t most_table_bytes = std::uint64_t{1} << 30;

/// Checks, before reading, whether `file` can be a table: a regular file of at most
/// `most_table_bytes`. @returns the reason if it cannot: one clause without the path, such as "is a
/// directory".
[[nodiscard]] std::optional<std::string> why_no_table(const std::filesystem::path& file);

/// Curves by configuration, read from CSV (RFC 4180) with the columns `config.<parameter>`,
/// `training_iteration`, and one per metric. Rows of equal configuration form one curve, in order
/// of iteration. An empty cell means that the parameter or metric is missing.
class curve_table {
public:
  /// @errors `ec::unreadable`; `ec::bad_syntax` with file, line and fault: quoting, number of
  ///         cells, a missing column, an iteration that is not a whole number >= 1 or occurs twice.
  /// @param parameters Dotted names in [space]. One that has no column is no error, as every
  ///                   configuration may have the same of it; but where an iteration occurs twice,
  ///                   the error names it.
  [[nodiscard]] static expected<curve_table> load(const std::filesystem::path& file,
                                                  const std::vector<std::string>& parameters = {});
  /// Like `load`, from a text; errors show `name` as the file.
  [[nodiscard]] static expected<curve_table> parse(std::string_view text, const std::string& name,
                                                   const std::vector<std::string>& parameters = {});

  /// The reports of `config`, with `training_iteration` among their metrics: those of the recorded
  /// configuration equal to it, else of the nearest one. The distance is the sum, over the recorded
  /// parameters, of squared differences on each parameter's scale (its range, logarithmic if the
  /// parameter is), and 1 if texts differ or only one configuration has the parameter; of equally
  /// near ones, the first is taken. If another configuration stands in, every report shows it as
  /// the metric `table_config`.
  ///
  /// A replaced configuration shows in every report as the metric `table_config`.
  [[nodiscard]] std::vector<object> curve_of(const object& config, const search_space& space) const;

  [[nodiscard]] std::size_t size() const { return curves_.size(); }

private:
  struct curve {
    /// Values by dotted parameter name.
    std::map<std::string, value> config;
    std::map<std::uint64_t, object> reports;
  };
  std::vector<curve> curves_;
  /// Parameters that have a column in which something stands.
  std::set<std::string> columns_;
  /// Index into `curves_` by a canonical text of the configuration.
  std::map<std::string, std::size_t> by_config_;

  expected<void> add_row(const std::vector<std::string>& header,
                         const std::vector<std::string>& cells);
};

} // namespace tune

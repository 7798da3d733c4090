/// Filter expressions over trials: `param:lr < 0.01 and status = ERRORED and text ~ foo`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "view/trial_table.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// A property of trials by which they are sorted and filtered.
struct trial_key {
  enum class kind : std::uint8_t {
    trial,
    status,
    iterations,
    failures,
    time_total_s,
    created,
    ended,
    /// `param:NAME`, `metric:NAME` (of the reports in the scope), `last:NAME`, `best:NAME` (of the
    /// last report and the best one, whatever the scope).
    column,
    /// Only in filters: origin, reason, error and configuration as texts.
    text
  };
  kind what = kind::trial;
  column_name column = {};
  friend bool operator==(const trial_key&, const trial_key&) = default;
};

/// The names of the scopes, as `tune-node trials --scope` has them; the first is the usual one.
[[nodiscard]] const std::vector<std::string>& scope_names();
/// What `metric:NAME` means in a scope. @param name One of `scope_names()`.
[[nodiscard]] column_name::kind scope_from(std::string_view name);

/// Reads a key. @errors `ec::unknown_name` naming those there are.
[[nodiscard]] expected<trial_key> parse_key(std::string_view text,
                                            column_name::kind scope = column_name::kind::best);

/// The number of a key that is no column: seconds for times, NaN where there is none.
[[nodiscard]] double fixed_number(const trial_line& line, trial_key::kind what);

/// One comparison.
struct comparison {
  enum class op : std::uint8_t { less, at_most, more, at_least, same, other, has, has_not };
  trial_key key;
  op how = op::same;
  std::string text;
  /// NaN if the text is no number.
  double number = 0;
};

/// Longest filter [bytes] and most comparisons in it.
inline constexpr std::size_t longest_filter = 2000;
inline constexpr std::size_t most_comparisons = 20;

/// Reads comparisons joined by `and`; an empty text gives none. Values may be quoted with `"`,
/// with `\"` and `\\` inside. `~` and `!~` ask whether a text contains another, whatever the case
/// of ASCII letters.
/// @errors `ec::bad_syntax` with the column; `ec::unknown_name`; `ec::bad_option` beyond a limit.
[[nodiscard]] expected<std::vector<comparison>>
parse_filter(std::string_view text, column_name::kind scope = column_name::kind::best);

/// Whether a number or a text, NaN and null if there is none, fits; what has no value fits `!=` and
/// `!~` only.
[[nodiscard]] bool fits(const comparison& by, double number, const std::string* text);

/// Whether a trial fits, as far as the table knows: comparisons of `text` count as kept.
[[nodiscard]] bool fits(const comparison& by, const trial_table& in, std::size_t place);

} // namespace tune::cli

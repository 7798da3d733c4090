/// Options of catalogue entries: declared once, checked once, read by name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Kinds of values of an option.
enum class option_kind : std::uint8_t { integer, number, boolean, text, duration };

/// Declares one option of a catalogue entry.
struct option_spec {
  std::string name;
  option_kind kind = option_kind::text;
  /// Default, as a user would write it; empty: none.
  std::string fallback;
  /// Range of numbers and durations (in seconds), inclusive unless `open_low`.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool open_low = false;
  /// Legal values of a text; empty: any.
  std::vector<std::string> choices = {};
  /// One line for people: meaning and unit.
  std::string meaning = {};
};

/// The range of `x` for people: ">= 1", "0 to 0.5", "one of: min, max".
[[nodiscard]] std::string range_text(const option_spec& x);

/// Option values of one entry, all checked against their declarations, defaults filled in.
class options {
public:
  /// Checks what a user wrote. Durations accept "90", "1.5h", "10m", "2s", "500ms".
  /// @errors `ec::unknown_name` (with the nearest known name), `ec::bad_option` (with the range).
  [[nodiscard]] static expected<options> parse(const std::vector<option_spec>& known,
                                               const std::map<std::string, std::string>& written);

  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;
  /// In seconds.
  [[nodiscard]] double seconds(std::string_view name) const;
  /// False if the option was not written and has no default.
  [[nodiscard]] bool has(std::string_view name) const;

private:
  std::map<std::string, value, std::less<>> values_;
};

/// The known name most likely meant by a mistyped or shortened one; empty if none is near.
[[nodiscard]] std::string nearest_name(std::string_view wrong,
                                       const std::vector<std::string>& known);

/// Seconds of "90", "1.5h", "10m", "2s", "500ms", "1d". @errors `ec::bad_syntax`.
[[nodiscard]] expected<double> parse_seconds(std::string_view text);

/// Whole number, no trailing text. @errors `ec::bad_syntax`.
[[nodiscard]] expected<std::int64_t> parse_integer(std::string_view text);

/// Floating-point number, no trailing text; "inf" and "nan" included. @errors `ec::bad_syntax`.
[[nodiscard]] expected<double> parse_number(std::string_view text);

} // namespace tune

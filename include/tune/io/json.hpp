/// Converts values to JSON text and back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace tune {

/// Limits for JSON input.
struct json_limits {
  std::size_t bytes = 64 * 1024 * 1024;
  std::size_t depth = 64;
  /// If set, objects that name a member twice are refused; otherwise the last one is kept.
  bool unique_names = false;
};

/// Renders `what` in one line. Non-finite numbers become the strings "nan", "inf", "-inf"; floats
/// use the shortest round-trip form and always look like floats ("1.0"), so that they are read back
/// as floats. Invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string to_json(const value& what);
[[nodiscard]] std::string to_json(const object& what);
/// Like `to_json`, but appends to `to`; for hot paths.
void append_json(std::string& to, const value& what);
void append_json(std::string& to, const object& what);
/// Appends a JSON string literal.
void append_json_string(std::string& to, std::string_view text);

/// Tells whether `text` is well-formed UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text);
/// `text` with invalid UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string mend_utf8(std::string_view text);

/// The kind of data read: metrics read "nan", "inf", "-inf" as numbers, plain data keeps them as
/// texts.
enum class json_position : bool { plain, metric };

/// Reads one JSON value. Integers beyond int64 become floats; of duplicate keys the last wins,
/// unless `limits` refuses them.
/// @errors `ec::bad_syntax` with the byte position; `ec::bad_option` beyond a limit.
[[nodiscard]] expected<value> from_json(std::string_view text,
                                        json_position where = json_position::plain,
                                        const json_limits& limits = {});
/// Like `from_json`, but the value must be an object.
[[nodiscard]] expected<object> object_from_json(std::string_view text,
                                                json_position where = json_position::plain,
                                                const json_limits& limits = {});

/// Whether a text was refused for a number that no float can hold: it is JSON all the same, and the
/// detail names the number and the pointer to it.
[[nodiscard]] bool has_too_large_number(const error& why);

/// Makes metrics from outside fit for the record, so that live and replayed metrics are equal:
/// invalid UTF-8 becomes U+FFFD.
/// @errors `ec::bad_option` if they are nested deeper than `json_limits::depth`.
[[nodiscard]] expected<object> fit_for_record(object metrics);

} // namespace tune

/// Comma-separated values as defined by RFC 4180.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune::csv {

/// A text as a field holds it, harmless to who opens the table: control characters but tabs and
/// line ends, and marks that change the direction of writing, are visible escapes, and an
/// apostrophe stands before a text, unless it is a number, that a spreadsheet would take for a
/// formula. What is harmless already stays as it is.
[[nodiscard]] std::string harmless(std::string_view text);

/// Appends one field, made harmless, and quoted if its content requires it.
void append_field(std::string& to, std::string_view text);
/// Appends a record with its line end.
void append_record(std::string& to, const std::vector<std::string>& fields);

/// The fields of the first record of `text`; empty if the record has no end.
[[nodiscard]] std::optional<std::vector<std::string>> first_record(std::string_view text);

} // namespace tune::csv

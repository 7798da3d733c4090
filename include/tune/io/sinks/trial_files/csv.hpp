/// Comma-separated values as defined by RFC 4180.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune::csv {

/// Appends one field, quoted if its content requires it.
void append_field(std::string& to, std::string_view text);
/// Appends a record with its line end.
void append_record(std::string& to, const std::vector<std::string>& fields);

/// The fields of the first record of `text`; empty if the record has no end.
[[nodiscard]] std::optional<std::vector<std::string>> first_record(std::string_view text);

} // namespace tune::csv

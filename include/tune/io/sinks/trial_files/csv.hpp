/// Comma-separated values after RFC 4180.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune::csv {

/// Appends one field, quoted where its content demands it.
void append_field(std::string& to, std::string_view text);
/// Appends a record with its line end.
void append_record(std::string& to, const std::vector<std::string>& fields);

/// The fields of the first record of `text`; nothing where it has no end.
[[nodiscard]] std::optional<std::vector<std::string>> first_record(std::string_view text);

/// Counts the records of a text that is given in parts.
class counter {
public:
  void add(std::string_view part);
  /// Records that are complete.
  [[nodiscard]] std::uint64_t records() const { return records_; }
  /// Whether something follows the last complete record.
  [[nodiscard]] bool is_torn() const { return torn_; }

private:
  std::uint64_t records_ = 0;
  bool quoted_ = false;
  bool torn_ = false;
};

} // namespace tune::csv

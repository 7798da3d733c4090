// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/sinks/trial_files/csv.hpp"

#include <utility>

namespace tune::csv {

void append_field(std::string& to, std::string_view text) {
  const bool plain = text.find_first_of(",\"\r\n") == text.npos;
  if (plain) {
    to += text;
    return;
  }
  to += '"';
  for (char c : text) {
    if (c == '"')
      to += '"';
    to += c;
  }
  to += '"';
}

void append_record(std::string& to, const std::vector<std::string>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0)
      to += ',';
    append_field(to, fields[i]);
  }
  to += "\r\n";
}

std::optional<std::vector<std::string>> first_record(std::string_view text) {
  std::vector<std::string> result(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      // A doubled quote inside quotes closes and reopens them, and stands for one quote.
      if (!quoted && i > 0 && text[i - 1] == '"')
        result.back() += '"';
      quoted = !quoted;
    } else if (quoted) {
      result.back() += c;
    } else if (c == ',') {
      result.emplace_back();
    } else if (c == '\n') {
      return result;
    } else if (c != '\r') {
      result.back() += c;
    }
  }
  return std::nullopt;
}

} // namespace tune::csv

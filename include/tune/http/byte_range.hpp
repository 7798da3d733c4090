/// Parts of a file: RFC 9110, section 14.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace tune::http {

/// Bytes `first` to `last`, both included.
struct byte_range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  [[nodiscard]] std::uint64_t size() const { return last - first + 1; }
  friend bool operator==(const byte_range&, const byte_range&) = default;
};

/// The whole is sent: no range was asked for, several were, or the header cannot be read.
struct whole_content {
  friend bool operator==(const whole_content&, const whole_content&) = default;
};
/// The range begins beyond the end: status 416.
struct no_such_range {
  friend bool operator==(const no_such_range&, const no_such_range&) = default;
};

/// Reads the header `Range` for content of `size` bytes.
[[nodiscard]] std::variant<byte_range, whole_content, no_such_range>
read_range(std::optional<std::string_view> header, std::uint64_t size);

} // namespace tune::http

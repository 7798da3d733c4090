/// Writes messages in the wire format of Protocol Buffers. Private to the TensorBoard sink.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tune::wire_format {

/// A message, field by field. Fields with default values may be left out by the caller.
class message {
public:
  /// int32, int64, enum, bool.
  message& integer(std::uint32_t field, std::uint64_t x);
  message& real(std::uint32_t field, double x);
  message& single(std::uint32_t field, float x);
  /// string, bytes, or another message.
  message& text(std::uint32_t field, std::string_view x);
  message& nested(std::uint32_t field, const message& x) { return text(field, x.bytes()); }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
  std::string bytes_;

  void key(std::uint32_t field, std::uint32_t type);
  void variable(std::uint64_t x);
};

} // namespace tune::wire_format

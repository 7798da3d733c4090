// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/tensorboard/wire_format.hpp"

#include <bit>

namespace tune::wire_format {

namespace {

// Kinds of fields in the wire format.
constexpr std::uint32_t as_varint = 0;
constexpr std::uint32_t as_fixed64 = 1;
constexpr std::uint32_t as_bytes = 2;
constexpr std::uint32_t as_fixed32 = 5;

template <class T>
void append_little_endian(std::string& to, T x) {
  for (std::size_t i = 0; i < sizeof x; ++i)
    to += static_cast<char>((x >> (8 * i)) & 0xffU);
}

} // namespace

void message::variable(std::uint64_t x) {
  while (x >= 0x80U) {
    bytes_ += static_cast<char>((x & 0x7fU) | 0x80U);
    x >>= 7U;
  }
  bytes_ += static_cast<char>(x);
}

void message::key(std::uint32_t field, std::uint32_t type) {
  variable(static_cast<std::uint64_t>(field) << 3U | type);
}

message& message::integer(std::uint32_t field, std::uint64_t x) {
  key(field, as_varint);
  variable(x);
  return *this;
}

message& message::real(std::uint32_t field, double x) {
  key(field, as_fixed64);
  append_little_endian(bytes_, std::bit_cast<std::uint64_t>(x));
  return *this;
}

message& message::single(std::uint32_t field, float x) {
  key(field, as_fixed32);
  append_little_endian(bytes_, std::bit_cast<std::uint32_t>(x));
  return *this;
}

message& message::text(std::uint32_t field, std::string_view x) {
  key(field, as_bytes);
  variable(x.size());
  bytes_ += x;
  return *this;
}

} // namespace tune::wire_format

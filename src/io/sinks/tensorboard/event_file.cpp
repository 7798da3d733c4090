// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/tensorboard/event_file.hpp"

#include <array>

namespace tune::event_file {

using wire_format::message;

namespace {

// Numbers of fields in tensorboard/compat/proto/event.proto, summary.proto and tensor.proto.
namespace event_field {
constexpr std::uint32_t wall_time = 1;
constexpr std::uint32_t step = 2;
constexpr std::uint32_t file_version = 3;
constexpr std::uint32_t summary = 5;
constexpr std::uint32_t session_log = 7;
} // namespace event_field
namespace value_field {
constexpr std::uint32_t tag = 1;
constexpr std::uint32_t simple_value = 2;
constexpr std::uint32_t tensor = 8;
constexpr std::uint32_t metadata = 9;
} // namespace value_field
constexpr std::uint32_t summary_value = 1;
constexpr std::uint32_t session_status = 1;
constexpr std::uint32_t session_starts = 1;
constexpr std::uint32_t metadata_plugin_data = 1;
constexpr std::uint32_t plugin_name = 1;
constexpr std::uint32_t plugin_content = 2;
constexpr std::uint32_t tensor_dtype = 1;
constexpr std::uint32_t tensor_shape = 2;
constexpr std::uint32_t dtype_float = 1;

std::array<std::uint32_t, 256> crc_table() {
  // The polynomial of Castagnoli, reversed.
  constexpr std::uint32_t polynomial = 0x82f63b78U;
  std::array<std::uint32_t, 256> result{};
  for (std::uint32_t i = 0; i < result.size(); ++i) {
    auto x = i;
    for (int bit = 0; bit < 8; ++bit)
      x = (x & 1U) != 0 ? (x >> 1U) ^ polynomial : x >> 1U;
    result[i] = x;
  }
  return result;
}

std::string little_endian(std::uint64_t x, std::size_t bytes) {
  std::string result;
  for (std::size_t i = 0; i < bytes; ++i)
    result += static_cast<char>((x >> (8 * i)) & 0xffU);
  return result;
}

std::string record_of(const message& what) {
  const auto length = little_endian(what.bytes().size(), 8);
  return length + little_endian(masked_crc(length), 4) + what.bytes()
         + little_endian(masked_crc(what.bytes()), 4);
}

} // namespace

std::uint32_t masked_crc(std::string_view bytes) {
  static const auto table = crc_table();
  std::uint32_t crc = 0xffffffffU;
  for (char c : bytes)
    crc = table[(crc ^ static_cast<unsigned char>(c)) & 0xffU] ^ (crc >> 8U);
  crc = ~crc;
  return ((crc >> 15U) | (crc << 17U)) + 0xa282ead8U;
}

std::string version_record(double wall) {
  return record_of(message{}
                       .real(event_field::wall_time, wall)
                       .text(event_field::file_version, "brain.Event:2"));
}

std::string start_record(double wall, std::uint64_t step) {
  return record_of(
      message{}
          .real(event_field::wall_time, wall)
          .integer(event_field::step, step)
          .nested(event_field::session_log, message{}.integer(session_status, session_starts)));
}

std::string scalars_record(double wall, std::uint64_t step, const std::vector<scalar>& what) {
  message summary;
  for (const auto& x : what)
    summary.nested(
        summary_value,
        message{}.text(value_field::tag, x.tag).single(value_field::simple_value, x.number));
  return record_of(message{}
                       .real(event_field::wall_time, wall)
                       .integer(event_field::step, step)
                       .nested(event_field::summary, summary));
}

std::string hparams_record(double wall, std::string_view tag, const message& data) {
  auto plugin = message{}.text(plugin_name, "hparams").text(plugin_content, data.bytes());
  // Readers want a tensor in each value, if only an empty one.
  auto tensor = message{}.integer(tensor_dtype, dtype_float).nested(tensor_shape, message{});
  auto value = message{}
                   .text(value_field::tag, tag)
                   .nested(value_field::tensor, tensor)
                   .nested(value_field::metadata, message{}.nested(metadata_plugin_data, plugin));
  return record_of(message{}
                       .real(event_field::wall_time, wall)
                       .nested(event_field::summary, message{}.nested(summary_value, value)));
}

} // namespace tune::event_file

/// Records of TensorBoard's event files. Private to the TensorBoard sink.
///
/// A file is a row of records; a record is the length (8 bytes, little-endian), its masked CRC-32C
/// (4 bytes), an `Event` message, and that message's masked CRC-32C. The first event names the
/// version of the format.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sinks/tensorboard/wire_format.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tune::event_file {

/// A number of a report.
struct scalar {
  std::string tag;
  /// TensorBoard keeps floats of 32 bits.
  float number = 0;
};

/// CRC-32C (Castagnoli), rotated and shifted as the format demands.
[[nodiscard]] std::uint32_t masked_crc(std::string_view bytes);

// Each function returns a whole record. @param wall Unix time in seconds.

/// The first one of a file.
[[nodiscard]] std::string version_record(double wall);
/// A program begins at this step: later steps of an earlier program do not count.
[[nodiscard]] std::string start_record(double wall, std::uint64_t step);
[[nodiscard]] std::string scalars_record(double wall, std::uint64_t step,
                                         const std::vector<scalar>& what);
/// Data of the HParams plug-in.
[[nodiscard]] std::string hparams_record(double wall, std::string_view tag,
                                         const wire_format::message& data);

} // namespace tune::event_file

/// The files of an experiment's command as each of its heads found them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/spec/spec.hpp"

#include <cstdint>
#include <vector>

namespace tune {
class store_reader;
}

namespace tune::cli {

/// The files of the command under one head.
struct head_code {
  /// The head's number, from 1.
  std::uint32_t epoch = 0;
  /// Name and hash of each file.
  std::vector<named_text> files;
};

/// The code of all heads, oldest first. Reads all events of an experiment that was resumed.
/// @errors of the reader.
[[nodiscard]] expected<std::vector<head_code>> code_of_heads(store_reader& from);

/// Each file once, with all hashes that it had, in their order and separated by ", ".
[[nodiscard]] std::vector<named_text> mixed_code(const std::vector<head_code>& heads);

} // namespace tune::cli

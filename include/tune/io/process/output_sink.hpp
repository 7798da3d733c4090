/// Interface for the destination of a program's output.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tune {

/// Receives the bytes of one output file, in order. Created, called and destroyed by one thread,
/// which serves the files of one job only: calls may block.
class output_sink {
public:
  virtual ~output_sink() = default;

  virtual void write(std::string_view bytes) = 0;
  /// Ends the output. Called once, after all other calls.
  /// @returns why some bytes are missing in the file, or what the file replaced; empty if all is
  ///          well.
  virtual std::string finish() = 0;
};

/// Creates the sink of a file when its first bytes come.
/// @param cap Size limit of the file. [bytes]
using output_maker = std::function<std::unique_ptr<output_sink>(const std::filesystem::path& path,
                                                                std::uint64_t cap)>;

} // namespace tune

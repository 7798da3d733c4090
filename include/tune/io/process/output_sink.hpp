/// What takes the bytes that a program prints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tune {

/// Takes the bytes of one output file, in order. Made, asked and destroyed by one thread, which
/// waits for it and serves the files of one job only: it may block.
class output_sink {
public:
  virtual ~output_sink() = default;

  virtual void write(std::string_view bytes) = 0;
  /// Nothing more comes. Called once, last.
  /// @returns why the bytes are not all in the file, or what it took the place of; empty: all is
  ///          well.
  virtual std::string finish() = 0;
};

/// Makes what takes the bytes of a file, at the first of them.
/// @param cap Bytes that the file may hold.
using output_maker = std::function<std::unique_ptr<output_sink>(const std::filesystem::path& path,
                                                                std::uint64_t cap)>;

} // namespace tune

/// An output file of a process, limited in size.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "posix/unique_fd.hpp"

#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/process/output_sink.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tune {

/// Created at the first byte; appended to if it exists. Anything that is not a regular file, or has
/// several names, is never waited for and is replaced by a new file. If the output exceeds the cap,
/// the beginning and the end are kept, the end being a quarter of the cap but at most 256 KiB, and
/// a line between them says how much was left out. The end is written by `finish`; until then the
/// file only grows. If the free disk space is down to what is reserved for the record
/// (`room_kept_free`), the file is at its cap, and 4 KiB of the end are kept. If no descriptor is
/// available, bytes wait in memory until one is. Blocks on the disk.
class output_file : public output_sink {
public:
  /// @param cap Size limit of the file, output of earlier attempts included. [bytes]
  output_file(std::filesystem::path path, std::uint64_t cap);

  void write(std::string_view bytes) override;
  /// Bytes that still wait in memory are written now, or never.
  std::string finish() override;

private:
  std::filesystem::path path_;
  /// The cap, and the part of it reserved for the end of the output. [bytes]
  std::uint64_t cap_;
  std::uint64_t end_size_;
  /// Bytes of the beginning that are in the file.
  std::uint64_t size_ = 0;
  /// Number of bytes after the beginning, dropped ones included; and the last of these bytes.
  std::uint64_t behind_ = 0;
  std::string end_;
  /// True if the file still has an earlier attempt's data after the beginning.
  bool has_old_end_ = false;
  bool opened_ = false;
  /// Bytes written since the free disk space was last checked, and whether it was too low.
  std::uint64_t unchecked_ = 0;
  bool lacks_room_ = false;
  unique_fd file_;
  /// Bytes to write once the file can be opened.
  std::string waiting_;
  /// Why the file could not be written, or was replaced by a new one; empty while all is well.
  std::string trouble_;

  void open(bool may_wait);
  void use(writable_file what);
  void append(std::string_view bytes);
  void put(std::string_view bytes);
  void check_room(std::size_t bytes);
  void put_end();
  void keep_for_end(std::string_view bytes);
  void read_old_end(const guarded_directory& where);
};

} // namespace tune

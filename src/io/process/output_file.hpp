/// Where a process's output goes: a file with a cap.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "unique_fd.hpp"

#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/process/output_sink.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tune {

/// Made at the first byte, appended to where it exists. What is no regular file, or has several
/// names, is never waited for and replaced by a new file. Of more than the cap the beginning is
/// kept and the end, a quarter of the cap but at most 256 KiB, and a line between says how much was
/// left out; the end comes with `finish`. Until then the file only grows. Where the disk has no
/// more room than is kept free for the record (`room_kept_free`), the file is at its cap, and of
/// the end 4 KiB are kept. Where there is no descriptor for it for now, bytes wait in memory until
/// there is. Blocks on the disk.
class output_file : public output_sink {
public:
  /// @param cap bytes the file may hold, earlier attempts' included.
  output_file(std::filesystem::path path, std::uint64_t cap);

  void write(std::string_view bytes) override;
  /// What waits in memory is written now, or never.
  std::string finish() override;

private:
  std::filesystem::path path_;
  /// Bytes that it may hold, and how many of them at the end come last of all.
  std::uint64_t cap_;
  std::uint64_t end_size_;
  /// Bytes of the beginning that are in the file.
  std::uint64_t size_ = 0;
  /// Bytes behind that, those that were dropped included; and the last of them.
  std::uint64_t behind_ = 0;
  std::string end_;
  /// What an earlier attempt left behind the beginning is in the file, too.
  bool has_old_end_ = false;
  bool opened_ = false;
  /// Bytes written since the disk's room was looked at, and whether there was none.
  std::uint64_t unchecked_ = 0;
  bool lacks_room_ = false;
  unique_fd file_;
  /// For the file, once it can be opened.
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

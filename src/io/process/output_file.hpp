/// Where a process's output goes: a file with a cap, and the last lines in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "unique_fd.hpp"

#include "tune/io/files/guarded_directory.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Made at the first byte, appended to where it exists. What is no regular file, or has several
/// names, is never waited for and replaced by a new file. Of more than the cap the beginning is
/// kept and the end, a quarter of the cap but at most 256 KiB, and a line between says how much was
/// left out; the end comes with `finish`. Until then the file only grows. Where the disk has no
/// more room than is kept free for the record (`room_kept_free`), the file is at its cap, and of
/// the end 4 KiB are kept. Where there is no descriptor for it for now, bytes wait in memory until
/// there is.
class output_file {
public:
  /// @param path empty: no file.
  /// @param cap  bytes the file may hold, earlier attempts' included.
  output_file(std::filesystem::path path, std::uint64_t cap);

  void write(std::string_view bytes);
  /// Nothing more comes: what waits in memory is written now, or never.
  void finish();
  /// Drops everything from now on.
  void close();

  /// Up to `count` last lines, each `printable` but for tabs, made of 500 bytes at most.
  [[nodiscard]] std::vector<std::string> last_lines(std::size_t count) const;
  /// The same of up to `first` lines and of up to `last` ones at the end; between them, where some
  /// are left out, a line says how many.
  [[nodiscard]] std::vector<std::string> first_and_last_lines(std::size_t first,
                                                              std::size_t last) const;
  /// Why the file could not be written, or was replaced by a new one; empty while all is well.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

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
  std::string head_;
  std::string tail_;
  /// Lines that are not empty, and whether the last one has begun.
  std::uint64_t lines_ = 0;
  bool in_line_ = false;
  std::string trouble_;

  void open(bool may_wait);
  void use(writable_file what);
  void append(std::string_view bytes);
  void put(std::string_view bytes);
  void check_room(std::size_t bytes);
  void put_end();
  void keep_for_end(std::string_view bytes);
  void read_old_end(const guarded_directory& where);
  void remember(std::string_view bytes);
  void count_lines(std::string_view bytes);
};

} // namespace tune

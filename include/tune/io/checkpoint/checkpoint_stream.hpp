/// A checkpoint as a stream of bytes: its manifest, then the content of its files in the manifest's
/// order. For bringing it to another machine; all of it blocks on the disk.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/checkpoint/checkpoint_limits.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// The longest manifest of a checkpoint that travels: it is held in memory at both ends.
inline constexpr std::uint64_t max_travelling_manifest = std::uint64_t{16} << 20;

/// What is known of a stream before it comes.
struct stream_outline {
  /// SHA-256 of the manifest's text, which holds those of the files.
  std::string manifest_hash;
  std::uint64_t manifest_size = 0;
  /// Of the whole stream.
  std::uint64_t bytes = 0;
};

/// Gives out a stream. For one thread.
class checkpoint_reader {
public:
  /// @param directory A checkpoint. One without a manifest is listed and hashed first.
  /// @errors as `verify_checkpoint`, without reading the files of one that has a manifest.
  [[nodiscard]] static expected<checkpoint_reader> open(std::filesystem::path directory);
  /// Files of a directory that is no checkpoint: those that `content` lists, and no others.
  /// @param directory Its own name is no link, nor a mount point.
  /// @errors as `guarded_directory`.
  [[nodiscard]] static expected<checkpoint_reader> of(std::filesystem::path directory,
                                                      checkpoint_manifest content);
  checkpoint_reader(checkpoint_reader&&) noexcept;
  checkpoint_reader& operator=(checkpoint_reader&&) noexcept;
  ~checkpoint_reader();

  [[nodiscard]] const stream_outline& outline() const;
  /// Reads so many bytes, from anywhere.
  /// @errors `ec::refused` where there are no such bytes; `ec::unreadable`, `ec::storage` for files
  ///   that are not, or no longer, what the manifest says.
  [[nodiscard]] expected<std::string> read(std::uint64_t offset, std::size_t size);

private:
  struct parts;
  explicit checkpoint_reader(std::unique_ptr<parts> all);
  [[nodiscard]] static expected<checkpoint_reader> over(std::unique_ptr<parts> all);
  std::unique_ptr<parts> parts_;
};

/// Takes a stream in, and trusts nothing of it. What it wrote is removed with it unless it was
/// released. For one thread.
class checkpoint_writer {
public:
  /// @param directory Where the checkpoint is to lie; made, and must not be there.
  /// @errors `ec::refused` for sizes beyond limits; `ec::storage`, also where it would leave less
  ///   than `room_kept_free`.
  [[nodiscard]] static expected<checkpoint_writer> begin(const std::filesystem::path& directory,
                                                         stream_outline expected_stream,
                                                         const checkpoint_limits& limits = {});
  checkpoint_writer(checkpoint_writer&&) noexcept;
  checkpoint_writer& operator=(checkpoint_writer&&) noexcept;
  ~checkpoint_writer();

  /// Takes the next bytes.
  /// @errors `ec::protocol` where they are not what was announced; `ec::refused` where its list is
  ///   beyond limits; `ec::storage`.
  [[nodiscard]] expected<void> append(std::string_view bytes);
  [[nodiscard]] std::uint64_t written() const;
  /// Everything came, and is what the manifest says.
  [[nodiscard]] bool is_complete() const;
  /// Of its files. Once it is complete.
  [[nodiscard]] std::uint64_t bytes() const;
  /// What its list says. Once it is complete.
  [[nodiscard]] const checkpoint_manifest& content() const;
  /// What was written stays.
  void release();

private:
  struct parts;
  explicit checkpoint_writer(std::unique_ptr<parts> all);
  std::unique_ptr<parts> parts_;
};

} // namespace tune

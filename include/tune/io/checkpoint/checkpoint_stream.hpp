/// A checkpoint as a stream of bytes: its manifest, then the contents of its files in the
/// manifest's order. Used to send it to another machine; everything here blocks on the disk.
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

/// Longest manifest of a checkpoint that is sent, since both ends hold it in memory. [bytes]
inline constexpr std::uint64_t max_travelling_manifest = std::uint64_t{16} << 20;

/// Announces a stream before it is sent.
struct stream_outline {
  /// SHA-256 of the manifest's text, which has those of the files.
  std::string manifest_hash;
  std::uint64_t manifest_size = 0;
  /// Size of the whole stream.
  std::uint64_t bytes = 0;
};

/// Produces a stream. For use by one thread.
class checkpoint_reader {
public:
  /// @param directory A checkpoint. If it has no manifest, it is listed and hashed first.
  /// @errors as `verify_checkpoint`; the files of a checkpoint with a manifest are not read.
  [[nodiscard]] static expected<checkpoint_reader> open(std::filesystem::path directory);
  /// A stream of the files that `content` lists, in a directory that is not a checkpoint.
  /// @param directory Its own name must not be a symbolic link or a mount point.
  /// @errors as `guarded_directory`.
  [[nodiscard]] static expected<checkpoint_reader> of(std::filesystem::path directory,
                                                      checkpoint_manifest content);
  checkpoint_reader(checkpoint_reader&&) noexcept;
  checkpoint_reader& operator=(checkpoint_reader&&) noexcept;
  ~checkpoint_reader();

  [[nodiscard]] const stream_outline& outline() const;
  /// Reads `size` bytes from any offset.
  /// @errors `ec::refused` if the range is outside the stream; `ec::unreadable`, `ec::storage` for
  ///   files that do not, or no longer, match the manifest.
  [[nodiscard]] expected<std::string> read(std::uint64_t offset, std::size_t size);

private:
  struct parts;
  explicit checkpoint_reader(std::unique_ptr<parts> all);
  [[nodiscard]] static expected<checkpoint_reader> over(std::unique_ptr<parts> all);
  std::unique_ptr<parts> parts_;
};

/// Receives a stream, without trusting it. The destructor removes the written files unless
/// `release` was called. For use by one thread.
class checkpoint_writer {
public:
  /// @param directory The checkpoint's directory, which is created and must not exist.
  /// @errors `ec::refused` for sizes beyond limits; `ec::storage`, also if it would leave less than
  ///   `room_kept_free`.
  [[nodiscard]] static expected<checkpoint_writer> begin(const std::filesystem::path& directory,
                                                         stream_outline expected_stream,
                                                         const checkpoint_limits& limits = {});
  checkpoint_writer(checkpoint_writer&&) noexcept;
  checkpoint_writer& operator=(checkpoint_writer&&) noexcept;
  ~checkpoint_writer();

  /// Processes the next bytes.
  /// @errors `ec::protocol` if they do not match the announcement; `ec::refused` if the manifest
  ///   exceeds limits; `ec::storage`.
  [[nodiscard]] expected<void> append(std::string_view bytes);
  [[nodiscard]] std::uint64_t written() const;
  /// Whether everything was received and matches the manifest.
  [[nodiscard]] bool is_complete() const;
  /// Total size of the files. Valid once it is complete.
  [[nodiscard]] std::uint64_t bytes() const;
  /// The manifest. Valid once it is complete.
  [[nodiscard]] const checkpoint_manifest& content() const;
  /// Keeps the written files.
  void release();

private:
  struct parts;
  explicit checkpoint_writer(std::unique_ptr<parts> all);
  std::unique_ptr<parts> parts_;
};

} // namespace tune

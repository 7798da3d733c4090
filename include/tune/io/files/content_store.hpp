/// The files that were sent to a node, each stored once and found by the hash of its content.
///
///     <root>/ab/abcdef…   complete content, read-only, synced before it got this name
///     <root>/incoming/    unfinished files; swept when a store is opened
///
/// Several processes may share one store: a rename is the commit, and a second writer replaces
/// content by identical content. An unfinished file is locked while its writer lives, so that the
/// sweep removes only what a crash left. The directories are accessible to their owner only, since
/// file modes are not transferred.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/file_manifest.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace tune {

/// One content being written into a store. Removed unless committed. For use by one thread.
class content_writer {
public:
  content_writer(content_writer&&) noexcept;
  content_writer& operator=(content_writer&&) noexcept;
  ~content_writer();

  /// Writes and hashes the next bytes.
  /// @param offset Position of the bytes; must equal `written()`.
  /// @errors `ec::protocol` for another position or beyond the size; `ec::storage`.
  [[nodiscard]] expected<void> append(std::uint64_t offset, std::string_view bytes);
  /// Bytes written so far.
  [[nodiscard]] std::uint64_t written() const;
  /// Verifies size and hash, syncs, and moves the content into place. Call it once.
  /// @errors `ec::protocol` if it is not the announced content; `ec::storage`.
  [[nodiscard]] expected<void> commit();

private:
  friend class content_store;
  struct parts;
  explicit content_writer(std::unique_ptr<parts> all);
  std::unique_ptr<parts> parts_;
};

/// A directory of contents. Copies of this object share the directory; may be used by any thread.
class content_store {
public:
  /// Opens or creates a store, and sweeps leftovers of crashed writers.
  /// @errors `ec::storage`.
  [[nodiscard]] static expected<content_store> open(std::filesystem::path root);

  /// Whether the content exists; checks name and size only.
  [[nodiscard]] bool has(const std::string& hash, std::uint64_t size) const;
  /// Path of the content, even if it does not exist.
  [[nodiscard]] std::filesystem::path path_of(const std::string& hash) const;
  /// Begins to write a content. @errors `ec::protocol` if `hash` is not a hash; `ec::storage`.
  [[nodiscard]] expected<content_writer> begin(const std::string& hash, std::uint64_t size) const;
  /// Reads and checks a whole content; removes it if it is corrupted, so that it can be sent again.
  /// @errors `ec::unreadable` if it does not exist; `ec::storage` if it was corrupted.
  [[nodiscard]] expected<void> verify(const std::string& hash) const;

  /// Removes the contents that were copied into a tree longest ago, or never, until at most `most`
  /// bytes are left. Call it only while nobody fetches into the store: contents that somebody waits
  /// for may be removed, too.
  /// @returns the number of bytes removed.
  std::uint64_t shrink(std::uint64_t most) const;

  /// Completes a directory so that it has all files of the manifest; other files in it are left
  /// alone.
  ///
  /// The files are copies (reflinks if the file system supports them), never hard links: a program
  /// that writes into one must damage neither the store nor another job. The price is the space of
  /// a second copy per job on file systems without reflinks. An existing file with the right
  /// content is kept. Nothing is synced: `<directory>.complete` records during which boot of the
  /// machine the tree became complete. During the same boot files are compared by size; after
  /// another boot, or without that file, by hash.
  /// @param directory Must be on the store's file system.
  /// @errors `ec::storage`, also for a missing content.
  [[nodiscard]] expected<void> link_tree(const file_manifest& what,
                                         const std::filesystem::path& directory) const;

private:
  explicit content_store(std::filesystem::path root) : root_{std::move(root)} {}
  std::filesystem::path root_;
};

} // namespace tune

/// The files that came to a node, each once, found by the hash of their content.
///
///     <root>/ab/abcdef…   complete content, read-only, synced before it got this name
///     <root>/incoming/    what is being written; swept when a store is opened
///
/// Several processes may share one store: a rename is the commit, and who comes second replaces
/// content by the same content. An unfinished file is locked while its writer lives, so that only
/// what a crash left is swept. The directories are the owner's alone, since modes do not travel.
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

/// One content on its way into a store. What is not committed is removed. For one thread.
class content_writer {
public:
  content_writer(content_writer&&) noexcept;
  content_writer& operator=(content_writer&&) noexcept;
  ~content_writer();

  /// Takes the next bytes, and hashes them.
  /// @param offset Where they belong: at `written()`.
  /// @errors `ec::protocol` at another place or beyond the size; `ec::storage`.
  [[nodiscard]] expected<void> append(std::uint64_t offset, std::string_view bytes);
  /// [bytes]
  [[nodiscard]] std::uint64_t written() const;
  /// Verifies size and hash, syncs, and puts the content into its place. Once.
  /// @errors `ec::protocol` if it is not the content that was announced; `ec::storage`.
  [[nodiscard]] expected<void> commit();

private:
  friend class content_store;
  struct parts;
  explicit content_writer(std::unique_ptr<parts> all);
  std::unique_ptr<parts> parts_;
};

/// A directory of contents. Copies mean the same directory; any thread.
class content_store {
public:
  /// Opens a store, makes it where there is none, and sweeps what crashed writers left.
  /// @errors `ec::storage`.
  [[nodiscard]] static expected<content_store> open(std::filesystem::path root);

  /// Whether the content is there: by name and size only.
  [[nodiscard]] bool has(const std::string& hash, std::uint64_t size) const;
  /// Where the content is, or would be.
  [[nodiscard]] std::filesystem::path path_of(const std::string& hash) const;
  /// Begins to write a content. @errors `ec::protocol` for what is no hash; `ec::storage`.
  [[nodiscard]] expected<content_writer> begin(const std::string& hash, std::uint64_t size) const;
  /// Reads a content through; one that is spoilt is removed, so that it can come anew.
  /// @errors `ec::unreadable` if it is not there; `ec::storage` if it was spoilt.
  [[nodiscard]] expected<void> verify(const std::string& hash) const;

  /// Removes what was copied into a tree longest ago, or never, until at most `most` bytes are
  /// left. Only while nobody fetches into the store: what somebody waits for may go, too.
  /// @returns bytes removed.
  std::uint64_t shrink(std::uint64_t most) const;

  /// Completes a directory so that it holds the manifest's files; what else lies there is left
  /// alone.
  ///
  /// The files are copies (by reference where the file system can), never hard links: a program
  /// that writes into one must spoil neither the store nor another job. The price is the space of
  /// a second copy per job on file systems without references. A file that is there is kept if its
  /// content is right. Nothing is synced: `<directory>.complete` tells in which boot of the machine
  /// the tree became complete, and after another one, or without it, contents are compared by
  /// their hash, within the same by size.
  /// @param directory On the store's file system.
  /// @errors `ec::storage`, also for a content that is missing.
  [[nodiscard]] expected<void> link_tree(const file_manifest& what,
                                         const std::filesystem::path& directory) const;

private:
  explicit content_store(std::filesystem::path root) : root_{std::move(root)} {}
  std::filesystem::path root_;
};

} // namespace tune

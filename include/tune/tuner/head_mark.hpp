/// The note by which a head that died is known again in the one that takes its place.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tune {

/// What workers and launch tokens know a head by. A head that takes the place of another has its
/// name and secret, and gives leases numbers of its own.
struct head_identity {
  /// See `welcome::head`; empty: a new one is drawn.
  std::string name = {};
  /// Key of the launch tokens; empty: a new one is drawn.
  std::string secret = {};
  /// See `ledger`.
  std::uint64_t first_lease = 1;
};

/// The file `.tune_head` in the directory of an experiment that its own head leads, or in the
/// storage of a standing head: for its owner only, since it has the secret.
struct head_mark {
  std::string name;
  std::string secret;
  /// Number of heads so far that took the place of the first. [< 2^20]
  std::uint64_t successions = 0;
  /// Id of the job of a single experiment; empty for a standing head.
  std::string job = {};

  [[nodiscard]] head_identity identity() const;
};

inline constexpr const char* head_mark_file = ".tune_head";

/// @returns nothing if there is none, or none that can be read: then nobody is awaited.
[[nodiscard]] std::optional<head_mark> read_head_mark(const std::filesystem::path& directory);
/// @errors `ec::storage`.
[[nodiscard]] expected<void> write_head_mark(const std::filesystem::path& directory,
                                             const head_mark& what);
/// A missing one is no error. @errors `ec::storage`.
[[nodiscard]] expected<void> remove_head_mark(const std::filesystem::path& directory);

/// The mark of a head that begins in this directory, written there.
struct succession {
  head_mark mark;
  /// Whether it takes the place of another.
  bool follows = false;
};
/// @param job As in `head_mark`: a head takes the place of another only with the same one.
/// @errors `ec::storage`.
[[nodiscard]] expected<succession> begin_head(const std::filesystem::path& directory,
                                              const std::string& job);

} // namespace tune

/// The PACKAGE CLIENT: brings jobs and their files to a worker.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/net/actors.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

namespace tune {

struct package_client_settings {
  /// The worker's directory: `content/` holds what came, `jobs/<job>/files/` a job's tree.
  std::filesystem::path work;
  /// Bytes of one chunk. [1 .. max_chunk_bytes]
  std::uint32_t chunk_bytes = 256 * 1024;
  /// Chunks that are asked for and not there yet, per package server. [>= 1]
  std::size_t credit = 4;
  /// A file of which nothing comes for so long is asked for again, from its beginning. [> 0]
  std::chrono::milliseconds patience{30'000};
  /// What may stay in the store while there are no jobs. [bytes]
  std::uint64_t store_bytes = std::uint64_t{10} << 30;
  /// How often a file is begun at most. [>= 1]
  unsigned tries = 3;
  /// Called before a job is brought, on the thread that writes: makes `work` anew where it was
  /// removed. An error is the job's.
  std::function<expected<void>()> keep_work = [] { return expected<void>{}; };
  /// Hears of what could not be removed with its job, on the thread that writes. May be empty.
  std::function<void(const std::string&)> tell = {};
  /// Writes on a thread of its own, since it blocks on the disk; false is for schedulers that must
  /// see every message.
  bool own_thread = true;
};

/// Opens the worker's store and spawns its package client. It ends when it is told to go.
///
/// Files come once, whichever jobs want them; what is there is read through before a job gets it,
/// and comes anew if it was spoilt. It stays, up to a bound that is looked at when it is spawned
/// and when jobs go. It holds `credit` chunks in memory and the list of files, never a file.
/// Package servers are monitored: a lost one fails its fetches at once.
/// @errors `ec::storage`.
[[nodiscard]] expected<package_client_actor> spawn_package_client(caf::actor_system& system,
                                                                  package_client_settings settings);

} // namespace tune

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
#include <string>
#include <vector>

namespace tune {

struct package_client_settings {
  /// The worker's directory: `content/` holds received files, `jobs/<job>/files/` a job's tree.
  std::filesystem::path work;
  /// Bytes of one chunk. [1 .. max_chunk_bytes]
  std::uint32_t chunk_bytes = 256 * 1024;
  /// Chunks that were asked for and have not arrived yet, per package server. [>= 1]
  std::size_t credit = 4;
  /// Silence after which a file is asked for again, from its beginning. [> 0]
  std::chrono::milliseconds patience{30'000};
  /// Most that stays in the store while there are no jobs. [bytes]
  std::uint64_t store_bytes = std::uint64_t{10} << 30;
  /// Jobs whose directories are there already, and go when they are dropped.
  std::vector<std::string> kept = {};
  /// Most tries to fetch a file. [>= 1]
  unsigned tries = 3;
  /// Called before a job is brought, on the writer thread: recreates `work` if it was removed. An
  /// error fails the job.
  std::function<expected<void>()> keep_work = [] { return expected<void>{}; };
  /// Told of what could not be removed with its job, on the writer thread. May be empty.
  std::function<void(const std::string&)> tell = {};
  /// Writes on a thread of its own, since it blocks on the disk; false is for schedulers that must
  /// see every message.
  bool own_thread = true;
};

/// Opens the worker's store and spawns its package client. It ends when it is told to go.
///
/// A file is fetched once, whichever jobs want it. An existing one is verified before a job gets
/// it, and fetched anew if it was damaged. Files stay, up to a bound that is checked at the start
/// and when jobs go. Memory use is `credit` chunks and the list of files, never a file.
/// Package servers are monitored: a lost one fails its fetches at once.
/// @errors `ec::storage`.
[[nodiscard]] expected<package_client_actor> spawn_package_client(caf::actor_system& system,
                                                                  package_client_settings settings);

} // namespace tune

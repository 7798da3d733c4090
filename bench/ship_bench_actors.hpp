/// Actors that measure the transport of files: the bare loop, and for tune_ship_bench a worker that
/// measures both ways.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/actors.hpp"
#include "tune/net/caf_tls.hpp"
#include "tune/net/system.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

namespace tune::bench {

using clock_type = std::chrono::steady_clock;

/// Parameters of both ways.
inline constexpr std::uint32_t chunk_bytes = 256 * 1024;
inline constexpr std::uint64_t credit = 4;

struct bare_ask {
  std::uint64_t offset = 0;
};
template <class Inspector>
auto inspect(Inspector& f, bare_ask& x) {
  return inspect_fields(f, "bare_ask", x, field("offset", x.offset));
}

struct bare_piece {
  std::string bytes;
};
template <class Inspector>
auto inspect(Inspector& f, bare_piece& x) {
  return inspect_fields(f, "bare_piece", x, field("bytes", x.bytes));
}

/// An order to fetch the file once, into a new directory.
struct work_order {
  /// The job to fetch; empty: the bare loop.
  std::string job;
  std::uint64_t round = 0;
  std::uint64_t bytes = 0;
};
template <class Inspector>
auto inspect(Inspector& f, work_order& x) {
  return inspect_fields(f, "work_order", x, field("job", x.job), field("round", x.round),
                        field("bytes", x.bytes));
}

struct work_report {
  std::string trouble;
  /// Peak resident memory, less that before the first order. [KiB]
  std::uint64_t extra_kib = 0;
  /// Longest round trip of a message to the head on the same connection.
  std::uint64_t longest_ping_us = 0;
};
template <class Inspector>
auto inspect(Inspector& f, work_report& x) {
  return inspect_fields(f, "work_report", x, field("trouble", x.trouble),
                        field("extra_kib", x.extra_kib),
                        field("longest_ping_us", x.longest_ping_us));
}

using bare_sink_actor = typed_actor<caf::result<void>(bare_piece)>;
using bare_source_actor = typed_actor<caf::result<void>(bare_ask, bare_sink_actor)>;
using pong_actor = typed_actor<caf::result<std::uint64_t>(ping_atom, std::uint64_t)>;
using worker_actor = typed_actor<caf::result<work_report>(work_order, package_server_actor,
                                                          bare_source_actor, pong_actor)>;
/// Workers introduce themselves to this actor; it also answers pings.
using head_actor = typed_actor<caf::result<void>(worker_actor),
                               caf::result<std::uint64_t>(ping_atom, std::uint64_t)>;

/// Measures this process's resident memory from construction on.
class peak_memory {
public:
  peak_memory();
  /// The peak above the memory in use when the process made its first `peak_memory`. [KiB]
  [[nodiscard]] std::uint64_t extra_kib() const;
};

/// Pings an actor again and again, on a thread of its own, until it is stopped.
class pinger {
public:
  pinger(caf::actor_system& system, const pong_actor& whom);

  /// Stops. @returns the longest round trip. [microseconds]
  std::uint64_t stop();

private:
  std::atomic<bool> over_ = false;
  std::uint64_t longest_ = 0;
  std::thread thread_;

  void ask(caf::actor_system& system, const pong_actor& whom);
};

/// Receives the error of the bare loop, or an empty text.
using done_actor = typed_actor<caf::result<void>(std::string)>;

/// Starts the bare loop: chunks of the same size, as many under way, SHA-256 and fsync.
/// @param path A new file.
void spawn_sink(caf::actor_system& system, const std::string& path, std::uint64_t bytes,
                const bare_source_actor& from, const done_actor& done);

head_actor spawn_head(caf::actor_system& system, std::function<void(worker_actor)> greeted);
bare_source_actor spawn_source(caf::actor_system& system, const std::filesystem::path& file);
worker_actor spawn_worker(caf::actor_system& system, const std::filesystem::path& directory);

} // namespace tune::bench

CAF_BEGIN_TYPE_ID_BLOCK(ship_bench, caf::id_block::tune_net_types::end)
CAF_ADD_TYPE_ID(ship_bench, (tune::bench::bare_ask))
CAF_ADD_TYPE_ID(ship_bench, (tune::bench::bare_piece))
CAF_ADD_TYPE_ID(ship_bench, (tune::bench::work_order))
CAF_ADD_TYPE_ID(ship_bench, (tune::bench::work_report))
CAF_ADD_TYPE_ID(ship_bench, (tune::bench::bare_sink_actor))
CAF_ADD_TYPE_ID(ship_bench, (tune::bench::bare_source_actor))
CAF_ADD_TYPE_ID(ship_bench, (tune::bench::pong_actor))
CAF_ADD_TYPE_ID(ship_bench, (tune::bench::worker_actor))
CAF_END_TYPE_ID_BLOCK(ship_bench)

/// The two processes of tune_remote_bench: a head with a node of its own, and a worker that joins
/// as `tune-node worker` does.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/net/actors.hpp"
#include "tune/net/system.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tune::bench {

using clock_type = std::chrono::steady_clock;

[[noreturn]] inline void give_up(const std::string& why) {
  std::fprintf(stderr, "remote_bench: %s\n", why.c_str());
  std::_Exit(1);
}

template <class T>
T must(expected<T> what) {
  if (!what)
    give_up(to_text(what.error()));
  return std::move(*what);
}

/// Slots of each of the two nodes.
inline constexpr std::int64_t node_slots = 64;

/// The node on which a trial runs.
enum class place : std::uint8_t { local, remote };

/// An experiment whose trials do nothing but report.
struct load {
  place where = place::local;
  std::uint64_t trials = 1;
  std::uint64_t reports = 1;
  std::uint64_t at_once = 1;
};

/// The figures of one experiment.
struct outcome {
  double seconds = 0;
  /// Median and 99th percentile of the waits for the answers to reports, of the last trial that
  /// ended. [ms]
  double p50_ms = 0;
  double p99_ms = 0;
};

/// @param share 0.5: the median. @returns 0 if there are no values.
[[nodiscard]] double percentile(std::vector<double>& all, double share);

/// Runs the worker: joins the head on this machine, works until the head is gone, and ends the
/// process.
/// @param work A directory of its own.
[[noreturn]] void work(std::uint16_t port, const std::filesystem::path& certificates,
                       const std::filesystem::path& work);

/// The head, and the worker that it starts.
class small_cluster {
public:
  /// @param directory Its own; for certificates, databases and the worker's files.
  explicit small_cluster(const std::filesystem::path& directory);
  ~small_cluster();

  small_cluster(const small_cluster&) = delete;
  small_cluster& operator=(const small_cluster&) = delete;

  /// Runs one experiment with a database.
  [[nodiscard]] outcome run(const load& what);

  /// Measures round trips of messages to a node; for a remote node nothing but the connection.
  /// @param at_once Number of messages under way. @returns one figure per message. [ms]
  [[nodiscard]] std::vector<double> ping(place where, std::uint64_t count, std::uint64_t at_once);

private:
  std::filesystem::path directory_;
  transport how_;
  network_config config_;
  caf::actor_system system_;
  cluster_actor cluster_;
  node_actor here_;
  node_actor there_;
  ::pid_t worker_ = 0;
  std::uint64_t runs_ = 0;

  void start_worker();
};

} // namespace tune::bench

/// Shared by the two benchmarks of file transport, apart from actors: command line, processes, data
/// and figures.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ship_bench_actors.hpp"

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tune::bench {

/// Prints a line that says why, and ends this process.
[[noreturn]] void give_up(const std::string& why);

template <class T>
T must(expected<T> what) {
  if (!what)
    give_up(to_text(what.error()));
  return std::move(*what);
}

/// The command line: words, followed by flags "--name=value".
struct settings {
  std::vector<std::string> words;
  std::map<std::string, std::string> flags;

  /// @param usage As for `bench::arguments`.
  /// @param names The flags apart from `cert`, `key` and `ca`.
  settings(int count, char** all, const char* usage, std::vector<std::string> names);
  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] std::size_t number(const std::string& name, std::size_t otherwise) const;
  [[nodiscard]] tls_files tls() const;
  [[nodiscard]] bool has_tls() const;
};

/// Configuration of a networked actor system: with TLS if the command line names certificates.
template <class... Blocks>
struct bench_config : caf::actor_system_config {
  explicit bench_config(const settings& given) {
    configure_net(*this);
    add_types<Blocks...>(*this);
    if (given.has_tls())
      load_network(*this, given.tls());
    else
      load_network(*this);
  }
};

template <class Handle>
Handle connect_to(caf::actor_system& system, const settings& given, std::uint16_t port) {
  return must(given.has_tls() ? connect_tls<Handle>(system, "127.0.0.1", port)
                              : connect_plain<Handle>(system, "127.0.0.1", port));
}

/// Opens a port for `whom`. @returns the port.
template <class Handle>
std::uint16_t open_for(caf::actor_system& system, const settings& given, const Handle& whom) {
  return must(given.has_tls() ? publish_tls(system, whom, 0, "127.0.0.1")
                              : publish_plain(system, whom, 0, "127.0.0.1"));
}

/// Starts this program again, with these words and the flags that it was given itself.
::pid_t start_worker(const settings& given, std::vector<std::string> words);
/// Ends the workers.
void end_workers(const std::vector<::pid_t>& all);

/// Bytes that no layer can compress.
void write_noise(const std::filesystem::path& file, std::size_t bytes);

/// Figures of one way.
struct series {
  std::vector<double> rates; // MB/s, all workers together
  double worker_mib = 0;
  double head_mib = 0;
  double longest_ping_ms = 0;

  /// Adds one round.
  /// @param bytes Bytes for each worker.
  void add(const std::vector<work_report>& all, std::uint64_t bytes, double seconds,
           const peak_memory& head);
  [[nodiscard]] double median() const;
  [[nodiscard]] object json() const;
};

} // namespace tune::bench

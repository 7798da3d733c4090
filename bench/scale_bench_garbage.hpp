/// The uninvited of tune_scale_bench: connections to the head's port that never become members.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace tune::bench {

/// Keeps so many connections to a port, of four kinds in equal parts: they say nothing, send random
/// bytes, begin a TLS handshake and leave it there, or send the beginning of one byte by byte. One
/// that is hung up on comes again a second later. Lives on a thread of its own.
class garbage_crowd {
public:
  /// @param certificates Of the cluster, from which a beginning of a handshake is made that is like
  /// those of members.
  garbage_crowd(std::uint16_t port, std::uint64_t count, const std::filesystem::path& certificates);
  ~garbage_crowd();
  garbage_crowd(const garbage_crowd&) = delete;
  garbage_crowd& operator=(const garbage_crowd&) = delete;

  /// Connections that were made so far.
  [[nodiscard]] std::uint64_t made() const { return made_; }

private:
  using time_point = std::chrono::steady_clock::time_point;
  enum class kind : std::uint8_t { silent, random, half, slow };
  struct visitor {
    kind what;
    int socket = -1;
    /// Time from which it may come again.
    time_point again = {};
    std::size_t sent = 0;
  };

  std::uint16_t port_;
  std::string hello_;
  std::string noise_;
  std::vector<visitor> all_;
  std::atomic<std::uint64_t> made_ = 0;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;

  void run();
  void come(visitor& who);
  void go_on(visitor& who, time_point now);
  static void say(visitor& who, const char* from, std::size_t size);
};

} // namespace tune::bench

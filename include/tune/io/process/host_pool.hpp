/// The idle hosts, each waiting for another trial of its kind.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/process/process_service.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// The kind of trial a host was started for; it serves no others.
struct host_key {
  std::string job;
  std::string trainable;
  double cpus = 1;
  double gpus = 0;
  /// Device indices. A process cannot change the devices that it has opened.
  std::vector<std::uint32_t> devices;
  /// Bytes; 0: no limit.
  std::uint64_t memory = 0;

  friend bool operator==(const host_key&, const host_key&) = default;
};

/// A plain value; its owner starts and ends the processes.
///
/// As long as the owner ends the hosts that `make_room` returns before it starts another, there are
/// never more hosts, running or waiting, than trials that ran at once.
class host_pool {
public:
  /// Adds `host` to those waiting.
  void give(host_key key, process_handle host);
  /// Removes and returns the matching host that has waited for the shortest time.
  [[nodiscard]] std::optional<process_handle> take(const host_key& key);
  /// Removes and returns the hosts that must end before a host of this key is started: all that may
  /// use its devices, else the one that has waited longest.
  [[nodiscard]] std::vector<process_handle> make_room(const host_key& key);
  /// Removes `host`, which is gone. Does nothing if it is not waiting.
  void forget(process_handle host);
  /// Removes and returns all hosts of one job, the longest waiting first.
  [[nodiscard]] std::vector<process_handle> take_all_of(const std::string& job);
  /// Removes and returns all hosts, the longest waiting first.
  [[nodiscard]] std::vector<process_handle> clear();
  [[nodiscard]] std::size_t size() const { return waiting_.size(); }

private:
  struct entry {
    host_key key;
    process_handle host;
  };
  /// Sorted by waiting time, the longest first.
  std::vector<entry> waiting_;
};

} // namespace tune

/// The hosts that wait for another trial of their kind.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/process/process_service.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// What a host was started for; it serves no other trials.
struct host_key {
  std::string job;
  std::string trainable;
  double cpus = 1;
  double gpus = 0;
  /// By index. A process cannot change the devices that it has opened.
  std::vector<std::uint32_t> devices;
  /// Bytes; 0: no limit.
  std::uint64_t memory = 0;

  friend bool operator==(const host_key&, const host_key&) = default;
};

/// A plain value; whoever has it starts and ends the processes.
///
/// Whoever ends what `make_room` names before he starts a host has never more of them, running or
/// waiting, than trials ran at once.
class host_pool {
public:
  /// `host` waits from now on.
  void give(host_key key, process_handle host);
  /// The fitting host that waits for the shortest time, taken out.
  [[nodiscard]] std::optional<process_handle> take(const host_key& key);
  /// Takes out what has to go before a host of this key is started: all that may have something on
  /// its devices, else the one that waits longest.
  [[nodiscard]] std::vector<process_handle> make_room(const host_key& key);
  /// `host` is gone. Nothing happens where it does not wait.
  void forget(process_handle host);
  /// Takes all of one job out, the longest waiting first.
  [[nodiscard]] std::vector<process_handle> take_all_of(const std::string& job);
  /// Takes all out, the longest waiting first.
  [[nodiscard]] std::vector<process_handle> clear();
  [[nodiscard]] std::size_t size() const { return waiting_.size(); }

private:
  struct entry {
    host_key key;
    process_handle host;
  };
  /// The longest waiting first.
  std::vector<entry> waiting_;
};

} // namespace tune

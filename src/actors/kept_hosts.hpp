/// The hosts of one node that wait for further trials. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trainables.hpp"

#include "tune/io/process/host_pool.hpp"
#include "tune/io/process/process_service.hpp"

#include <memory>
#include <optional>

namespace tune {

/// Whether a trial's process may serve others, too.
[[nodiscard]] bool is_kept(const trainable_start& what);

/// The properties of a process that the trial needs.
[[nodiscard]] host_key host_key_of(const trainable_start& what);

/// A pool of hosts and their processes. All functions may be called from any thread.
class kept_hosts {
public:
  explicit kept_hosts(std::shared_ptr<process_service> processes);
  /// Ends the waiting hosts.
  ~kept_hosts();
  kept_hosts(const kept_hosts&) = delete;
  kept_hosts& operator=(const kept_hosts&) = delete;

  /// Takes a waiting host for a new trial. If none fits, the caller will start a process, and hosts
  /// that must not run beside it are ended.
  [[nodiscard]] std::optional<process_handle> take(const host_key& key);
  /// Parks a host that says it waits.
  void park(process_handle which, host_key key);
  /// The job is over: ends hosts that wait for its trials.
  void end_job(const std::string& job);
  /// Ends waiting hosts; no further ones are accepted.
  void close();

private:
  struct content;
  class waiting_host;
  std::shared_ptr<process_service> processes_;
  std::shared_ptr<content> content_;
};

} // namespace tune

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

/// What the trial needs of its process.
[[nodiscard]] host_key host_key_of(const trainable_start& what);

/// A pool and its processes. All functions may be called from any thread.
class kept_hosts {
public:
  explicit kept_hosts(std::shared_ptr<process_service> processes);
  /// Ends those that wait.
  ~kept_hosts();
  kept_hosts(const kept_hosts&) = delete;
  kept_hosts& operator=(const kept_hosts&) = delete;

  /// A host for a trial that begins, to be handed on. Where none fits a process is going to be
  /// started, and what is not to be there beside it is ended.
  [[nodiscard]] std::optional<process_handle> take(const host_key& key);
  /// Parks a host that says it waits.
  void park(process_handle which, host_key key);
  /// The job is over: ends those that wait for its trials.
  void end_job(const std::string& job);
  /// Ends those that wait; nobody is to come any more.
  void close();

private:
  struct content;
  class checkpoint_service;
  std::shared_ptr<process_service> processes_;
  std::shared_ptr<content> content_;
};

} // namespace tune

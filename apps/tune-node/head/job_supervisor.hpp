/// The JOB SUPERVISOR: runs one submitted experiment at a standing head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/devices/devices.hpp"
#include "tune/net/submission_server.hpp"
#include "tune/tuner/choices.hpp"
#include "tune/tuner/head_services.hpp"

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tune::cli {

/// Settings shared by all job supervisors of a head.
struct job_supervisor_settings {
  /// Must outlive all job supervisors.
  head_services* place = nullptr;
  const choices* all = nullptr;
  host_resources machine;
  /// Directory with the directories of experiments; absolute.
  std::filesystem::path storage;
  /// Whether the head is about to end, so that no further experiment begins.
  std::shared_ptr<const std::atomic<bool>> leaves = std::make_shared<std::atomic<bool>>(false);
  /// Set where workers keep their trials for a head that dies: by what this one is known.
  std::optional<head_mark> mark = {};
  /// How long they do so; see `liveness_rules`.
  instant head_grace{0};
  /// Told, in lines for people, how the experiment goes on; from another thread.
  std::function<void(const std::string&)> say;
};

/// Spawns a job supervisor on a thread of its own: it loads, opens the storage and writes results.
[[nodiscard]] expected<job_supervisor_actor>
spawn_job_supervisor(caf::actor_system& system, const job_supervisor_settings& settings,
                     job_spec what);

} // namespace tune::cli

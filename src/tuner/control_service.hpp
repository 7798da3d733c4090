/// Carries out requests of clients of a control socket or of this process. Private to the tuner.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/actors/rules.hpp"
#include "tune/core/space/space.hpp"
#include "tune/io/control/control_server.hpp"
#include "tune/tuner/head_services.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace tune {

/// Actors and data that the service asks. References must outlive it.
struct control_service_parts {
  caf::actor_system& system;
  runner_actor runner;
  head_services& where;
  std::filesystem::path directory;
  std::shared_ptr<const search_space> space;
  /// Describes the state of the scheduler; null: unknown.
  std::shared_ptr<const outline_board> board = nullptr;
};

/// Takes the answer to a request, or why there is none; from any thread. Called at most once: not
/// at all if the runner goes before it could answer.
using desk_answer = std::function<void(expected<control_answer>)>;

/// Turns requests into orders for the runner. Answers come once they are on disk. For any thread.
class control_service {
public:
  explicit control_service(control_service_parts parts) : parts_{std::move(parts)} {}

  /// Blocks only for `status`.
  void handle(const control_request& what, const desk_answer& answer);

private:
  control_service_parts parts_;
  /// Whether the status is out of date: a client that made a request mostly looks at its effect
  /// next.
  std::atomic<bool> is_stale_ = false;
  std::mutex mutex_;
  std::optional<expected<control_answer>> status_;
  std::chrono::steady_clock::time_point status_until_{};

  [[nodiscard]] expected<control_answer> recent_status();
  [[nodiscard]] expected<control_answer> status() const;
};

/// The service as a handler of the socket, in lines of JSON.
[[nodiscard]] control_handler spoken_by(std::shared_ptr<control_service> service);

} // namespace tune

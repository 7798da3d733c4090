/// Runs experiments that clients upload, at the standing head of this process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "serve/hosted_head.hpp"
#include "tune/actors/system.hpp"
#include "tune/net/submission_actors.hpp"
#include "tune/tuner/choices.hpp"

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace tune::cli {

/// Unpacks, checks, and submits as a client on this machine would. One upload at a time.
class upload_runner final : public hosted_head {
public:
  struct parts {
    caf::actor_system& system;
    submission_server_local_actor head;
    /// Everything that experiments may name; outlives this object.
    const choices& all;
    /// Where uploads are unpacked while they begin; absolute. What earlier heads left is removed.
    std::filesystem::path work;
    /// Looks at the machines of the head; may block for a moment.
    std::function<std::optional<cluster_numbers>()> machines = {};
  };
  explicit upload_runner(parts with);

  [[nodiscard]] expected<upload_taken> submit(const upload& what) override;
  [[nodiscard]] std::optional<cluster_numbers> machines() const override {
    return with_.machines ? with_.machines() : std::nullopt;
  }

private:
  parts with_;
  std::mutex works_;

  [[nodiscard]] expected<upload_taken> submit_from(const upload& what,
                                                   const std::filesystem::path& place);
};

} // namespace tune::cli

/// The directories of a checkpoint server's experiments, and who may write where. Blocks on the
/// disk; sends nothing and knows no clock.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "incoming_checkpoint.hpp"

#include "tune/core/error.hpp"
#include "tune/core/trial/counted_attempts.hpp"
#include "tune/io/checkpoint/checkpoint_stream.hpp"
#include "tune/net/wire.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace tune {

/// For use by one thread.
class checkpoint_places {
public:
  checkpoint_places(std::string secret, incoming_limits limits)
      : secret_{std::move(secret)}, limits_{limits} {}
  ~checkpoint_places();
  checkpoint_places(const checkpoint_places&) = delete;
  checkpoint_places& operator=(const checkpoint_places&) = delete;

  void add(const job_place& what);
  void remove(const std::string& job);
  /// Denies access to an attempt from now on.
  void give_up(const std::string& job, trial_id trial, attempt_id attempt);

  /// Tells where the experiment is stored; leaves a token there.
  [[nodiscard]] storage_answer tell(const storage_question& asked);

  /// Whether this checkpoint is here already: a worker offers it again if it did not hear that it
  /// was safe before a connection broke.
  [[nodiscard]] bool has(const checkpoint_offer& what) const;

  /// Begins to receive a checkpoint or artifacts.
  /// @errors `ec::refused` if the sender lacks permission, the offer makes no sense, or a later
  ///   attempt of the trial has brought artifacts; `ec::storage`.
  [[nodiscard]] expected<incoming_checkpoint> begin(const checkpoint_offer& what);

  /// Opens a checkpoint to be given out.
  /// @errors `ec::refused` if the worker lacks permission; any other: the checkpoint is at fault.
  [[nodiscard]] expected<checkpoint_reader> open(const checkpoint_wanted& what) const;

private:
  struct shelf {
    std::filesystem::path directory;
    /// Empty until somebody asks for it.
    std::string token;
    checkpoint_limits limits = {};
    artifact_rules artifacts = {};
    counted_attempts attempts = {};
  };
  std::string secret_;
  incoming_limits limits_;
  std::map<std::string, shelf> places_;

  [[nodiscard]] expected<incoming_checkpoint>
  begin_artifacts(const checkpoint_offer& what, const std::filesystem::path& directory);
  [[nodiscard]] static std::filesystem::path place_of(const checkpoint_offer& what,
                                                      const std::filesystem::path& directory);
  /// @errors `ec::refused`.
  [[nodiscard]] expected<std::filesystem::path> enter(const attempt_claim& who) const;
};

} // namespace tune

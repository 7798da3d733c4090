/// The directories of a checkpoint server's experiments: who may put what where. Blocks on the
/// disk; sends nothing and knows no clock.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "incoming_checkpoint.hpp"

#include "tune/core/error.hpp"
#include "tune/io/checkpoint/checkpoint_stream.hpp"
#include "tune/net/wire.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace tune {

/// For one thread.
class checkpoint_places {
public:
  checkpoint_places(std::string secret, incoming_limits limits)
      : secret_{std::move(secret)}, limits_{limits} {}
  ~checkpoint_places();
  checkpoint_places(const checkpoint_places&) = delete;
  checkpoint_places& operator=(const checkpoint_places&) = delete;

  void add(const job_place& what);
  void remove(const std::string& job);
  /// The attempt may not enter any more.
  void give_up(const std::string& job, trial_id trial, attempt_id attempt);

  /// Where the experiment lies; leaves a token there.
  [[nodiscard]] storage_answer tell(const storage_question& asked);

  /// Whether this checkpoint came before: its worker offers it again where it did not hear, before
  /// a connection broke, that it was safe.
  [[nodiscard]] bool has(const checkpoint_offer& what) const;

  /// A checkpoint is about to come, or what an attempt wrote.
  /// @errors `ec::refused` for who must not, and what makes no sense; `ec::storage`.
  [[nodiscard]] expected<incoming_checkpoint> begin(const checkpoint_offer& what) const;

  /// A checkpoint is to be given out.
  /// @errors `ec::refused` for who must not; any other: the checkpoint is at fault.
  [[nodiscard]] expected<checkpoint_reader> open(const checkpoint_wanted& what) const;

private:
  struct shelf {
    std::filesystem::path directory;
    /// Empty: nobody asked for it yet.
    std::string token;
    checkpoint_limits limits = {};
    artifact_rules artifacts = {};
    std::set<std::pair<std::uint64_t, attempt_id>> given_up = {};
  };
  std::string secret_;
  incoming_limits limits_;
  std::map<std::string, shelf> places_;

  [[nodiscard]] expected<incoming_checkpoint>
  begin_artifacts(const checkpoint_offer& what, const std::filesystem::path& directory) const;
  [[nodiscard]] static std::filesystem::path place_of(const checkpoint_offer& what,
                                                      const std::filesystem::path& directory);
  /// @errors `ec::refused`.
  [[nodiscard]] expected<std::filesystem::path> enter(const attempt_claim& who) const;
};

} // namespace tune

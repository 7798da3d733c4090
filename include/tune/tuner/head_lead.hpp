/// The right to lead the experiments of a storage, which one head has at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/liveness/liveness_rules.hpp"
#include "tune/core/liveness/standby_watch.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace tune {

/// Held from when a head begins until it ends, by the directory `.tune_lead` in the storage: a
/// lock, and beside it a file `beat` that says who leads and that changes while its head lives.
///
/// The lock makes a takeover quick, since it goes with its process. What a takeover rests upon is
/// the beat: it also stops where the lock stays, with a process that is stopped or a machine that
/// is gone. The process that is stopped is killed where it is of this machine, by the mark that it
/// left in that file: it may hold records locked. Elsewhere it is put out of the lead, which it
/// notices by its next beat; until then what it writes into records is refused by their own epochs.
class head_lead {
public:
  struct settings {
    std::filesystem::path storage;
    /// Silence after which another head takes over; also sets the pace of the beat.
    instant most_silence = default_lost_after;
    /// Wait while another head leads, instead of failing.
    bool stands_by = false;
    /// Told, in lines for people, who leads while it waits.
    std::function<void(const std::string&)> tell = [](const std::string&) {};
    /// Waits for so long between two looks; a signal may end the process meanwhile.
    std::function<void(instant)> wait;
    /// Called once, from another thread, when another head has taken over: with the reason.
    std::function<void(const std::string&)> fenced;
  };

  /// Takes the lead, at once or when it is free.
  /// @errors `ec::refused` naming the head that leads, unless it stands by; `ec::storage`.
  [[nodiscard]] static expected<std::unique_ptr<head_lead>> take(settings how);
  ~head_lead();
  head_lead(const head_lead&) = delete;
  head_lead& operator=(const head_lead&) = delete;

  /// Whether the head before was silent while it held its locks, and could not be ended: it may
  /// still hold others.
  [[nodiscard]] bool by_force() const;

private:
  class impl;
  std::unique_ptr<impl> impl_;
  explicit head_lead(std::unique_ptr<impl> what);
};

} // namespace tune

/// When a head that stands by takes the place of the one that leads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <cstdint>
#include <optional>

namespace tune {

/// What the head that leads shows of itself in the storage.
struct lead_sign {
  /// Which head it is: higher for each that took the lead after another.
  std::uint64_t epoch = 0;
  /// Rises while it lives.
  std::uint64_t beat = 0;

  friend bool operator==(const lead_sign&, const lead_sign&) = default;
};

/// Watches the head that leads, as a value. Only the watcher's own time counts: clocks of different
/// machines, and the times that a file server gives to files, are never compared.
///
/// Its promise: **a head whose sign changes keeps the lead**.
class standby_watch {
public:
  /// Looks within the time after which a silent head has lost the lead.
  static constexpr int looks = 10;

  /// @param most Silence after which a head that still holds its lock has lost the lead.
  /// @param trusts_lock Whether nobody can take the lock while its holder lives. Otherwise a lock
  ///   that can be taken counts only if its last holder is silent for two looks.
  standby_watch(instant most, bool trusts_lock) : most_{most}, trusts_lock_{trusts_lock} {}

  enum class verdict : std::uint8_t {
    waits,
    /// Nobody holds the lock.
    leads,
    /// The holder of the lock is silent, stopped for instance: it is to be put out of it.
    leads_by_force,
  };

  /// @param sign   Empty if there is none.
  /// @param has_lock Whether the lock could be taken.
  [[nodiscard]] verdict look(const std::optional<lead_sign>& sign, bool has_lock, instant now);

  /// Time between two looks.
  [[nodiscard]] instant pace() const { return most_ / looks; }

private:
  instant most_;
  bool trusts_lock_;
  bool has_looked_ = false;
  std::optional<lead_sign> last_;
  instant last_look_{0};
  /// Time that the same sign was there, as far as it was looked at: a watcher that was held up
  /// itself blames nobody for that.
  instant silence_{0};
};

} // namespace tune

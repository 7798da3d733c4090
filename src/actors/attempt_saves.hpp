/// The checkpoints of one attempt on their way to be safe. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trainables.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

namespace tune {

/// A checkpoint that a trainable has written.
struct written_checkpoint {
  /// 0: the trainable handed it over unasked.
  std::uint64_t number = 0;
  std::uint64_t iteration = 0;
  std::int64_t time_total_ns = 0;
  std::filesystem::path draft;
  /// The attempt ends with this checkpoint.
  bool ends = false;
  /// The draft lies in this node's memory.
  bool in_memory = false;
};

/// Has the checkpoints of an attempt kept, and tells the trial. Lives in the state of the attempt's
/// actor.
class attempt_saves {
public:
  /// Most checkpoints of one attempt that are on their way at a time: the next one waits.
  static constexpr std::size_t most = 2;
  /// Long enough for small checkpoints to be safe.
  static constexpr std::chrono::seconds drop_patience{1};

  /// @param what   must outlive it.
  /// @param settled Called when a checkpoint is safe or has failed, then with its number; 0: it is
  ///   safe, or was handed over.
  void init(const trainable_start& what, std::function<void(std::uint64_t failed)> settled) {
    what_ = &what;
    settled_ = std::move(settled);
  }

  template <class Self>
  void keep(Self* self, const written_checkpoint& which) {
    ++under_way_;
    checkpoint_draft draft{what_->checkpoints, which.draft, which.iteration, true,
                           what_->job->limits};
    keep_draft order{attempt_claim{what_->order}, std::move(draft), {}, 0};
    if (which.in_memory) {
      order.on_disk = std::exchange(order.what.experiment, memory_of(*what_));
      order.room = what_->job->pause_memory;
    }
    // No time limit: the service lives on this node, always answers, and has limits of its own.
    request(self, what_->checkpoint_service, caf::infinite, std::move(order))
        .then([this, self, which](const draft_kept& kept) { settle(self, which, kept); },
              [this, self, which](const caf::error& why) {
                settle(self, which, draft_kept{{}, render(self->system(), why)});
              });
  }

  template <class Self>
  void refuse(Self* self, std::uint64_t number, std::string why,
              std::uint64_t iteration = 0) const {
    send(self, what_->trial,
         attempt_save_failed{what_->order.attempt, number, std::move(why), iteration, false});
  }

  /// The trainable cannot save when it is asked, and never will.
  template <class Self>
  void refuse_for_good(Self* self, std::uint64_t number, std::string why) const {
    send(self, what_->trial,
         attempt_save_failed{what_->order.attempt, number, std::move(why), 0, true});
  }

  [[nodiscard]] bool is_full() const { return under_way_ >= most; }
  [[nodiscard]] bool is_idle() const { return under_way_ == 0; }

  /// The attempt was ended by force: checkpoints on their way fail after `drop_patience`.
  template <class Self>
  void drop_soon(Self* self) const {
    if (what_->checkpoint_service)
      delayed_send(self, what_->checkpoint_service, drop_patience,
                   saves_dropped{attempt_claim{what_->order}});
  }

  /// The end to report for an attempt that is over as `how`. If it ended well with a checkpoint
  /// that could not be kept, it counts as preempted and goes on from the checkpoint before. If the
  /// checkpoint exceeded the limits, it would do so again, so that counts as the program's error.
  [[nodiscard]] attempt_ended judged(attempt_ended how) const {
    const auto kind = static_cast<end_class>(how.how);
    if (lost_.empty() || (kind != end_class::finished && kind != end_class::stopped))
      return how;
    how.how
        = static_cast<std::uint8_t>(is_too_much_ ? end_class::user_error : end_class::preempted);
    how.detail = "it ended with a checkpoint that could not be kept: " + lost_;
    how.has_status = false;
    return how;
  }

private:
  const trainable_start* what_ = nullptr;
  std::function<void(std::uint64_t)> settled_;
  std::size_t under_way_ = 0;
  /// Why the checkpoint with which the attempt ended was not kept.
  std::string lost_;
  bool is_too_much_ = false;

  template <class Self>
  void settle(Self* self, const written_checkpoint& which, const draft_kept& kept) {
    --under_way_;
    if (kept.why.empty()) {
      send(self, what_->trial,
           attempt_saved{what_->order.attempt, which.number, which.iteration, which.time_total_ns,
                         kept.what.location, kept.what.bytes});
    } else {
      if (which.ends) {
        lost_ = kept.why;
        is_too_much_ = kept.is_too_much;
      }
      refuse(self, which.number, kept.why, which.iteration);
    }
    settled_(kept.why.empty() ? 0 : which.number);
  }
};

} // namespace tune

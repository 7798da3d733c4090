/// The reports of an attempt, and how far they were answered.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/trial/report.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace tune {

/// Knows the last report, whether it was answered, which event asked for a verdict about it, and up
/// to which iteration no verdict is needed. That never decreases, and no report is answered before
/// it has come.
class answered_reports {
public:
  void take(std::shared_ptr<const report> what) { newest_ = std::move(what); }
  void answer() { answered_ = number(); }
  /// The last report still waits for its answer after all. @pre There is one.
  void reopen() { answered_ = number() - 1; }
  void allow(std::uint64_t until) { credit_ = std::max(credit_, until); }
  /// The last report is being judged.
  void judge(sequence asked) { judging_ = asked; }
  void end_judging() { judging_ = 0; }

  /// Null: there is none.
  [[nodiscard]] const std::shared_ptr<const report>& newest() const { return newest_; }
  /// Number and iteration of the last report; 0: there is none.
  [[nodiscard]] std::uint64_t number() const { return newest_ != nullptr ? newest_->number : 0; }
  [[nodiscard]] std::uint64_t iteration() const {
    return newest_ != nullptr ? newest_->iteration : 0;
  }
  /// The number that was answered last.
  [[nodiscard]] std::uint64_t answered() const { return answered_; }
  [[nodiscard]] bool wait() const { return answered_ < number(); }
  /// Reports up to this iteration need no verdict.
  [[nodiscard]] std::uint64_t credit() const { return credit_; }
  /// The event that asked for the verdict; 0: none is due.
  [[nodiscard]] sequence judging() const { return judging_; }

private:
  std::shared_ptr<const report> newest_;
  std::uint64_t answered_ = 0;
  std::uint64_t credit_ = 0;
  sequence judging_ = 0;
};

} // namespace tune

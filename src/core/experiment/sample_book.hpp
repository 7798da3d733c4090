/// The trials that the searcher suggested as samples of its search.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/pending_book.hpp"
#include "tune/core/fingerprint.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/search/searcher.hpp"

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

namespace tune {

/// Counts samples, and keeps those that were taken back before they began: they are wanted first if
/// more are needed. One that was taken back is not pending.
class sample_book {
public:
  /// @param runs Trials of each configuration. [>= 1]
  explicit sample_book(std::uint32_t runs) : pending_{runs} {}

  /// The searcher suggested this trial.
  void add(trial_id trial) {
    ++suggested_;
    pending_.add(trial);
  }
  /// The trial ended, as far as the searcher knows. No effect for one that is no sample.
  void end(trial_id trial) { pending_.end(trial); }
  /// The sample is taken back.
  void withdraw(trial_id trial, suggestion what) {
    withdrawn_.emplace(trial, std::move(what));
    pending_.set_aside(trial);
  }
  /// The first of those taken back is wanted again. @pre There is one.
  [[nodiscard]] std::pair<trial_id, suggestion> revive_first() {
    auto first = withdrawn_.extract(withdrawn_.begin());
    pending_.revive(first.key());
    return {first.key(), std::move(first.mapped())};
  }
  /// A client has the trial run again: it is no longer one that may be wanted.
  void forget(trial_id trial) { withdrawn_.erase(trial); }

  /// Samples so far, those taken back included.
  [[nodiscard]] std::uint64_t suggested() const { return suggested_; }
  [[nodiscard]] std::uint64_t withdrawn() const { return withdrawn_.size(); }
  /// Samples that have run, run, or are to.
  [[nodiscard]] std::uint64_t standing() const { return suggested_ - withdrawn(); }
  /// Those that have not ended.
  [[nodiscard]] const pending_book& pending() const { return pending_; }

  void describe_withdrawn(fingerprint& into) const {
    for (const auto& [id, x] : withdrawn_)
      into.add(id).add(*x.config).add(std::string_view{x.origin});
  }
  void describe_counts(fingerprint& into) const {
    pending_.describe(into);
    into.add(suggested_);
  }

private:
  std::uint64_t suggested_ = 0;
  std::map<trial_id, suggestion> withdrawn_;
  pending_book pending_;
};

} // namespace tune

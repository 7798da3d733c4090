/// Experiments that have no trial left and wait for their searcher or for clients.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/experiment.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace tune {

/// Whether the experiment waits for nothing but time: no trial is left, and its searcher, which had
/// no suggestion, is asked again later. Work grows with the number of live trials.
[[nodiscard]] bool waits_for_searcher(const experiment& x);

/// Whether the experiment waits for nothing but clients: no trial is left, and its searcher
/// proposes nothing but the points, which have all been tried (`[search] type = none`). Work grows
/// with the number of live trials.
/// @param by Traits of its searcher.
[[nodiscard]] bool waits_for_clients(const experiment& x, const searcher_traits& by);

/// The message for people while `waits_for_clients` holds.
[[nodiscard]] std::string client_wait_text();

/// The message for people while `waits_for_searcher` holds: what is awaited, and what ends the
/// wait.
///
/// @param patience Total time for which the searcher is asked again; see `experiment_settings`. 0:
///                 not told.
[[nodiscard]] std::string searcher_wait_text(std::chrono::nanoseconds patience);

/// Whether the experiment waits for nothing but the searcher's answer to an open question: no trial
/// is left, or there was none yet. Work grows with the number of live trials.
[[nodiscard]] bool waits_for_answer(const experiment& x);

/// Length of such a wait before people are told of it.
constexpr std::chrono::seconds answer_wait_told_after{3};

/// Decides when people are told that the searcher has not answered for long. Trials may end
/// meanwhile, so that only then nothing but the answer is awaited.
class answer_watch {
public:
  /// The searcher was asked.
  /// @returns when to call `look`; nothing: such a call is due already.
  [[nodiscard]] std::optional<instant> asked(instant now);
  void answered() { awaits_ = false; }
  /// Whether the experiment has waited for nothing but the answer for so long that it is worth
  /// telling.
  [[nodiscard]] bool is_overdue(const experiment& x, instant now) const;

  struct finding {
    /// True once for each such wait.
    bool is_to_be_told = false;
    /// When to look again; nothing: not before the next question.
    std::optional<instant> next = {};
  };
  [[nodiscard]] finding look(const experiment& x, instant now);

private:
  instant asked_at_{0};
  bool awaits_ = false;
  std::optional<instant> looks_at_;
};

/// The message for people while `waits_for_answer` holds.
/// @param by Traits of its searcher.
[[nodiscard]] std::string answer_wait_text(const searcher_traits& by);

/// The message of the first of these waits that holds; empty if none does.
/// @param by Traits of its searcher.
[[nodiscard]] std::string wait_text(const experiment& x, const searcher_traits& by,
                                    const answer_watch& silence, instant now);

} // namespace tune

/// What a worker makes of the answer of a head. Private to the head session.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/net/hello.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace tune {

struct answer_verdict {
  enum class kind : std::uint8_t {
    /// To ask for the place that the welcome promises.
    enter,
    /// To introduce itself again later.
    try_again,
    /// No later try would end otherwise: what runs here is lost, and a worker where nothing runs
    /// ends.
    give_up,
    /// To end, since it was to leave before it was let in.
    leave
  };
  kind what = kind::try_again;
  /// Empty for `enter` and `leave`.
  std::string why = {};
  /// For `enter`.
  welcome by = {};
};

/// @param before  The welcome of the session in which attempts run here; null: none does.
/// @param leaves  Whether the worker is to leave.
[[nodiscard]] inline answer_verdict judge_answer(const expected<hello_answer>& answer,
                                                 const welcome* before, bool leaves) {
  using kind = answer_verdict::kind;
  if (!answer)
    return {kind::try_again, "the head's answer makes no sense: " + answer.error().detail};
  if (const auto* no = std::get_if<rejection>(&*answer))
    return {no->try_again ? kind::try_again : kind::give_up, no->why};
  if (leaves && before == nullptr)
    return {kind::leave};
  const auto& by = std::get<welcome>(*answer);
  // Another head knows nothing of what runs here, and the one that did is gone.
  if (before != nullptr && by.head != before->head)
    return {kind::give_up, "another head leads"};
  // A head that took the place of the one before knows what runs here by the node's name.
  if (before != nullptr && by.process != before->process && by.name != before->name)
    return {kind::give_up, "another worker has the name " + before->name + " by now"};
  return {kind::enter, {}, by};
}

} // namespace tune

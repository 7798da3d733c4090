// SPDX-License-Identifier: BSD-3-Clause
#include "view/retry_track.hpp"

#include "tune/core/experiment/event.hpp"
#include "tune/io/store/event_codec.hpp"

#include <variant>

namespace tune::cli {

const last_retry* find_retry(const retry_map& in, trial_id of) {
  const auto found = in.find(of);
  return found == in.end() ? nullptr : &found->second;
}

void retry_track::read(const raw_event& x) {
  if (x.kind != "retry_asked")
    return;
  const auto body = event_from_json(x.kind, x.body);
  if (!body)
    return;
  if (const auto* asked = std::get_if<on::retry_asked>(&*body))
    all_[asked->trial] = {x.seq, x.at};
}

} // namespace tune::cli

/// Other work of an actor with slow tasks, besides saves: removals, and gathering exports.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/slow_rounds.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/gathering_exports.hpp"
#include "tune/io/checkpoint/removing.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>

namespace tune {

/// Removes something of a job, taking turns with its attempts. The task belongs to no attempt, so
/// it goes on when the tasks of an attempt are dropped.
/// @param rest Does what can be done at once where the node leaves before the end.
template <class Impl, class Self>
void begin_removal(slow_tasks<Impl>& works, Self* self, const std::string& job,
                   sliced<removed> work, std::function<void()> rest) {
  const slow_rounds::owner nobody{job, std::numeric_limits<std::uint32_t>::max(), 0, 0};
  auto lost = [rest = std::move(rest)](const std::string&) {
    rest();
    return removed{};
  };
  works.template begin<removed>(
      self, nobody, std::move(work), [](removed) {}, std::move(lost));
}

template <class Impl, class Self>
void begin_removal(slow_tasks<Impl>& works, Self* self, const drop_directory& what) {
  begin_removal(works, self, what.who.job, removing_directory(what.where),
                [where = what.where] { remove_directory(where); });
}

template <class Impl, class Self>
void begin_removal(slow_tasks<Impl>& works, Self* self, const attempt_left& what) {
  const trial_id trial{what.who.trial};
  begin_removal(works, self, what.who.job,
                removing_drafts(what.checkpoints, trial, what.who.attempt),
                [place = what.checkpoints, trial, attempt = what.who.attempt] {
                  remove_drafts(place, trial, attempt);
                });
}

inline sliced<exports_gathered> gathering_here(gather_exported order) {
  auto all = co_await gathering_exports(std::move(order.what));
  exports_gathered result;
  result.what = std::move(all);
  co_return result;
}

/// `gathering_exports` as an answer.
template <class Impl, class Self>
caf::typed_response_promise<exports_gathered> answer_exports(slow_tasks<Impl>& works, Self* self,
                                                             const gather_exported& order) {
  auto asker = self->template make_response_promise<exports_gathered>();
  auto then = [asker](exports_gathered x) mutable { asker.deliver(std::move(x)); };
  auto lost = [formats = order.what.formats](const std::string& why) {
    exports_gathered result;
    for (const auto& format : formats)
      result.what.failed.emplace(format, why);
    return result;
  };
  works.template begin<exports_gathered>(self, slow_rounds::owner_of(order.who),
                                         gathering_here(order), then, lost);
  return asker;
}

} // namespace tune

/// What a configuration may name: searchers, schedulers, stoppers, sinks and trainables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/seam/trial_sink.hpp"
#include "tune/core/search/searcher.hpp"
#include "tune/core/stop/stopper.hpp"
#include "tune/trainable/trainable.hpp"

namespace tune {

/// The catalogues of one program. Whoever composes it adds what it brings along.
struct choices {
  searcher_catalogue searchers;
  scheduler_catalogue schedulers;
  trainable_registry trainables;
  /// What keys of `[stop]` may mean beside those that are built in. The library ships none.
  stopper_catalogue stoppers = {};
  /// Where results go beside the record, by `[log] sink.<name>`. The library ships none.
  sink_catalogue sinks = {};
};

/// The searchers and schedulers shipped, and `trainables`. Add entries of your own:
/// `all.schedulers.add(my_entry())`.
[[nodiscard]] choices builtin_choices(trainable_registry trainables = {});

} // namespace tune

/// Everything a configuration may name: searchers, schedulers, stoppers, sinks and trainables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/seam/trial_sink.hpp"
#include "tune/core/search/searcher.hpp"
#include "tune/core/stop/stopper.hpp"
#include "tune/io/spec/load.hpp"
#include "tune/trainable/trainable.hpp"

namespace tune {

/// The catalogues of one program, which may add entries of its own.
struct choices {
  searcher_catalogue searchers;
  scheduler_catalogue schedulers;
  trainable_registry trainables;
  /// Keys of `[stop]` in addition to the built-in ones. The library ships none.
  stopper_catalogue stoppers = {};
  /// Sinks for results in addition to the record, chosen in `[sinks]`.
  sink_catalogue sinks = {};
};

/// The searchers, schedulers and sinks shipped, and `trainables`. Add entries of your own:
/// `all.schedulers.add(my_entry())`.
[[nodiscard]] choices builtin_choices(trainable_registry trainables = {});

/// A request to load a configuration that may name all of these.
/// @param all Must outlive the request.
[[nodiscard]] load_request request_for(const choices& all);

} // namespace tune

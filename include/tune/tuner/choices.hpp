/// What a configuration may name: searchers, schedulers and trainables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/search/searcher.hpp"
#include "tune/trainable/trainable.hpp"

namespace tune {

/// The catalogues of one program. Whoever composes it adds what it brings along.
struct choices {
  searcher_catalogue searchers;
  scheduler_catalogue schedulers;
  trainable_registry trainables;
};

} // namespace tune

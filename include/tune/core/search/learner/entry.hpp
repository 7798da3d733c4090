/// Common parts of the catalogue entries of searchers that learn.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/learner/learner.hpp"

namespace tune::learning {

/// The option `startup`.
[[nodiscard]] option_spec startup_option();
[[nodiscard]] std::uint64_t startup_of(const options& from);

/// The option `regret_below`.
[[nodiscard]] option_spec regret_option();

/// A `generator` in the form that catalogue entries need.
[[nodiscard]] expected<std::unique_ptr<searcher>>
make_searcher(settings how, std::shared_ptr<const rule> by, const searcher_context& about);

} // namespace tune::learning

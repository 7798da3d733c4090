/// What training has cost, for people and programs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/trial/costs.hpp"
#include "tune/io/store/rows.hpp"

#include <span>
#include <string>

namespace tune::cli {

/// The costs of all attempts together.
[[nodiscard]] cost_sheet costs_of(std::span<const attempt_row> attempts);

/// "2.31 s CPU, 35 MiB memory, 1.2 MiB read": what is known, in few words; empty if nothing is.
[[nodiscard]] std::string costs_text(const cost_sheet& x);

} // namespace tune::cli

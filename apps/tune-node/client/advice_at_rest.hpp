/// What to do where an order finds nobody who runs the experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/control/control_words.hpp"

#include <filesystem>
#include <string>

namespace tune::cli {

/// Adds to the error of an order the commands that do what was asked for, if there are such: they
/// depend on what is recorded of the experiment and of the trials that are named. An order that no
/// head would take gets the error that a head gives: no such trial, no such configuration.
/// @param why `ec::unreachable` if nobody runs the experiment; others stay as they are.
[[nodiscard]] error with_advice_at_rest(error why, const control_request& wish,
                                        const std::filesystem::path& directory);

/// The same for clients of a head's HTTP API, to which experiments are sent: names requests in the
/// place of commands.
[[nodiscard]] error with_requests_at_rest(error why, const control_request& wish,
                                          const std::filesystem::path& directory);

/// How an experiment of `ask-tell` that has ended goes on nevertheless: "this experiment is done; …
/// goes on with further samples". Empty: it goes on as it is.
[[nodiscard]] std::string way_on_from_end(const std::filesystem::path& directory);

} // namespace tune::cli

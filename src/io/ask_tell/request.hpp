/// Reads and checks the fields of an ask-tell request. Private to ask-tell.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// The answer to a request that asks for nothing.
[[nodiscard]] object ok_answer();

// @errors of all functions: a sentence that names the field and the fault.

/// The field "trial": a trial's number as a text of digits, or as a number.
[[nodiscard]] expected<trial_id> trial_in(const object& request);

/// The optional field "attempt": which of the trial's attempts is meant, counted from 1.
[[nodiscard]] expected<std::optional<std::uint32_t>> attempt_in(const object& request);

/// The optional field "metrics", unless it is null: made fit for the record, with the texts "nan",
/// "inf" and "-inf" as numbers.
[[nodiscard]] expected<std::optional<object>> metrics_in(const object& request);

/// The field "config": an object of parameters, unchecked.
[[nodiscard]] expected<object> config_in(const object& request);

/// The executor's name for an object of its own; empty if the field is missing or null.
[[nodiscard]] expected<std::string> own_name_in(const object& request, std::string_view field);

/// A text; `fallback` if the field is missing.
[[nodiscard]] expected<std::string> text_in(const object& request, std::string_view name,
                                            std::string fallback);

/// The optional field "running": trials that the executor still runs.
[[nodiscard]] expected<std::vector<trial_id>> running_in(const object& request);

} // namespace tune

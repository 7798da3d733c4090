/// The fields of an ask-tell request, checked. Private to ask-tell.
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

// @errors of all of them: what is wrong, in a sentence that names the field.

/// "trial": its number as a text of digits, or as a number.
[[nodiscard]] expected<trial_id> trial_in(const object& request);

/// "attempt", if it is there: which of the trial's attempts is meant, counted from 1.
[[nodiscard]] expected<std::optional<std::uint32_t>> attempt_in(const object& request);

/// "metrics", if they are there and not null: fit for the record, with the texts "nan", "inf" and
/// "-inf" as numbers.
[[nodiscard]] expected<std::optional<object>> metrics_in(const object& request);

/// "config": an object of parameters, unchecked.
[[nodiscard]] expected<object> config_in(const object& request);

/// What the executor calls something that is its own, if it is there and not null. Empty: nothing.
[[nodiscard]] expected<std::string> own_name_in(const object& request, std::string_view field);

/// A text; `fallback` where it is missing.
[[nodiscard]] expected<std::string> text_in(const object& request, std::string_view name,
                                            std::string fallback);

/// "running", if it is there: trials that the executor still runs.
[[nodiscard]] expected<std::vector<trial_id>> running_in(const object& request);

} // namespace tune

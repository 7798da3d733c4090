/// Finds single members of JSON objects in their text, without reading the rest: for summaries of
/// very many rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/json.hpp"

#include <optional>
#include <string_view>

namespace tune {

/// The text of the member at `path` of an object, as `find_path` and `find_parameter` find it: a
/// name that itself contains the separator comes first, nested objects are entered. Empty if there
/// is none, or if `text` is no object as far as it is looked at.
///
/// @param text As `append_json` writes it: of names that come twice, the first counts.
/// @param separator Between the parts of the path: '/' in metrics, '.' in configurations.
[[nodiscard]] std::optional<std::string_view> json_member(std::string_view text,
                                                          std::string_view path, char separator);

/// The number that a JSON value is: of a number itself, 1 and 0 for true and false; in a metric's
/// position also the texts "nan", "inf", "-inf". Empty for all others.
[[nodiscard]] std::optional<double> json_number(std::string_view text, json_position where);

} // namespace tune

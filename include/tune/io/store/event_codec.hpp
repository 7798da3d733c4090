/// Converts events to JSON and back, exactly: the format of `t_events` and of event streams.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/experiment/event.hpp"

#include <string>
#include <string_view>

namespace tune {

/// Appends the fields of `what` as one JSON object in one line. The kind, `name_of(what)`, is not
/// part of it.
///
/// Every field is restored exactly: whole numbers and floats are distinguished, NaN and infinities
/// survive. If JSON alone is ambiguous (a float "inf" in a configuration, a text "nan" among
/// metrics), a key `<name>#` beside the field lists the places as paths of positions.
void append_event_json(std::string& to, const event_body& what);

/// Reads the output of `append_event_json`.
/// @param kind The name that `name_of` returns.
/// @errors `ec::bad_syntax` naming the kind and the field; `ec::unknown_name` for the kind.
[[nodiscard]] expected<event_body> event_from_json(std::string_view kind, std::string_view text);

} // namespace tune

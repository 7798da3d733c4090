/// Events as JSON and back, exactly: what `t_events` holds and event streams send.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/experiment/event.hpp"

#include <string>
#include <string_view>

namespace tune {

/// Appends the fields of `what` as one JSON object in one line. The kind is not part of it: it is
/// `name_of(what)`.
///
/// Every field comes back as it was: whole numbers and floats stay apart, NaN and infinities
/// survive. Where JSON alone cannot tell (a float "inf" in a configuration, a text "nan" among
/// metrics) a key `<name>#` beside the field lists the places, as paths of positions.
void append_event_json(std::string& to, const event_body& what);

/// Reads what `append_event_json` wrote.
/// @param kind As `name_of` tells.
/// @errors `ec::bad_syntax` naming the kind and the field; `ec::unknown_name` for the kind.
[[nodiscard]] expected<event_body> event_from_json(std::string_view kind, std::string_view text);

} // namespace tune

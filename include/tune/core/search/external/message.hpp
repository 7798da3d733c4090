/// Messages to the process of an external searcher: see docs/searcher-protocol.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/external/chronicle.hpp"
#include "tune/core/search/searcher.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <string>

namespace tune::external {

inline constexpr std::int64_t protocol_version = 1;

/// The first message. @param options The user's own options, passed on.
[[nodiscard]] object begin_message(const searcher_context& about, const object& options);

/// The space as a list of its parameters.
[[nodiscard]] value::list description_of(const search_space& space);

/// The question. @param id Its number.
[[nodiscard]] object suggest_message(std::uint64_t id);

/// Says that the answer to `id` was not in the space, and asks again.
[[nodiscard]] object refused_message(std::uint64_t id, const std::string& why);

/// The last message.
[[nodiscard]] object end_message();

/// Describes an episode, by the names of the space and in the users' sense of the objectives.
[[nodiscard]] object message_of(const episode& what, const search_space& space,
                                const std::vector<searched_metric>& metrics);

} // namespace tune::external

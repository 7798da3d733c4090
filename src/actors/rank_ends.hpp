/// How an attempt of several ranks ended. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/wire.hpp"
#include "tune/core/trial/end_class.hpp"

#include <cstdint>
#include <map>

namespace tune {

/// The class of an end; a number from the network may be out of range.
[[nodiscard]] end_class class_of(const attempt_ended& how);

/// Joins the ends of all ranks: that of rank `as`, with the remarks on the others, and with what
/// all of them cost.
[[nodiscard]] attempt_ended joint_end(const std::map<std::uint32_t, attempt_ended>& ends,
                                      std::uint32_t as, const launch_order& order);

} // namespace tune

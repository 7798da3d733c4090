/// How a head calls those who submit experiments, and what they submitted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/queue_claim.hpp"

#include <string>

namespace tune {

/// The user by whom quotas and shares go: the name in the certificate, or where there is none, as
/// the client calls itself.
/// @param from     As in `submission_message`.
/// @param identity Subject of the certificate; empty: none was shown.
[[nodiscard]] std::string user_of(const std::string& from, const std::string& identity);

/// "which ran", or "which was queued": what the experiment did when the head before this one died.
[[nodiscard]] std::string doing_of(const queue_claim& x);

} // namespace tune

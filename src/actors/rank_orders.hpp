/// The launch orders of an attempt's ranks. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/wire.hpp"

#include <string>

namespace tune {

/// The description of a bundle for its attempt, without the parts that only the cluster knows.
[[nodiscard]] bundle_info told_of(const bundle_grant& what);

/// Gives the process of `order` the resources of one of its bundles. An order without such a bundle
/// is left unchanged.
void take_bundle(launch_order& order, std::uint32_t which);

/// The launch order of an attempt's rank 0.
/// @param job    Id of the job.
/// @param ranks  Whether each bundle runs a rank of its own.
/// @param secret Key of the launch token; see `launch_token_of`.
[[nodiscard]] launch_order order_of_launch(const cmd::launch& what, const std::string& job,
                                           bool ranks, const std::string& secret);

/// The order of a further rank of the attempt, still with the number of the whole lease.
/// @param port Port at which rank 0 waits for it.
[[nodiscard]] launch_order order_of_rank(const launch_order& first, std::uint32_t rank,
                                         std::uint16_t port);

} // namespace tune

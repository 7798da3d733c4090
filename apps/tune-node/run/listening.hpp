/// The port of a run where workers join.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/screen.hpp"
#include "tune/tuner/standalone_run.hpp"

#include <memory>

namespace tune::cli {

/// Opens the port for workers. @returns the address with the port that was opened.
/// @errors as `standalone_run::listen`.
[[nodiscard]] expected<peer_address> open_to_workers(standalone_run& run, listen_options port,
                                                     const std::shared_ptr<screen>& shown);

/// The line by which workers join; printable.
[[nodiscard]] std::string joining_text(const peer_address& where, const cluster_section& cluster);

} // namespace tune::cli

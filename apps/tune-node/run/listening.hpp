/// The port of a run where workers join.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/screen.hpp"
#include "tune/tuner/standalone_run.hpp"

#include <memory>

namespace tune::cli {

/// Prepares the run for workers, whose coming and going is shown: see `standalone_run::prepare`.
void prepare_for_workers(standalone_run& run, listen_options port,
                         const std::shared_ptr<screen>& shown);

/// The line by which workers join; printable.
[[nodiscard]] std::string joining_text(const peer_address& where, const cluster_section& cluster);

} // namespace tune::cli

/// The port of a run where workers join.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/screen.hpp"
#include "tune/tuner/standalone_run.hpp"

#include <memory>

namespace tune::cli {

/// Opens the port for workers and shows its address. @returns the address with the port that was
/// opened. @errors as `standalone_run::listen`.
/// @param certs The directory of certificates as given by the user; empty: the default one.
[[nodiscard]] expected<peer_address> open_to_workers(standalone_run& run, listen_options port,
                                                     const std::string& certs,
                                                     const std::shared_ptr<screen>& shown);

} // namespace tune::cli

/// Connections of clients to a standing head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/probe/head_addresses.hpp"
#include "tune/io/probe/probe.hpp"
#include "tune/net/head_client.hpp"
#include "tune/net/transport.hpp"

#include <memory>
#include <string>

namespace tune::cli {

/// "me@laptop".
[[nodiscard]] std::string name_of_caller();

/// The options by which others reach a head, quoted for a shell: `--head head:7700 --certs c`.
/// @param certs As the user said; empty: those of the environment, or of the default directory.
[[nodiscard]] std::string words_reaching(const head_addresses& head, const std::string& certs,
                                         const std::string& cluster, bool plain);

/// Looks whether a client can run here. To be called before anything is made.
/// @param certs Certificate directory; empty: the default one.
/// @errors as `choose_transport`; `ec::shortage` where threads are lacking.
[[nodiscard]] expected<transport> begin_as_client(const head_addresses& head,
                                                  const std::string& certs, bool plain);

/// @errors as `head_client::connect`.
[[nodiscard]] expected<std::unique_ptr<head_client>> connect_to(caf::actor_system& system,
                                                                const head_addresses& head,
                                                                const transport& how,
                                                                const std::string& cluster);

} // namespace tune::cli

/// The PACKAGE SERVER: the head's jobs and files, for its workers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/actors.hpp"

namespace tune {

/// Spawns a package server, which has no jobs yet. It ends when it is told to go.
///
/// It reads only the files that an offered manifest lists, one chunk at a time, and keeps nothing
/// that it read. A file whose size is no longer that of the manifest is reported as changed; the
/// package client notices other changes by the hash.
/// @param own_thread Reads on a thread of its own, since it blocks on the disk; false is for
///   schedulers that must see every message.
[[nodiscard]] package_server_local_actor spawn_package_server(caf::actor_system& system,
                                                              bool own_thread = true);

} // namespace tune

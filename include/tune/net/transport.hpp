/// How this process may communicate: the rule that keeps ports closed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/certificates/own_certificate.hpp"
#include "tune/io/probe/peer_address.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace tune {

/// How a process identifies itself to others: by certificates, or not at all.
struct transport {
  /// Empty: plain text.
  std::optional<own_certificate> identity;
};

/// Decides how to listen at, or to connect to, `whom`.
///
/// Whoever reaches a plain port can end the process: so no plain port is reachable from another
/// machine, and none is opened without `insecure_plaintext`.
/// @param certificates Directory of `ca.pem`, `node.pem`, `node.key`; empty: the default one.
/// @errors `ec::refused`, saying what is missing and how to mend it.
[[nodiscard]] expected<transport> choose_transport(const peer_address& whom,
                                                   const std::filesystem::path& certificates,
                                                   bool insecure_plaintext);

/// Whether only this machine can reach the address: "localhost", 127.0.0.0/8, ::1.
[[nodiscard]] bool is_loopback(const std::string& host);

} // namespace tune

/// How a machine without a certificate gets one over the wire, for a join token.
///
/// It makes its own key, which never leaves it; the head signs it with the CA's key. The machine
/// knows the head by the CA's fingerprint in the token before it sends anything.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/certificates/certificate.hpp"
#include "tune/io/certificates/join_token.hpp"
#include "tune/io/probe/peer_address.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace tune {

/// Gets a certificate and writes `ca.pem`, `node.pem` and `node.key` into `directory`, which must
/// hold none of them yet.
/// @param whom The name that is asked for, and further names of this machine.
/// @returns the name in the certificate.
/// @errors `ec::unreachable`, where a later try may succeed; `ec::refused`; `ec::storage`.
[[nodiscard]] expected<std::string> enrol(const peer_address& head, const join_token& token,
                                          const node_names& whom,
                                          const std::filesystem::path& directory,
                                          std::chrono::milliseconds patience);

/// Answers such wishes at a port of its own, in threads of its own, as long as it lives.
///
/// Strangers reach it, so all is bounded: 8 connections at a time, 2 of one address, 10 s for each,
/// 16 KiB for a wish; an address whose token was wrong 5 times in a minute is hung up on.
class enrolment_server {
public:
  struct settings {
    peer_address listen;
    /// Certificate directory that holds the CA's key.
    std::filesystem::path certificates;
    /// Told, in lines for people, who got a certificate and who did not; from any thread.
    std::function<void(const std::string&)> say;
  };

  /// @errors `ec::refused` if the directory has no CA key, or the address cannot be listened at.
  [[nodiscard]] static expected<std::unique_ptr<enrolment_server>> start(settings how);
  /// Hangs up on everybody.
  ~enrolment_server();
  enrolment_server(const enrolment_server&) = delete;
  enrolment_server& operator=(const enrolment_server&) = delete;

  [[nodiscard]] std::uint16_t port() const;

private:
  class impl;
  explicit enrolment_server(std::unique_ptr<impl> what);
  std::unique_ptr<impl> impl_;
};

/// How often one address may show a wrong token. A value: for one thread.
class wrong_token_limit {
public:
  using instant = std::chrono::steady_clock::time_point;

  void note(const std::string& source, instant now);
  [[nodiscard]] bool is_reached(const std::string& source, instant now);

  static constexpr std::size_t most = 5;
  static constexpr std::chrono::minutes window{1};

private:
  /// Addresses that are remembered; of more, the one heard of longest ago is forgotten.
  static constexpr std::size_t most_sources = 10'000;
  std::map<std::string, std::deque<instant>> all_;
};

} // namespace tune

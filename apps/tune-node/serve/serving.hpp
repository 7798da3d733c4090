/// A gateway with everything it serves, for commands that have one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "serve/hosted_head.hpp"
#include "serve/hosted_talk.hpp"
#include "tune/core/error.hpp"
#include "tune/http/gateway.hpp"
#include "tune/tuner/choices.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace tune::cli {

/// Threads that a gateway needs.
inline constexpr std::size_t threads_of_gateway = 20;

/// What a process does for clients by HTTP, beside serving records.
struct hosted_parts {
  /// The conversation that it leads.
  std::shared_ptr<hosted_talk> talk = {};
  /// The standing head that it is.
  std::shared_ptr<hosted_head> head = {};
};

/// A gateway that serves until it is closed.
class serving {
public:
  /// @param place A storage, or the directory of an experiment.
  /// @param all Everything that experiments may name; outlives the serving.
  /// @param hosted What this process does besides; nothing: it only serves.
  /// @errors `ec::refused` if the port cannot be opened, the token's file cannot be used, or
  ///         certificates are wanted and not there, with the commands that mend it; `ec::storage`;
  ///         `ec::shortage`.
  [[nodiscard]] static expected<std::unique_ptr<serving>>
  start(caf::actor_system& system, const std::filesystem::path& place, const http_request& how,
        const choices& all, hosted_parts hosted = {});

  serving(const serving&) = delete;
  serving& operator=(const serving&) = delete;
  ~serving() { close(); }

  /// The page, with the token in the fragment, which no browser sends.
  [[nodiscard]] const std::string& link() const { return link_; }
  /// Where the token is.
  [[nodiscard]] const std::filesystem::path& token_file() const { return token_file_; }
  /// Closes it in order, and waits for that.
  void close();

private:
  caf::actor_system& system_;
  gateway_actor gateway_;
  std::string link_;
  std::filesystem::path token_file_;
  bool is_open_ = true;

  serving(caf::actor_system& system, gateway_actor gateway, std::string link,
          std::filesystem::path token_file)
      : system_{system}
      , gateway_{std::move(gateway)}
      , link_{std::move(link)}
      , token_file_{std::move(token_file)} {}
};

/// How a run or a head serves its page. @param certs Used off loopback only.
[[nodiscard]] http_request page_request(const peer_address& where, const std::string& certs);

/// Checks, before anything is made, that a port could be served there as it is asked for.
/// @errors as `serving::start`.
[[nodiscard]] expected<void> can_serve(const http_request& how);

} // namespace tune::cli

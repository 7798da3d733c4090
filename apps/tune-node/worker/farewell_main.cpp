// SPDX-License-Identifier: BSD-3-Clause
#include "worker/farewell_main.hpp"

#include "tune/net/farewell.hpp"
#include "tune/net/system.hpp"

#include <filesystem>
#include <string_view>

namespace tune::cli {

namespace {

constexpr std::string_view flag = "__tune-farewell";

/// Time for each of probe, connection and answer: later the head has no use for the message.
constexpr std::chrono::seconds patience{2};
/// Scheduler threads; the process sends only one message.
constexpr std::size_t threads = 2;

int tell(const peer_address& where, const transport& how, const farewell& words) {
  network_config config{how, threads};
  caf::actor_system system{config};
  return say_farewell(system, dial(system, where, how, patience), words, patience) ? 0 : 1;
}

} // namespace

std::vector<std::string> farewell_words(const worker_request& what, const std::string& worker) {
  auto certs = what.certs;
  // The guard has another working directory.
  if (!certs.empty())
    certs = std::filesystem::absolute(certs).string();
  return {"/proc/self/exe",
          std::string{flag},
          what.join.host,
          std::to_string(what.join.port),
          certs,
          what.insecure_plaintext ? "plain" : "tls",
          what.cluster,
          worker};
}

std::optional<int> farewell_main(int argc, char** argv) {
  constexpr int all_words = 8;
  if (argc != all_words || argv[1] != flag)
    return std::nullopt;
  const peer_address where{argv[2], static_cast<std::uint16_t>(std::stoul(argv[3]))};
  auto how = choose_transport(where, argv[4], std::string_view{argv[5]} == "plain");
  if (!how)
    return 1;
  return tell(where, *how, {this_build(), argv[6], argv[7]});
}

} // namespace tune::cli

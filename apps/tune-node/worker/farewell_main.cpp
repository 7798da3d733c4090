// SPDX-License-Identifier: BSD-3-Clause
#include "worker/farewell_main.hpp"

#include "tune/io/probe/head_addresses.hpp"
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

/// Tells the head, at whichever of these addresses it is.
int tell(const head_addresses& where, const transport& how, const farewell& words) {
  network_config config{how, threads};
  caf::actor_system system{config};
  for (const auto& x : where.all()) {
    if (say_farewell(system, dial(system, x, how, patience), words, patience))
      return 0;
  }
  return 1;
}

} // namespace

std::vector<std::string> farewell_words(const worker_request& what, const std::string& worker) {
  auto certs = what.certs;
  // The guard has another working directory.
  if (!certs.empty())
    certs = std::filesystem::absolute(certs).string();
  return {"/proc/self/exe",
          std::string{flag},
          to_text(head_addresses{what.join, what.also}),
          certs,
          what.insecure_plaintext ? "plain" : "tls",
          what.cluster,
          worker};
}

std::optional<int> farewell_main(int argc, char** argv) {
  constexpr int all_words = 7;
  if (argc != all_words || argv[1] != flag)
    return std::nullopt;
  const auto where = head_addresses_from(argv[2]);
  if (!where)
    return 1;
  auto how = choose_transport(where->first, argv[3], std::string_view{argv[4]} == "plain");
  if (!how)
    return 1;
  return tell(*where, *how, {this_build(), argv[5], argv[6]});
}

} // namespace tune::cli

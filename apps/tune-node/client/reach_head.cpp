// SPDX-License-Identifier: BSD-3-Clause
#include "client/reach_head.hpp"

#include "client/head_finder.hpp"
#include "run/exhaustion.hpp"
#include "run/run_words.hpp"
#include "tune/core/printable.hpp"
#include "tune/core/program_name.hpp"
#include "tune/core/shell_word.hpp"
#include "tune/io/process/thread_room.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <iostream>

namespace tune::cli {

namespace {

/// Threads of an actor system that talks to others, of the screen and of signals, and a few.
constexpr std::size_t threads_of_client = 16;

} // namespace

std::string name_of_caller() {
  const auto* user = ::getpwuid(::getuid());
  std::array<char, 256> host{};
  auto named = ::gethostname(host.data(), host.size() - 1) == 0;
  return (user != nullptr ? std::string{user->pw_name} : std::to_string(::getuid())) + "@"
         + (named ? host.data() : "somewhere");
}

std::string words_reaching(const head_addresses& head, const std::string& certs,
                           const std::string& cluster, bool plain) {
  // The variable may be set for one command only.
  const auto* given = certs.empty() ? std::getenv("TUNE_CERTS") : nullptr;
  return "--head " + shell_word(to_text(head))
         + reaching_words(given != nullptr ? given : certs, cluster, plain, "--cluster");
}

expected<transport> begin_as_client(const head_addresses& head, const std::string& certs,
                                    bool plain) {
  auto how = choose_transport(head.first, certs, plain);
  for (const auto& x : head.also) {
    if (how)
      how = choose_transport(x, certs, plain);
  }
  if (!how)
    return how;
  if (how->identity) {
    if (auto text = expiry_warning(*how->identity, calendar_now()); !text.empty())
      std::cerr << program_name() << ": warning: " << printable(text) << '\n';
  }
  if (auto can = can_start_threads(threads_of_client); !can)
    return can.error();
  end_when_exhausted("what was submitted goes on at the head");
  return how;
}

expected<std::unique_ptr<head_client>> connect_to(caf::actor_system& system,
                                                  const head_addresses& head, const transport& how,
                                                  const std::string& cluster) {
  auto finder = std::make_shared<head_finder>(system, head, how);
  return head_client::connect(
      system, {[finder] { return finder->find(); }, to_text(head), cluster, name_of_caller()});
}

} // namespace tune::cli

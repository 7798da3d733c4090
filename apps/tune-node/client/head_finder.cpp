// SPDX-License-Identifier: BSD-3-Clause
#include "client/head_finder.hpp"

#include "client/all_failed.hpp"

#include "tune/io/probe/probe.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <utility>

namespace tune::cli {

namespace {

/// How long each address has to say something, round by round; after that, as long as `dial` lets
/// it.
constexpr std::array first_patience{std::chrono::milliseconds{250},
                                    std::chrono::milliseconds{1'000}};

} // namespace

head_finder::head_finder(caf::actor_system& system, const head_addresses& where,
                         const transport& how, std::function<expected<void>()> check)
    : how_{how}, check_{std::move(check)}, whom_{where.first} {
  for (auto& x : where.all())
    ways_.push_back({x, dial(system, x, how)});
}

bool head_finder::is_silent(const way& x, std::chrono::milliseconds patience) const {
  const auto until = std::chrono::steady_clock::now() + patience;
  static_cast<void>(how_.identity ? probe_tls(x.whom, *how_.identity, until)
                                  : probe_plain(x.whom, until));
  return std::chrono::steady_clock::now() >= until;
}

expected<node_registry_actor> head_finder::find() {
  std::vector<error> faults;
  auto waits = std::vector<bool>(ways_.size(), true);
  for (std::size_t round = 0; round <= first_patience.size(); ++round) {
    const auto is_last = ways_.size() == 1 || round == first_patience.size();
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      if (!waits[i])
        continue;
      if (auto fine = check_ ? check_() : expected<void>{}; !fine)
        return fine.error();
      if (!is_last && is_silent(ways_[i], first_patience[round]))
        continue;
      waits[i] = false;
      auto found = ways_[i].dial();
      if (found)
        return settle_on(i, std::move(*found));
      faults.push_back(found.error());
    }
  }
  // A stranger at one address is no reason to give up the others.
  return all_failed(faults, ec::unreachable);
}

expected<node_registry_actor> head_finder::settle_on(std::size_t i, node_registry_actor found) {
  std::swap(ways_[0], ways_[i]);
  std::lock_guard guard{mutex_};
  whom_ = ways_[0].whom;
  return found;
}

peer_address head_finder::whom() const {
  std::lock_guard guard{mutex_};
  return whom_;
}

} // namespace tune::cli

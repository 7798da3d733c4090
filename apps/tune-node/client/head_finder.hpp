/// Finds the head among the addresses that it may have.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/probe/head_addresses.hpp"
#include "tune/net/dial.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

namespace tune::cli {

/// Dials the addresses in turn, that which answered last before the others. Of several, one that is
/// silent (its process is stopped, or its machine is gone) delays the next by a quarter of a
/// second: those that said nothing within that time come again, with more of it, where no other is
/// a head.
class head_finder {
public:
  /// @param system As in `dial`.
  /// @param check Called before each address is dialled, on the thread that looks: an error ends
  ///   the search with it. Null: there is nothing to check.
  head_finder(caf::actor_system& system, const head_addresses& where, const transport& how,
              std::function<expected<void>()> check = {});

  /// Blocks, for a bounded time per address. For one thread.
  /// @errors as `head_dialer`, and those of the check.
  [[nodiscard]] expected<node_registry_actor> find();

  /// The address that answered last. From any thread.
  [[nodiscard]] peer_address whom() const;

private:
  struct way {
    peer_address whom;
    head_dialer dial;
  };
  transport how_;
  std::vector<way> ways_;
  std::function<expected<void>()> check_;
  mutable std::mutex mutex_;
  peer_address whom_;

  [[nodiscard]] bool is_silent(const way& x, std::chrono::milliseconds patience) const;
  expected<node_registry_actor> settle_on(std::size_t i, node_registry_actor found);
};

} // namespace tune::cli

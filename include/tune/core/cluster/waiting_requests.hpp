/// The requests of all owners that wait for a lease.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/resource/placement.hpp"
#include "tune/core/resource/resources.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// Finds requests by the ledger's token, and by owner and trial. A value.
class waiting_requests {
public:
  struct request {
    std::uint64_t owner = 0;
    trial_id trial;
    resource_request what;
    node_labels labels;
  };

  /// Adds a request of a trial that has none here. @returns its token: tokens count from 1.
  std::uint64_t add(request what);
  /// @returns the token of the trial's request, which waits no more; empty if none waited.
  std::optional<std::uint64_t> remove(std::uint64_t owner, trial_id trial);
  /// The owner is gone. @returns the tokens of its requests, which wait no more.
  std::vector<std::uint64_t> remove_all(std::uint64_t owner);
  /// The request with this token was granted. @returns it.
  request take(std::uint64_t token);
  /// No node bears this label any more. @returns the tokens of the requests that lost it.
  std::vector<std::uint64_t> drop_label(const std::string& label);

  /// By token.
  [[nodiscard]] const std::map<std::uint64_t, request>& all() const { return all_; }

private:
  std::map<std::uint64_t, request> all_;
  std::map<std::pair<std::uint64_t, trial_id>, std::uint64_t> tokens_;
  std::uint64_t last_token_ = 0;
};

} // namespace tune

/// The account of all nodes' resources: grants, refuses, queues and frees; never overcommits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/resource/resources.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace tune {

/// A share of one GPU of a node.
struct gpu_share {
  /// Index of the device on its node.
  std::uint32_t device = 0;
  amount share;
  friend bool operator==(const gpu_share&, const gpu_share&) = default;
};

/// What one bundle of a lease holds.
struct bundle_grant {
  std::string node;
  resources what;
  /// Whole devices, or a share of a single one.
  std::vector<gpu_share> gpus;
  friend bool operator==(const bundle_grant&, const bundle_grant&) = default;
};

/// A granted request.
struct lease {
  lease_id id;
  /// One per bundle of the request, in its order.
  std::vector<bundle_grant> bundles;
  friend bool operator==(const lease&, const lease&) = default;
};

/// Capacities, grants and the queue of waiting requests.
///
/// Requests are served in order of arrival: a later one never overtakes an earlier one of the same
/// shape, but may where the earlier cannot be placed now. Each GPU is shared by fractions up to 1
/// of a single device; requests above 1 must be whole and get whole devices.
class ledger {
public:
  /// Adds a node or changes its capacity. @param gpus its number of devices = capacity.gpu.
  void set_node(const std::string& node, resources capacity);
  /// Takes a node away. Its grants stay in the books until freed.
  void remove_node(const std::string& node);

  /// Why a request could never be granted by the nodes known now; nothing if it could.
  [[nodiscard]] std::optional<error> impossible(const resource_request& what) const;

  /// Enters a request. `token` is the caller's name for it, unique among waiting requests.
  void enqueue(std::uint64_t token, resource_request what);
  /// Withdraws a waiting request. @returns whether it was still waiting.
  bool cancel(std::uint64_t token);

  struct granted {
    std::uint64_t token = 0;
    lease what;
  };
  /// Grants what fits now, in order. Call after each change.
  [[nodiscard]] std::vector<granted> grant();

  /// Gives a lease back. @returns whether it was known.
  bool release(lease_id id);

  /// What all nodes together have, and what of it is granted.
  [[nodiscard]] resources total() const;
  [[nodiscard]] resources used() const;
  /// "2 nodes: 8 CPU, 1 GPU, 31.2 GiB memory".
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] std::size_t waiting() const { return queue_.size(); }

private:
  struct node_account {
    resources capacity;
    resources used;
    std::vector<amount> gpu_used;
    bool gone = false;
  };
  struct waiter {
    std::uint64_t token;
    resource_request what;
  };

  std::map<std::string, node_account> nodes_;
  std::deque<waiter> queue_;
  std::map<lease_id, lease> leases_;
  std::uint64_t next_lease_ = 1;

  std::optional<std::vector<bundle_grant>>
  fit(const resource_request& what, const std::map<std::string, node_account>& nodes) const;
};

} // namespace tune

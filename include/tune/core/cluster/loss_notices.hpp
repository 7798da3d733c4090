/// Experiments that are told of the loss and the return of a worker.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// Remembers which experiments had trials on lost workers, so that the same people hear when such a
/// worker is back.
class loss_notices {
public:
  /// @param most Number of workers remembered; a batch system may give each one a new name. [>= 1]
  explicit loss_notices(std::size_t most = 1'000) : most_{most} {}

  /// @param owners The experiments that had trials there; empty: the user running the head was
  ///   told.
  void lost(const std::string& worker, std::vector<std::uint64_t> owners);
  /// @returns the experiments that were told of its loss; empty optional if it was not lost, or is
  ///   forgotten.
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> back(const std::string& worker);

private:
  std::size_t most_;
  std::map<std::string, std::vector<std::uint64_t>> known_;
};

/// The message about a lost worker.
/// @param why    Such as "no heartbeat came from it for 10 s".
/// @param trials Number of the reader's trials that ran there.
/// @param was_leaving True if the worker had said that it leaves: its trials count as preempted.
[[nodiscard]] std::string loss_text(const std::string& worker, const std::string& why,
                                    std::size_t trials, bool was_leaving = false);
/// The message about its return.
[[nodiscard]] std::string return_text(const std::string& worker);

} // namespace tune

/// Who hears of workers that are lost, and that they are back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// Remembers which experiments had trials on workers that were lost: the same people hear that such
/// a worker is back.
class lost_workers {
public:
  /// @param most Workers that are remembered; a batch system may give each one a new name. [>= 1]
  explicit lost_workers(std::size_t most = 1'000) : most_{most} {}

  /// @param owners The experiments that had trials there; none: whoever runs the head was told.
  void lost(const std::string& worker, std::vector<std::uint64_t> owners);
  /// @returns who was told of its loss; nothing where it was not lost, or is forgotten.
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> back(const std::string& worker);

private:
  std::size_t most_;
  std::map<std::string, std::vector<std::uint64_t>> known_;
};

/// What people are told of a worker that is lost.
/// @param why    Such as "nothing was heard of it for 10 s".
/// @param trials How many trials of theirs ran there.
[[nodiscard]] std::string loss_text(const std::string& worker, const std::string& why,
                                    std::size_t trials);
/// And when it is back.
[[nodiscard]] std::string return_text(const std::string& worker);

} // namespace tune

/// Answers of searchers of earlier versions, for verifying their records.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/searcher.hpp"

#include <vector>

namespace tune {

/// A searcher whose earlier versions would have proposed something else.
class has_earlier_versions {
public:
  virtual ~has_earlier_versions() = default;

  /// The proposals that earlier versions would have made in the present state.
  /// @returns empty if they would have made the same one.
  [[nodiscard]] virtual std::vector<proposal> earlier_proposals(const ask& question) const = 0;
};

} // namespace tune

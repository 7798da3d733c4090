/// What searchers of earlier versions said, for those who verify their records.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/searcher.hpp"

#include <vector>

namespace tune {

/// A searcher whose earlier versions would have proposed something else.
class has_earlier_versions {
public:
  virtual ~has_earlier_versions() = default;

  /// What they would have said where this one stands.
  /// @returns nothing where they would have said the same.
  [[nodiscard]] virtual std::vector<proposal> earlier_proposals(const ask& question) const = 0;
};

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/known.hpp"

#include "tune/core/search/searcher.hpp"

namespace tune {

void tell(searcher& to, const std::vector<known_result>& what) {
  auto number = first_known_number;
  for (const auto& x : what) {
    observation told;
    told.trial = trial_id{number++};
    told.config = std::make_shared<const object>(x.config);
    told.fidelity = x.fidelity;
    told.values = x.values;
    told.constraints = x.constraints;
    told.how = outcome::completed;
    to.apply({0, std::move(told)});
  }
}

} // namespace tune

/// Simulates until a planted bug shows up as a finding against the promise that it breaks.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/campaign.hpp"

#include <algorithm>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  using namespace tune;
  constexpr std::uint64_t most_seeds = 300;
  const std::string promised = argc > 1 ? argv[1] : "";
  std::uint64_t schedules = 0;
  for (std::uint64_t seed = 1; seed <= most_seeds; ++seed) {
    for (const auto& who : support::judges()) {
      auto result = support::run_schedule(who, seed);
      ++schedules;
      const auto& found = result.found.kept();
      auto is = [&](const auto& x) { return to_text(x.broken) == promised; };
      auto first = std::find_if(found.begin(), found.end(), is);
      if (first == found.end())
        continue;
      std::cout << "found in schedule " << schedules << " (" << who.name << ", seed " << seed
                << "): " << to_text(*first) << '\n';
      return 0;
    }
  }
  std::cout << "not found in " << schedules << " schedules\n";
  return 1;
}

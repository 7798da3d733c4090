/// Feeds a check with examples that are changed by chance, for compilers without libFuzzer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

namespace tune::support {

/// The text after up to five changes: characters that are put in, taken out, doubled or replaced.
/// @param marks Characters that mean something to the parser.
inline std::string changed(std::string text, std::string_view marks, std::mt19937_64& dice) {
  for (auto times = dice() % 6; times > 0; --times) {
    const auto at = text.empty() ? 0 : dice() % text.size();
    switch (dice() % 4) {
      case 0:
        text.insert(at, 1, marks[dice() % marks.size()]);
        break;
      case 1:
        text.erase(at, dice() % 4);
        break;
      case 2:
        text.insert(at, text.substr(at, dice() % 16));
        break;
      default:
        if (!text.empty())
          text[at] = dice() % 2 == 0 ? marks[dice() % marks.size()] : static_cast<char>(dice());
    }
  }
  return text;
}

/// The body of `main`: PROGRAM [EXECUTIONS [SEED]].
/// @param check Called with each text; ends the process if the parser breaks a promise.
template <class Examples, class Check>
int fuzz_by_chance(int argc, char** argv, const Examples& examples, std::string_view marks,
                   Check check) {
  const auto executions = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  const auto seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::mt19937_64 dice{seed};
  for (std::uint64_t i = 0; i < executions; ++i)
    check(changed(std::string{examples[dice() % std::size(examples)]}, marks, dice));
  std::printf("%llu executions, seed %llu\n", static_cast<unsigned long long>(executions),
              static_cast<unsigned long long>(seed));
  return 0;
}

} // namespace tune::support

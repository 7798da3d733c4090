/// Measures what a head's books cost with many nodes and many trials: ten trials of one CPU on each
/// node, entered and granted one by one; then each is over, and another one is granted in its
/// place; then a request that no node has room for is tried once more after each of a hundred ends.
/// CPU time of one thread. Prints JSON.
///
///     tune_place_bench NODES...
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "tune/core/cluster/lease_book.hpp"

#include <ctime>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace tune;

constexpr std::uint64_t slots = 10;

resources cpus(double count) {
  return {amount::of(count), {}, 0, {}};
}

/// A cluster of equal nodes, and one experiment.
struct books {
  lease_book uut;
  std::vector<lease_id> held;
  std::uint64_t trials = 0;

  explicit books(std::uint64_t nodes) {
    uut.stand(1, {"x", "somebody", 0, 1, true});
    for (std::uint64_t i = 0; i < nodes; ++i)
      uut.set_node("worker-" + std::to_string(i), cpus(slots), {"trainable x", "label zone=a"});
  }

  void ask(double cpu) { uut.enter({1, trial_id{trials++}, {{cpus(cpu)}}, true}); }
  void grant() {
    for (const auto& x : uut.grant_what_fits())
      held.push_back(x.what.id);
    static_cast<void>(uut.make_room());
  }
};

/// @returns microseconds of processor time for each of `count` times.
template <class F>
double each(std::uint64_t count, F what) {
  const auto begin = std::clock();
  for (std::uint64_t i = 0; i < count; ++i)
    what(i);
  return 1e6 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC
         / static_cast<double>(count);
}

void measure(std::uint64_t nodes) {
  books x{nodes};
  const auto count = nodes * slots;
  const auto placed = each(count, [&](std::uint64_t) {
    x.ask(1);
    x.grant();
  });
  const auto replaced = each(count, [&](std::uint64_t i) {
    x.uut.over(x.held[i]);
    x.ask(1);
    x.grant();
  });
  x.ask(slots);
  const auto in_vain = each(std::min<std::uint64_t>(count, 100), [&](std::uint64_t i) {
    x.uut.over(x.held[count + i]);
    x.grant();
  });
  std::cout << R"({"nodes": )" << nodes << R"(, "trials": )" << count << R"(, "place_us": )"
            << placed << R"(, "replace_us": )" << replaced << R"(, "in_vain_us": )" << in_vain
            << "}\n";
}

} // namespace

int main(int argc, char** argv) {
  bench::arguments given{argc, argv, "NODES..."};
  if (!given.has_word())
    given.refuse("how many nodes?");
  std::vector<std::uint64_t> counts;
  while (given.has_word())
    counts.push_back(given.number(0));
  given.finish();
  for (auto count : counts)
    measure(count);
}

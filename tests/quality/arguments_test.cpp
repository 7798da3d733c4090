/// Command lines of benchmarks.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using testing::ElementsAre;
using testing::ExitedWithCode;
using tune::bench::arguments;

/// Parses a command line given without the program's name.
arguments read(std::vector<std::string> line) {
  line.insert(line.begin(), "/somewhere/tune_some_bench");
  std::vector<char*> raw;
  for (auto& word : line)
    raw.push_back(word.data());
  return {static_cast<int>(raw.size()), raw.data(), "[--seeds N] WORD\n--serve"};
}

TEST(bench_arguments, have_words_and_options_in_any_order) {
  auto uut = read({"first", "--names", "a,b", "7", "--at=1,20", "--share", "0.25", "--serve"});
  std::vector<std::string> names{"x"};
  std::vector<std::size_t> at;
  double share = 1;
  std::uint64_t seeds = 5;

  uut.read("--names", names);
  uut.read("--at", at);
  uut.read("--share", share);
  uut.read("--seeds", seeds, 1);

  EXPECT_TRUE(uut.flag("--serve"));
  EXPECT_FALSE(uut.flag("--serve"));
  EXPECT_EQ(uut.word("none"), "first");
  EXPECT_EQ(uut.number(1), 7u);
  EXPECT_EQ(uut.number(3), 3u);
  EXPECT_EQ(uut.word("none"), "none");
  EXPECT_THAT(names, ElementsAre("a", "b"));
  EXPECT_THAT(at, ElementsAre(1u, 20u));
  EXPECT_EQ(share, 0.25);
  EXPECT_EQ(seeds, 5u);
  uut.finish();
}

TEST(bench_arguments, show_the_usage_and_end) {
  EXPECT_EXIT(read({"first", "--help"}), ExitedWithCode(0), "");
  EXPECT_EXIT(read({"-h"}), ExitedWithCode(0), "");
}

TEST(bench_arguments, refuse_what_does_not_fit) {
  auto refused = [](const std::vector<std::string>& line, const std::string& why) {
    auto take = [&] {
      auto uut = read(line);
      std::uint64_t seeds = 0;
      uut.read("--seeds", seeds, 2);
      (void)uut.word({});
      uut.finish();
    };
    EXPECT_EXIT(take(), ExitedWithCode(2),
                "tune_some_bench: " + why + "\nusage: tune_some_bench \\[--seeds N\\] WORD\n");
  };

  refused({"--seeds"}, "--seeds needs a value");
  refused({"--seeds", "--other"}, "--seeds needs a value");
  refused({"--seeds", "many"}, "--seeds: not a whole number from 2: many");
  refused({"--seeds", "1"}, "--seeds: not a whole number from 2: 1");
  refused({"--seeds=3x"}, "--seeds: not a whole number from 2: 3x");
  refused({"--sedes", "3"}, "unknown option --sedes");
  refused({"one", "two"}, "one too many: two");
}

} // namespace

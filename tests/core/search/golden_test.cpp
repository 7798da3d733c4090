/// The first configurations of a fixed seed, bit by bit, to notice platforms that differ.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/asking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace tune;
using namespace tune::support;

const std::vector<parameter_text> every_distribution{{"u", "uniform(-1, 1)"},
                                                     {"lu", "loguniform(1e-5, 0.1)"},
                                                     {"qu", "quniform(0, 1, 0.05)"},
                                                     {"qlu", "qloguniform(1, 100, 0.5)"},
                                                     {"n", "randn(1, 2)"},
                                                     {"qn", "qrandn(0, 10, 0.25)"},
                                                     {"i", "randint(-100, 100)"},
                                                     {"li", "lograndint(1, 1000000)"},
                                                     {"qi", "qrandint(0, 640, 64)"},
                                                     {"qli", "qlograndint(8, 8192, 8)"},
                                                     {"c", "choice(1, b, 2.5, [x])"},
                                                     {"k", "64"}};

std::vector<object> first_three(std::string_view name) {
  auto made = make_searcher(name, {space_of(every_distribution), 20240229, 3, 1, {}});
  EXPECT_TRUE(made) << made.error().detail;
  std::vector<object> result;
  if (!made)
    return result;
  asking uut{std::move(*made)};
  for (const auto& x : collect(uut, 3, 3))
    result.push_back(*x.config);
  return result;
}

TEST(golden, random_search_is_the_same_on_every_platform) {
  EXPECT_EQ(first_three("random"), (std::vector<object>{
                                       object{{"u", -0x1.79993d57fe468p-1},
                                              {"lu", 0x1.6f6fb9eb364cap-17},
                                              {"qu", 0x1.999999999999ap-5},
                                              {"qlu", 0x1.4cp+6},
                                              {"n", -0x1.681af1aed62a6p+0},
                                              {"qn", -0x1.ep+1},
                                              {"i", -100},
                                              {"li", 80359},
                                              {"qi", 192},
                                              {"qli", 664},
                                              {"c", value::list{"x"}},
                                              {"k", 64}},
                                       object{{"u", -0x1.81d4b6c207ebep-1},
                                              {"lu", 0x1.0888bd0a9ed32p-13},
                                              {"qu", 0x1.6666666666666p-2},
                                              {"qlu", 0x1.fp+3},
                                              {"n", 0x1.f9f63ad547aap+0},
                                              {"qn", -0x1.ep+1},
                                              {"i", -40},
                                              {"li", 309},
                                              {"qi", 192},
                                              {"qli", 456},
                                              {"c", 1},
                                              {"k", 64}},
                                       object{{"u", -0x1.31358a9af52ccp-1},
                                              {"lu", 0x1.7d15928a33838p-9},
                                              {"qu", 0x1.3333333333333p-1},
                                              {"qlu", 0x1p+0},
                                              {"n", 0x1.23a4b7dfe4169p+1},
                                              {"qn", 0x1.5cp+4},
                                              {"i", -81},
                                              {"li", 971232},
                                              {"qi", 192},
                                              {"qli", 256},
                                              {"c", "b"},
                                              {"k", 64}},
                                   }));
}

TEST(golden, sobol_search_is_the_same_on_every_platform) {
  EXPECT_EQ(first_three("sobol"), (std::vector<object>{
                                      object{{"u", 0x1.8d20a820da642p-1},
                                             {"lu", 0x1.5751544eb8188p-16},
                                             {"qu", 0x1.6666666666666p-2},
                                             {"qlu", 0x1.8p+1},
                                             {"n", -0x1.fcbf614e496p-6},
                                             {"qn", 0x1.2p+2},
                                             {"i", 88},
                                             {"li", 34},
                                             {"qi", 384},
                                             {"qli", 2728},
                                             {"c", value::list{"x"}},
                                             {"k", 64}},
                                      object{{"u", -0x1.97f82524552p-5},
                                             {"lu", 0x1.6d0e25d102c0bp-8},
                                             {"qu", 0x1.ccccccccccccdp-1},
                                             {"qlu", 0x1.dp+3},
                                             {"n", 0x1.d23d391c9688p+1},
                                             {"qn", -0x1.04p+4},
                                             {"i", -67},
                                             {"li", 11088},
                                             {"qi", 192},
                                             {"qli", 120},
                                             {"c", 1},
                                             {"k", 64}},
                                      object{{"u", -0x1.dfd332eb7e26p-1},
                                             {"lu", 0x1.bb8c6e8c8ae4ap-13},
                                             {"qu", 0x1.3333333333333p-3},
                                             {"qlu", 0x1p+1},
                                             {"n", 0x1.fe4951aec8b7ep+0},
                                             {"qn", -0x1p-2},
                                             {"i", 31},
                                             {"li", 228169},
                                             {"qi", 128},
                                             {"qli", 16},
                                             {"c", "b"},
                                             {"k", 64}},
                                  }));
}

} // namespace

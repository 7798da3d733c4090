// SPDX-License-Identifier: BSD-3-Clause
#include "quality/serve.hpp"

#include "tune/io/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

namespace {

using namespace tune;
using namespace tune::quality;
using testing::HasSubstr;

/// Only the named problems, since listing all of them takes a while.
std::vector<problem> some(const std::set<std::string>& names) {
  auto all = all_problems();
  std::erase_if(all, [&](const problem& x) { return !names.contains(x.name); });
  return all;
}

std::string answer(const std::vector<problem>& all, const std::string& line) {
  std::istringstream in{line + '\n'};
  std::ostringstream out;
  EXPECT_EQ(serve(all, in, out), 0);
  return out.str();
}

TEST(serving_problems, answers_with_values) {
  auto all = some({"branin", "island4"});
  auto at_best
      = answer(all, R"({"problem": "branin", "params": {"x": 3.141592653589793, "y": 2.275}})");
  EXPECT_NEAR(*object_from_json(at_best)->find("value")->number(), 0.39788735772973816, 1e-12);
  EXPECT_EQ(
      answer(all, R"({"problem": "island4", "params": {"x0": 1, "x1": 1, "x2": 1, "x3": 1}})"),
      "{\"value\":null}\n");
}

TEST(serving_problems, describes_spaces_to_those_who_cannot_read_ours) {
  auto list = from_json(answer(some({"kernels"}), R"({"op": "list"})"));
  ASSERT_TRUE(list);
  const auto& shown = *list->as_list()->front().as_object();
  EXPECT_EQ(*shown.find("name"), value{"kernels"});
  EXPECT_EQ(*shown.find("conditional"), value{true});
  EXPECT_LT(*shown.find("optimum")->number(), *shown.find("ten_draws")->number());
  const auto& parameters = *shown.find("parameters")->as_list();
  EXPECT_EQ(to_json(parameters[0]),
            R"({"kind":"choice","options":["linear","poly","rbf","sigmoid"],"name":"kernel"})");
  EXPECT_EQ(to_json(parameters[3]),
            R"({"kind":"int","low":2,"high":6,"log":false,"step":1,"name":"degree",)"
            R"("when":{"kernel":["poly"]}})");
}

TEST(serving_problems, says_what_it_does_not_understand_and_goes_on) {
  auto all = some({"branin"});
  EXPECT_THAT(answer(all, "{"), HasSubstr("error"));
  EXPECT_THAT(answer(all, "{}"), HasSubstr("neither"));
  EXPECT_THAT(answer(all, R"({"problem": "brainin", "params": {}})"),
              HasSubstr("no problem brainin"));
  EXPECT_THAT(answer(all, R"({"problem": "branin", "params": {"x": 1}})"), HasSubstr("\\\"y\\\""));
  EXPECT_THAT(answer(all, R"({"problem": "branin", "params": {"x": 1, "y": 99}})"),
              HasSubstr("error"));
  auto both = answer(all, "{\n{\"problem\": \"branin\", \"params\": {\"x\": 10, \"y\": 15}}");
  EXPECT_THAT(both, HasSubstr("{\"value\":"));
}

} // namespace

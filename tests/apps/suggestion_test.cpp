// Why a configuration was proposed, as people and programs read it.
// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/suggestion.hpp"

#include "tune/core/search/known.hpp"
#include "tune/io/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace tune::cli {
namespace {

const objective loss{"loss", false};

/// What a Gaussian process says; scores are larger is better.
suggestion_story of_a_process() {
  explanation why;
  why.how = "the largest expected improvement of a Gaussian process";
  why.results = 31;
  why.expected = expectation{-0.5, 0.25, -0.625, 0.125};
  why.nearest = neighbour{{22}, 0.5, 0.75, -0.625, false};
  why.details = {{"transformed", false}};
  suggestion_story result;
  result.answer = {why, true};
  return result;
}

std::string text_of(const suggestion_story& x) {
  std::ostringstream out;
  write_suggestion(x, loss, {}, out);
  return out.str();
}

TEST(suggestion, is_told_in_the_unit_and_direction_of_the_metric) {
  EXPECT_EQ(text_of(of_a_process()),
            "suggestion\n"
            "  by: the largest expected improvement of a Gaussian process\n"
            "  learnt from: 31 results\n"
            "  predicted: loss 0.5 ± 0.25\n"
            "  expected improvement: 0.125 on 0.625\n"
            "  nearest: trial 00022, 0.5 away (correlation 0.75), loss 0.625\n"
            "  details: transformed=false\n");
}

TEST(suggestion, is_an_object_for_programs) {
  EXPECT_EQ(to_json(*suggestion_json(of_a_process(), loss).as_object()),
            R"({"by":"the largest expected improvement of a Gaussian process","results":31,)"
            R"("predicted":{"metric":"loss","mean":0.5,"deviation":0.25,"best":0.625,)"
            R"("expected_improvement":0.125},"nearest":{"trial":"00022","distance":0.5,)"
            R"("correlation":0.75,"value":0.625,"estimated":false},"parents":[],)"
            R"("details":{"transformed":false},"same":true})");
}

TEST(suggestion, names_a_known_configuration_by_its_place) {
  auto x = of_a_process();
  x.answer.what->nearest->trial = trial_id{first_known_number + 1};

  EXPECT_THAT(text_of(x), testing::HasSubstr("  nearest: number 2 of known, 0.5 away"));
  EXPECT_THAT(to_json(*suggestion_json(x, loss).as_object()),
              testing::AllOf(testing::HasSubstr(R"("nearest":{"trial":null,)"),
                             testing::HasSubstr(R"("known":2})")));
}

TEST(suggestion, says_what_it_is_not_sure_of) {
  auto x = of_a_process();
  x.answer.what->expected.reset();
  x.answer.what->nearest->correlation = std::numeric_limits<double>::quiet_NaN();
  x.answer.what->nearest->is_estimate = true;
  x.answer.what->parents = {{3}, {7}};
  x.answer.what->details = {};
  x.answer.is_same = false;

  EXPECT_EQ(text_of(x), "suggestion\n"
                        "  by: the largest expected improvement of a Gaussian process\n"
                        "  learnt from: 31 results\n"
                        "  parents: 00003, 00007\n"
                        "  nearest: trial 00022, 0.5 away, thought to come to loss 0.625\n"
                        "  note: its searcher proposes something else here: of another version or "
                        "machine, or other results were known\n");
}

TEST(suggestion, is_nothing_where_there_is_nothing_to_say) {
  EXPECT_EQ(text_of({}), "");
  EXPECT_TRUE(suggestion_json({}, loss).is_null());
}

TEST(suggestion, says_why_it_cannot_be_told) {
  suggestion_story x;
  x.unknown = "this program knows no climber";

  EXPECT_EQ(text_of(x), "suggestion\n  not explained: this program knows no climber\n");
  EXPECT_EQ(to_json(*suggestion_json(x, loss).as_object()),
            R"({"unknown":"this program knows no climber"})");
}

} // namespace
} // namespace tune::cli

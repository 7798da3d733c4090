// SPDX-License-Identifier: BSD-3-Clause
#include "process/output_tail.hpp"

#include "error_samples.hpp"
#include "tune/core/trial/error_line.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using support::error_samples;
using testing::ElementsAre;

std::string telling_text(const std::vector<std::string>& lines) {
  return lines.empty()
             ? std::string{}
             : lines[telling_line_in(std::vector<std::string_view>{lines.begin(), lines.end()})];
}

output_tail tail_of(std::string_view output) {
  output_tail result;
  result.add(output);
  return result;
}

TEST(telling_line_in, is_the_one_that_names_the_error_in_each_language) {
  for (const auto& x : error_samples())
    EXPECT_EQ(telling_text(tail_of(x.output).last_lines(1000)), x.telling) << x.name;
}

TEST(output_tail, keeps_the_line_that_names_the_error) {
  for (const auto& x : error_samples()) {
    const auto kept = tail_of(x.output).telling_lines(3, 5);
    EXPECT_LE(kept.size(), 12u) << x.name;
    EXPECT_EQ(telling_text(kept), x.telling) << x.name;
    EXPECT_EQ(telling_text(tail_of("a\nb\nc\nd\n" + x.output).telling_lines(3, 5)), x.telling)
        << x.name << " behind other lines";
  }
}

TEST(output_tail, says_how_many_lines_it_leaves_out_before_and_behind_it) {
  EXPECT_THAT(
      tail_of("1\n2\n3\n4\n5\n\nE: x\nOSError: no\n at 1\n at 2\n at 3\n at 4\n at 5\n at 6\n"
              " at 7\n")
          .telling_lines(3, 5),
      ElementsAre("1", "2", "3", "… (3 lines between)", "OSError: no", " at 1",
                  "… (1 line between)", " at 3", " at 4", " at 5", " at 6", " at 7"));
}

TEST(output_tail, tells_of_an_error_that_is_not_in_memory_by_its_last_lines) {
  std::string output = "OSError: no\n";
  for (int i = 0; i < 1000; ++i)
    output += " at some place " + std::to_string(i) + "\n";
  const auto kept = tail_of(output).telling_lines(1, 2);
  EXPECT_EQ(kept.front(), "OSError: no");
  EXPECT_EQ(kept.back(), " at some place 999");
  EXPECT_TRUE(tail_of("").telling_lines(3, 5).empty());
}

} // namespace
} // namespace tune

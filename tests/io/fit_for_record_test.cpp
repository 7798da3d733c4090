// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/json.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

TEST(fit_for_record, leaves_ordinary_metrics_alone) {
  object metrics{{"loss", 0.5}, {"name", "grüße"}, {"eval", object{{"list", value::list{1, 2}}}}};

  auto result = fit_for_record(metrics);

  ASSERT_TRUE(result);
  EXPECT_EQ(*result, metrics);
}

TEST(fit_for_record, mends_names_and_texts_that_are_no_utf8_at_any_depth) {
  object metrics{{"bad\xff", 1}, {"inner", object{{"text", value::list{"a\xfe"}}}}};

  auto result = fit_for_record(metrics);

  ASSERT_TRUE(result);
  EXPECT_EQ(*result,
            (object{{"bad\uFFFD", 1}, {"inner", object{{"text", value::list{"a\uFFFD"}}}}}));
}

TEST(fit_for_record, refuses_what_could_not_be_read_back) {
  value deep = 1;
  for (int i = 0; i < 100; ++i)
    deep = value::list{deep};

  auto result = fit_for_record(object{{"x", deep}});

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ec::bad_option);
}

} // namespace
} // namespace tune

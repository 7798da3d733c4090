// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/saving.hpp"

#include "io/spec/spec_support.hpp"

#include "tune/trainable/trainable.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

template <bool Saves>
struct model : trainable {
  void setup(const object&, const trial_context&) override {}
  metrics step() override { return {{"accuracy", 1.0}}; }
  [[nodiscard]] bool can_save() const override { return Saves; }
};

trainable_registry known() {
  trainable_registry result;
  result.add_function("by_itself", [](session&) {});
  result.add_class<model<true>>("keeper");
  result.add_class<model<false>>("careless");
  return result;
}

/// The complaint about a scheduler that pauses trials like these.
std::string complaint(const std::string& trainable) {
  const auto all = known();
  auto with = support::request();
  with.trainables = &all;
  auto result
      = support::load_text("[experiment]\nmetric = accuracy\n[trainable]\n" + trainable
                               + "[space]\nlr = uniform(0, 1)\n[scheduler]\ntype = pausing\n",
                           with);
  return to_text(result.faults);
}

const std::string pausing = "[scheduler] type = pausing: pauses trials, which need checkpoints for "
                            "that: ";

TEST(saving, is_possible_for_programs_classes_and_tables) {
  EXPECT_EQ(complaint("command = train {lr}\n"), "");
  EXPECT_EQ(complaint("name = keeper\n"), "");
}

TEST(saving, is_demanded_by_schedulers_that_pause) {
  EXPECT_EQ(complaint("command = train {lr}\nmetric.accuracy = a=(\\S+)\n"),
            "/nowhere/digits.ini:9: " + pausing
                + "a program that is read by patterns (metric.accuracy) is not asked for any");
  EXPECT_EQ(complaint("name = careless\n"),
            "/nowhere/digits.ini:8: " + pausing + "the class careless has no save");
  EXPECT_EQ(complaint("name = by_itself\n"),
            "/nowhere/digits.ini:8: " + pausing
                + "the function by_itself hands checkpoints over by itself, and is not asked for "
                  "any");
}

TEST(saving, is_not_looked_at_where_nothing_is_known_of_trainables) {
  auto result = support::load_text("[experiment]\nmetric = accuracy\n[trainable]\nname = far\n"
                                   "[space]\nlr = uniform(0, 1)\n[scheduler]\ntype = pausing\n");

  EXPECT_TRUE(result) << to_text(result.faults);
}

} // namespace
} // namespace tune

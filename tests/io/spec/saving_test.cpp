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

/// An opaque actor: its content does not matter to these tests.
std::shared_ptr<const own_trainable> some_actor() {
  auto something = std::make_shared<char>();
  return {something, reinterpret_cast<const own_trainable*>(something.get())};
}

trainable_registry known() {
  trainable_registry result;
  result.add_function("by_itself", [](session&) {});
  result.add_class<model<true>>("saver");
  result.add_class<model<false>>("careless");
  result.add_actor("walker", some_actor(), true);
  result.add_actor("wanderer", some_actor(), false);
  return result;
}

/// The complaint when a scheduler pauses trials of this trainable.
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

TEST(saving, is_possible_for_programs_classes_functions_and_tables) {
  EXPECT_EQ(complaint("command = train {lr}\n"), "");
  EXPECT_EQ(complaint("name = saver\n"), "");
  EXPECT_EQ(complaint("name = by_itself\n"), "");
  EXPECT_EQ(complaint("name = walker\n"), "");
}

TEST(saving, is_demanded_by_schedulers_that_pause) {
  EXPECT_EQ(complaint("command = train {lr}\nmetric.accuracy = a=(\\S+)\n"),
            "/nowhere/digits.ini:9: " + pausing
                + "a program that is read by patterns (metric.accuracy) is not asked for any");
  EXPECT_EQ(complaint("name = careless\n"),
            "/nowhere/digits.ini:8: " + pausing + "the class careless has no save");
  EXPECT_EQ(complaint("name = wanderer\n"),
            "/nowhere/digits.ini:8: " + pausing + "the actor wanderer has no save");
}

TEST(saving, comes_with_the_reports_of_functions) {
  const auto all = known();
  spec what;
  auto how = [&](trainable_kind kind, const std::string& name) {
    what.trainable.kind = kind;
    what.trainable.name = name;
    return saving_of(what, all);
  };

  EXPECT_EQ(how(trainable_kind::function, "by_itself").how, save_ability::with_reports);
  EXPECT_EQ(how(trainable_kind::function, "by_itself").trainable, "the function by_itself");
  EXPECT_EQ(how(trainable_kind::class_type, "saver").how, save_ability::on_request);
  EXPECT_EQ(how(trainable_kind::class_type, "careless").how, save_ability::none);
  EXPECT_EQ(how(trainable_kind::function, "far").how, save_ability::none);
  EXPECT_EQ(how(trainable_kind::command, "").how, save_ability::on_request);
}

TEST(saving, at_times_of_its_own_takes_no_frequency) {
  const auto all = known();
  auto warnings = [&](const std::string& trainable, const std::string& keys) {
    auto with = support::request();
    with.trainables = &all;
    return support::load_text("[experiment]\nmetric = accuracy\n[trainable]\n" + trainable
                                  + "[space]\nlr = uniform(0, 1)\n[checkpoint]\n" + keys,
                              with)
        .warnings;
  };
  std::vector<std::string> expected{
      "/nowhere/digits.ini:8: [checkpoint] frequency: does nothing: the function by_itself hands "
      "checkpoints over by itself, and is not asked for any",
      "/nowhere/digits.ini:9: [checkpoint] at_end: does nothing: the function by_itself hands "
      "checkpoints over by itself, and is not asked for any"};

  EXPECT_EQ(warnings("name = by_itself\n", "frequency = 5\nat_end = true\n"), expected);
  EXPECT_TRUE(warnings("name = by_itself\n", "frequency = 0\nat_end = false\n").empty());
  EXPECT_TRUE(warnings("name = saver\n", "frequency = 5\nat_end = true\n").empty());
}

TEST(saving, is_not_looked_at_where_nothing_is_known_of_trainables) {
  auto result = support::load_text("[experiment]\nmetric = accuracy\n[trainable]\nname = far\n"
                                   "[space]\nlr = uniform(0, 1)\n[scheduler]\ntype = pausing\n");

  EXPECT_TRUE(result) << to_text(result.faults);
}

} // namespace
} // namespace tune

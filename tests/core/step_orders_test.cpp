// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/step_orders.hpp"

#include "tune/core/rng.hpp"

#include <gmock/gmock.h>

#include <optional>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace step_cmd;
using save_now = step_cmd::save;
using step_now = step_cmd::step;

constexpr auto in_order = halt_mode::stop;
constexpr auto at_once = halt_mode::kill;

template <class T>
auto is(T what) {
  return testing::VariantWith<T>(std::move(what));
}
auto says(over what) {
  return is(std::move(what));
}

step_orders training(step_orders::plan how = {}) {
  step_orders result{how};
  EXPECT_THAT(result.begin(), ElementsAre(is(set_up{})));
  EXPECT_THAT(result.carried_out(), ElementsAre(is(begun{}), is(step_now{})));
  return result;
}

step_orders reported(step_orders::plan how = {}, bool done = false) {
  auto result = training(how);
  EXPECT_THAT(result.stepped(done, true), IsEmpty());
  EXPECT_TRUE(result.awaits_answer());
  return result;
}

TEST(step_orders, load_the_checkpoint_before_the_first_step) {
  step_orders uut{{true}};

  EXPECT_THAT(uut.begin(), ElementsAre(is(set_up{})));
  EXPECT_THAT(uut.carried_out(), ElementsAre(is(load{})));
  EXPECT_THAT(uut.carried_out(), ElementsAre(is(begun{}), is(step_now{})));
}

TEST(step_orders, have_the_next_step_wait_until_the_last_was_judged) {
  auto uut = reported();

  EXPECT_THAT(uut.carried_out(), IsEmpty());
  EXPECT_THAT(uut.go_on(), ElementsAre(is(step_now{})));
  EXPECT_THAT(uut.go_on(), IsEmpty());
  EXPECT_THAT(uut.stepped(false, false), ElementsAre(is(step_now{})));
}

TEST(step_orders, end_with_the_last_step) {
  auto uut = reported({}, true);

  EXPECT_THAT(uut.go_on(), ElementsAre(is(dismiss{false})));
  EXPECT_THAT(uut.gone("as told"), ElementsAre(says({end_class::finished, {}})));
  EXPECT_TRUE(uut.is_over());

  auto told = reported({}, true);
  EXPECT_THAT(told.stop(false), ElementsAre(is(dismiss{false})));
  EXPECT_THAT(told.gone("as told"), ElementsAre(says({end_class::finished, {}})));
}

TEST(step_orders, save_and_train_on) {
  auto uut = reported();

  EXPECT_THAT(uut.save({7, false, true}, false), ElementsAre(is(save_now{7, false, true})));
  EXPECT_THAT(uut.carried_out(), ElementsAre(is(keep{7, false, true}), is(step_now{})));
}

TEST(step_orders, pause_with_a_checkpoint) {
  auto uut = reported();

  EXPECT_THAT(uut.save({7, true, false}, false), ElementsAre(is(save_now{7, true, false})));
  EXPECT_THAT(uut.carried_out(), ElementsAre(is(keep{7, true, false}), is(dismiss{false})));
  EXPECT_THAT(uut.gone(""), ElementsAre(says({end_class::stopped, {}})));
}

TEST(step_orders, train_on_where_a_save_fails_even_if_it_was_to_end_with_it) {
  auto uut = reported();

  EXPECT_FALSE(uut.save({7, true, false}, false).empty());
  EXPECT_THAT(uut.refused("no room"), ElementsAre(is(not_kept{7, "no room"}), is(step_now{})));
}

TEST(step_orders, ask_none_to_save_that_cannot) {
  auto uut = reported({false, false, 0});

  EXPECT_THAT(uut.save({7, true, false}, false),
              ElementsAre(is(not_kept{7, "this trainable cannot save"}), is(step_now{})));
}

TEST(step_orders, blame_the_trainable_for_set_up_and_steps_and_the_checkpoint_for_its_load) {
  step_orders set_up_fails{{}};
  EXPECT_FALSE(set_up_fails.begin().empty());
  EXPECT_THAT(set_up_fails.refused("a"), ElementsAre(is(dismiss{false})));
  EXPECT_THAT(set_up_fails.gone(""), ElementsAre(says({end_class::user_error, "a"})));

  step_orders load_fails{{true}};
  EXPECT_FALSE(load_fails.begin().empty());
  EXPECT_FALSE(load_fails.carried_out().empty());
  EXPECT_THAT(load_fails.refused("b"), ElementsAre(is(dismiss{false})));
  EXPECT_THAT(load_fails.gone(""), ElementsAre(says({end_class::bad_checkpoint, "b"})));

  auto step_fails = training();
  EXPECT_THAT(step_fails.refused("c"), ElementsAre(is(dismiss{false})));
  EXPECT_THAT(step_fails.gone(""), ElementsAre(says({end_class::user_error, "c"})));
}

TEST(step_orders, tell_why_a_trainable_went_that_nobody_told_to) {
  auto uut = training();
  EXPECT_THAT(uut.gone("it crashed"), ElementsAre(says({end_class::user_error, "it crashed"})));
  EXPECT_THAT(uut.gone("again"), IsEmpty());

  auto saving = reported();
  EXPECT_FALSE(saving.save({7, false, false}, false).empty());
  EXPECT_THAT(saving.gone("x"),
              ElementsAre(is(not_kept{7, "x"}), says({end_class::user_error, "x"})));

  auto last = reported({}, true);
  EXPECT_THAT(last.gone("x"), ElementsAre(says({end_class::finished, {}})));
}

TEST(step_orders, end_behind_the_step_under_way_where_they_are_told_to_in_order) {
  auto uut = training();

  EXPECT_THAT(uut.halt(in_order, false), IsEmpty());
  EXPECT_THAT(uut.stepped(false, true), ElementsAre(is(dismiss{false})));
  EXPECT_THAT(uut.gone(""), ElementsAre(says({end_class::stopped, {}})));
}

TEST(step_orders, end_at_once_where_a_report_waits) {
  auto uut = reported();

  EXPECT_THAT(uut.halt(in_order, false), ElementsAre(is(dismiss{false})));
  EXPECT_THAT(uut.stop(false), IsEmpty());
}

TEST(step_orders, force_what_is_to_end_at_once) {
  auto uut = training();

  EXPECT_THAT(uut.halt(at_once, false), ElementsAre(is(dismiss{true})));
  EXPECT_THAT(uut.stepped(false, true), IsEmpty());
  EXPECT_THAT(uut.halt(at_once, false), IsEmpty());
  EXPECT_THAT(uut.gone("killed"), ElementsAre(says({end_class::killed, {}})));
}

TEST(step_orders, force_one_that_does_not_go_and_leave_it_at_last) {
  auto uut = reported();
  EXPECT_FALSE(uut.stop(false).empty());

  EXPECT_THAT(uut.late(), ElementsAre(is(dismiss{true})));
  EXPECT_THAT(uut.late(), ElementsAre(says({end_class::stopped, "its actor did not end in time and "
                                                                "was left to itself"})));
}

TEST(step_orders, train_no_step_where_the_trial_has_come_to_its_end) {
  step_orders uut{{.restores = true, .formats = 1, .ends = true}};
  EXPECT_THAT(uut.begin(), ElementsAre(is(set_up{})));
  EXPECT_THAT(uut.carried_out(), ElementsAre(is(load{})));
  EXPECT_THAT(uut.carried_out(), ElementsAre(is(begun{}), is(export_model{0})));
  EXPECT_TRUE(uut.halt(halt_mode::stop, true).empty());
  EXPECT_THAT(uut.carried_out(), ElementsAre(is(dismiss{false})));
  EXPECT_THAT(uut.gone({}), ElementsAre(says({end_class::stopped, {}})));
}

TEST(step_orders, export_at_the_end_and_fail_only_what_cannot_be_exported) {
  auto uut = reported({false, true, 3});

  EXPECT_THAT(uut.stop(true), ElementsAre(is(export_model{0})));
  EXPECT_THAT(uut.refused("unknown"),
              ElementsAre(is(not_exported{0, "unknown"}), is(export_model{1})));
  EXPECT_THAT(uut.carried_out(), ElementsAre(is(export_model{2})));
  EXPECT_THAT(uut.gone("x"), ElementsAre(is(not_exported{2, "x"}), says({end_class::stopped, {}})));
}

TEST(step_orders, export_nothing_where_the_trial_goes_on_later) {
  auto uut = reported({false, true, 1});

  EXPECT_THAT(uut.stop(false), ElementsAre(is(dismiss{false})));
}

/// State as the owner sees it.
struct world {
  bool under_order = false;
  bool is_there = true;
  bool told_to_go = false;
  bool forced = false;
  bool halted = false;
  std::optional<over> end;

  void take(const step_commands& all, std::uint64_t seed) {
    for (const auto& x : all) {
      EXPECT_FALSE(end) << seed << ": something follows the end";
      if (const auto* last = std::get_if<over>(&x)) {
        EXPECT_TRUE(!is_there || forced) << seed << ": it was not told to go";
        end = *last;
      } else if (const auto* go = std::get_if<dismiss>(&x)) {
        EXPECT_FALSE(told_to_go && !go->by_force) << seed;
        told_to_go = true;
        forced = forced || go->by_force;
        under_order = false;
      } else if (is_order(x)) {
        EXPECT_FALSE(under_order || told_to_go) << seed << ": two orders at a time";
        EXPECT_FALSE(halted && std::holds_alternative<step_now>(x)) << seed;
        under_order = true;
      }
    }
  }
  static bool is_order(const step_command& x) {
    return std::holds_alternative<set_up>(x) || std::holds_alternative<load>(x)
           || std::holds_alternative<step_now>(x) || std::holds_alternative<save_now>(x)
           || std::holds_alternative<export_model>(x);
  }
};

step_commands happens(step_orders& to, rng& dice, world& in) {
  const auto which = dice.below(12);
  const auto answered = std::exchange(in.under_order, in.under_order && which > 3);
  switch (which) {
    case 0:
    case 1:
      // The owner confirms a step by its report, and any other order by `carried_out`.
      return to.doing() == "step" ? to.stepped(dice.below(6) == 0, dice.below(2) == 0)
                                  : to.carried_out();
    case 2:
      return to.stepped(dice.below(6) == 0, dice.below(2) == 0);
    case 3:
      return answered || dice.below(3) == 0 ? to.refused("no") : step_commands{};
    case 4:
      in.is_there = in.is_there && dice.below(8) != 0;
      return in.is_there ? step_commands{} : to.gone("gone");
    case 5: {
      in.halted = in.halted || dice.below(5) == 0;
      return in.halted ? to.halt(dice.below(3) == 0 ? at_once : in_order, dice.below(2) == 0)
                       : step_commands{};
    }
    case 6:
      return to.stop(dice.below(2) == 0);
    case 7:
      return to.late();
    case 8:
      return to.save({dice.below(9), dice.below(2) == 0, false}, dice.below(2) == 0);
    default:
      return to.go_on();
  }
}

TEST(step_orders, give_one_order_at_a_time_and_one_end_whatever_comes) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    rng dice{seed, "orders", 0};
    step_orders uut{{dice.below(2) == 0, dice.below(4) != 0, dice.below(3)}};
    world seen;
    seen.take(uut.begin(), seed);
    for (int i = 0; i < 60; ++i)
      seen.take(happens(uut, dice, seen), seed);
    seen.is_there = false;
    seen.take(uut.gone("gone"), seed);
    EXPECT_TRUE(seen.end && uut.is_over()) << seed;
  }
}

} // namespace
} // namespace tune

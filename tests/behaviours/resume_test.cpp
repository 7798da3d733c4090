// Part D1 of docs/ray-behaviours.md: experiments that a program interrupts and resumes.
// SPDX-License-Identifier: BSD-3-Clause
#include "whole.hpp"

#include <atomic>
#include <thread>

namespace tune {
namespace {

using samples::number;
using testing::HasSubstr;
using enum trial_status;

/// Trials that end after two reports, except that those with x >= 3 run on while `shut` is true.
struct half_way {
  std::atomic<bool> shut{true};
  support::told<double> began;
  /// CPUs granted to each attempt.
  support::told<double> cpus;

  void operator()(session& with) {
    auto x = number(with.config(), "x");
    cpus.add(with.context().cpus);
    began.add(x);
    for (auto n = 1; with.report({{"loss", x}}); ++n) {
      if (n >= 2 && !(shut && x >= 3))
        return;
    }
  }
};

/// Runs until `begun` trials have begun, then interrupts the run.
result_grid leave_off(const trainable_registry& known, const run_options& what, half_way& trials,
                      std::size_t begun) {
  tuner uut{known};
  std::thread other{[&] {
    trials.began.wait_for(begun);
    uut.interrupt();
  }};
  auto grid = uut.run(what);
  other.join();
  EXPECT_TRUE(grid) << to_text(grid.error());
  if (!grid)
    return {{}, {}};
  EXPECT_EQ(grid->status(), experiment_status::interrupted);
  return std::move(*grid);
}

TEST_F(behaviours, D1_7_another_trainable_is_refused_and_changed_code_is_not) {
  half_way trials;
  known.add_function("half_way", std::ref(trials));
  known.add_function("other", std::ref(trials));
  auto what = experiment("half_way").parameter("x", "grid(1, 2, 3, 4)").set("cluster.cpus", 1);
  leave_off(known, what, trials, 3);

  EXPECT_THAT(refusal(run_options{what}.trainable("other").resume()),
              HasSubstr("trainable.name was \"half_way\", is \"other\""));
  known.add_function("half_way", [](session& with) { with.report({{"loss", -1.0}}); });
  auto grid = run(what.resume());

  EXPECT_EQ(counts(grid), (std::map<trial_status, std::size_t>{{terminated, 4}}));
  EXPECT_EQ(number(grid.trials()[3].metrics, "loss"), -1);
}

/// Proposes x = 1, 2, … 6, and records how many completions it knew of at each proposal.
class counting_completions : public searcher {
public:
  explicit counting_completions(support::told<std::uint64_t>& knew) : knew_{knew} {}
  [[nodiscard]] searcher_traits traits() const override {
    searcher_traits result;
    result.exhaustible = true;
    return result;
  }
  void apply(const searcher_fact& what) override {
    if (const auto* x = std::get_if<suggested_fact>(&what.what)) {
      if (const auto* list = std::get_if<std::vector<suggestion>>(&x->what))
        made_ += list->size();
    } else if (std::get<observation>(what.what).how == outcome::completed) {
      ++completed_;
    }
  }
  [[nodiscard]] proposal propose(const ask&) const override {
    knew_.add(completed_);
    if (made_ == 6)
      return exhausted{"six"};
    auto x = static_cast<std::int64_t>(made_ + 1);
    return std::vector<suggestion>{{std::make_shared<object>(object{{"x", x}}), "counted"}};
  }
  void describe(fingerprint& into) const override { into.add(made_).add(completed_); }

private:
  support::told<std::uint64_t>& knew_;
  std::uint64_t made_ = 0;
  std::uint64_t completed_ = 0;
};

TEST_F(behaviours, D1_10_scheduler_and_searcher_are_the_same_and_know_what_they_knew) {
  half_way trials;
  support::told<std::uint64_t> knew;
  known.add_function("half_way", std::ref(trials));
  auto all = builtin_choices(known);
  searcher_catalogue::entry entry;
  entry.name = "counting";
  entry.make = [&](const tune::options&, const searcher_context&) {
    return expected<std::unique_ptr<searcher>>{std::make_unique<counting_completions>(knew)};
  };
  all.searchers.add(entry);
  auto what = experiment("half_way")
                  .parameter("x", "randint(1, 10)")
                  .set("cluster.cpus", 1)
                  .searcher("counting");
  tuner first{all};
  std::thread other{[&] {
    // Two trials have ended by then, and the third runs until `shut` is cleared.
    trials.began.wait_for(3);
    first.interrupt();
  }};
  auto left_off = first.run(what);
  other.join();
  ASSERT_TRUE(left_off) << to_text(left_off.error());
  auto asked = knew.size();
  trials.shut = false;

  EXPECT_THAT(refusal(run_options{what}.searcher("random").resume()), HasSubstr("search.type"));
  auto grid = tuner{all}.run(what.resume());

  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_EQ(grid->trials().size(), 6u);
  ASSERT_GT(knew.size(), asked);
  EXPECT_GE(knew.all()[asked], 2u);
  // Proposals are drawn one ahead, so the last one may have missed a completion.
  EXPECT_GE(knew.all().back(), 4u);
}

TEST_F(behaviours, D1_18_trials_that_wait_get_the_resources_of_the_resumed_run) {
  half_way trials;
  known.add_function("half_way", std::ref(trials));
  auto what = experiment("half_way").parameter("x", "grid(1, 3, 4)").set("cluster.cpus", 2);
  leave_off(known, run_options{what}.resource("cpu", 2), trials, 2);
  trials.shut = false;

  auto grid = run(what.resource("cpu", 1).resume());

  EXPECT_EQ(counts(grid), (std::map<trial_status, std::size_t>{{terminated, 3}}));
  // Two attempts in the first run; the resumed run repeats one of these trials and starts the
  // waiting one.
  EXPECT_EQ(trials.cpus.all(), (std::vector<double>{2, 2, 1, 1}));
}

TEST_F(behaviours, D1_20_several_experiments_at_once_are_gone_on_with_one_by_one) {
  half_way trials;
  known.add_function("half_way", std::ref(trials));
  auto named = [this](int i) {
    return experiment("half_way", "e" + std::to_string(i))
        .parameter("x", "grid(1, 2, 3, 4, 5, 6)")
        .set("cluster.cpus", 2);
  };
  std::vector<std::thread> running;
  for (auto i = 0; i < 3; ++i)
    running.emplace_back([&, i] { leave_off(known, named(i), trials, 10); });
  for (auto& x : running)
    x.join();
  trials.shut = false;

  std::size_t trials_in_all = 0;
  for (auto i = 0; i < 3; ++i) {
    auto grid = run(named(i).resume());
    EXPECT_EQ(counts(grid), (std::map<trial_status, std::size_t>{{terminated, 6}}));
    trials_in_all += grid.trials().size();
  }
  EXPECT_EQ(trials_in_all, 18u);
}

} // namespace
} // namespace tune

// Whole experiments whose trainables are a program's own actors.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/own_trainable.hpp"

#include "bowl.hpp"
#include "far_worker.hpp"

#include "tune/io/certificates/certificate_directory.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <future>

namespace tune {
namespace {

using own = own_trainable_actor;
using samples::number;
using testing::Each;
using testing::Ge;
using testing::HasSubstr;
using testing::StartsWith;

/// At every third iteration the worst trial goes on from the best.
const std::vector<named_text> population{
    {"time_attr", "training_iteration"}, {"perturbation_interval", "3"}, {"synch", "true"}};

/// What the actors of one test have done.
struct seen_steps {
  support::told<std::string> places;
  support::told<std::string> loads;
  support::told<std::int64_t> steps;
};

struct walker_state {
  std::string trial;
  double lr = 0;
  double x = 10;
  std::int64_t n = 0;
};

own::behavior_type walk(own::stateful_pointer<walker_state> self,
                        const std::shared_ptr<seen_steps>& seen) {
  auto& state = state_of(self);
  return {
      [&state, seen](const training_setup& what) {
        seen->places.add(what.context.directory.string());
        state.trial = what.context.trial_id;
        state.lr = number(*what.config, "lr");
      },
      [&state, seen](const training_load& from) {
        seen->loads.add(state.trial + " from " + from.directory.string());
        if (!(std::ifstream{from.directory / "x"} >> state.n >> state.x))
          throw std::runtime_error{"cannot read " + from.directory.string()};
      },
      [&state, seen](training_step) {
        state.x -= state.lr * 2 * (state.x - 1);
        seen->steps.add(++state.n);
        return training_result{{{"loss", (state.x - 1) * (state.x - 1)}, {"n", state.n}}};
      },
      [&state](const training_save& to) {
        std::ofstream{to.directory / "x"} << state.n << ' ' << state.x;
      },
      [](const training_export&) { return false; },
  };
}

class tuner_own_trainable : public samples::tuner_test {
protected:
  std::shared_ptr<seen_steps> seen = std::make_shared<seen_steps>();

  trainable_registry walkers(actor_thread where = actor_thread::own) const {
    trainable_registry result;
    auto begin
        = [seen = seen](own::stateful_pointer<walker_state> self) { return walk(self, seen); };
    add_actor(result, "walker", trained_by<walker_state>(begin, where), "walks downhill");
    return result;
  }
  run_options walking(const std::string& lr) const {
    return run_options{}
        .name("w")
        .storage(root)
        .trainable("walker")
        .parameter("lr", lr)
        .minimise("loss")
        .set("cluster.cpus", 4)
        .stop_at("training_iteration", 12);
  }
  std::string refusal(const run_options& what) const {
    auto grid = tuner{walkers()}.run(what);
    EXPECT_FALSE(grid);
    return grid ? std::string{} : grid.error().detail;
  }
};

TEST_F(tuner_own_trainable, is_stopped_early_by_asha) {
  auto grid = tuner{walkers()}.run(
      walking("grid(0.4, 0.3, 0.001, 0.002, 0.003, 0.004)")
          .set("cluster.cpus", 1)
          .scheduler("asha", {{"grace_period", "2"}, {"reduction_factor", "2"}, {"max_t", "12"}}));

  ASSERT_TRUE(grid) << to_text(grid.error());
  std::vector<std::uint64_t> lengths;
  for (const auto& x : grid->trials()) {
    EXPECT_EQ(x.status, trial_status::terminated) << x.error;
    lengths.push_back(x.iterations);
  }
  EXPECT_THAT(lengths, testing::Contains(12u));
  EXPECT_THAT(lengths, testing::Contains(2u));
}

TEST_F(tuner_own_trainable, goes_on_from_another_trials_checkpoint_under_pbt) {
  auto grid = tuner{walkers(actor_thread::shared)}.run(
      walking("grid(0.4, 0.3, 0.001, 0.002)").scheduler("pbt", population));

  ASSERT_TRUE(grid) << to_text(grid.error());
  auto loads = seen->loads.all();
  auto of_another = [](const std::string& x) {
    const auto trial = x.substr(0, x.find(' '));
    return x.find("/trials/" + trial + "/") == std::string::npos;
  };
  EXPECT_TRUE(std::any_of(loads.begin(), loads.end(), of_another)) << testing::PrintToString(loads);
  for (const auto& x : grid->trials()) {
    EXPECT_EQ(x.status, trial_status::terminated) << x.error;
    EXPECT_EQ(x.iterations, 12u);
    EXPECT_LT(number(x.last_metrics, "loss"), 70.0);
  }
}

/// Interrupts the run at its third report.
struct interrupter : tuner_callback {
  tuner* whom = nullptr;
  std::uint64_t reports = 0;
  void reported(const report&, instant) override {
    if (++reports == 3)
      whom->interrupt();
  }
};

TEST_F(tuner_own_trainable, goes_on_where_an_interrupted_run_was) {
  tuner uut{walkers()};
  auto what = walking("0.1").checkpoint_frequency(1);
  auto stop = std::make_shared<interrupter>();
  stop->whom = &uut;
  auto first = uut.run(run_options{what}.callback(stop));
  ASSERT_TRUE(first) << to_text(first.error());
  ASSERT_EQ(first->status(), experiment_status::interrupted);
  const auto before = seen->steps.all().back();
  EXPECT_LT(before, 12);

  auto grid = uut.run(what.resume());

  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_EQ(grid->status(), experiment_status::done);
  EXPECT_EQ(grid->trials().front().iterations, 12u);
  EXPECT_EQ(seen->loads.size(), 1u);
  // The trainable did not start again at its first step.
  auto steps = seen->steps.all();
  EXPECT_EQ(std::count(steps.begin(), steps.end(), 1), 1);
  EXPECT_EQ(steps.back(), 12);
  EXPECT_EQ(grid->trials().front().last_metrics.find("n")->number(), 12.0);
}

TEST_F(tuner_own_trainable, shares_an_actor_system_that_is_there_already) {
  system_config config{2};
  caf::actor_system system{config};

  auto grid = tuner{walkers()}.run(walking("0.1").run_in(system));

  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_EQ(grid->trials().front().iterations, 12u);
  EXPECT_TRUE(support::eventually([&] { return running_actors(system) == 0; }));
}

TEST_F(tuner_own_trainable, lives_in_no_process_of_its_own) {
  EXPECT_THAT(refusal(walking("0.1").isolation(isolation_kind::process)),
              testing::AllOf(HasSubstr("isolation = process"), HasSubstr("kind = actor")));
  EXPECT_THAT(refusal(walking("0.1").reuse_actors()), HasSubstr("has no meaning for kind = actor"));
  EXPECT_THAT(refusal(walking("0.1").set("trainable.kind", "class")),
              HasSubstr("\"walker\" is an actor"));
  EXPECT_THAT(refusal(walking("0.1").set("trainable.kind", "actor").trainable("walkr")),
              HasSubstr("did you mean \"walker\"?"));
}

/// Records what a tuner says about its port.
struct listener : tuner_callback {
  support::told<std::string> addresses;
  void listens(const std::string& address) override { addresses.add(address); }
};

TEST_F(tuner_own_trainable, trains_on_workers_that_registered_it) {
  certificate_order order;
  order.whom.name = "head";
  ASSERT_TRUE(init_certificates(root / "certs", "test", order));
  auto heard = std::make_shared<listener>();
  auto what = walking("grid(0.4, 0.3, 0.001, 0.002)")
                  .scheduler("pbt", population)
                  .listen("127.0.0.1:0", root / "certs")
                  .set("cluster.local", false)
                  .callback(heard);
  auto ran = std::async(std::launch::async, [&] { return tuner{walkers()}.run(what); });
  ASSERT_TRUE(heard->addresses.wait_for(1));
  const auto address = heard->addresses.all().front();
  auto how = choose_transport(*peer_address_from(address), root / "certs", false);
  ASSERT_TRUE(how) << to_text(how.error());
  {
    samples::far_worker far{address, *how, root / "work", walkers()};

    auto grid = ran.get();

    ASSERT_TRUE(grid) << to_text(grid.error());
    EXPECT_EQ(grid->status(), experiment_status::done);
    ASSERT_EQ(grid->trials().size(), 4u);
    for (const auto& x : grid->trials())
      EXPECT_EQ(x.iterations, 12u) << x.error;
    EXPECT_THAT(seen->places.all(), Each(StartsWith((root / "work").string())));
    EXPECT_THAT(seen->loads.size(), Ge(1u));
  }
}

} // namespace
} // namespace tune

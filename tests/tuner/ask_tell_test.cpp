// A run by the runner and its actors, and a conversation about the same trainable.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/ask_tell/curve.hpp"
#include "io/ask_tell/talk.hpp"

#include "bowl.hpp"

#include "tune/io/store/store_reader.hpp"

namespace tune {
namespace {

using samples::iterations;
using samples::loss_of;
using samples::recipe;
using samples::talk;
using samples::tuner_test;

/// A decision as "trial iteration action reason".
using decided_line = std::string;

decided_line line_of(trial_id trial, std::uint64_t iteration, const std::string& action,
                     const object& reason) {
  return to_text(trial) + ' ' + std::to_string(iteration) + ' ' + action + ' ' + to_json(reason);
}

TEST_F(tuner_test, ask_tell_decides_as_a_run_does) {
  trainable_registry all;
  all.add_function("curve", [](session& with) {
    trial_id id{static_cast<std::uint64_t>(samples::number(with.config(), "x"))};
    for (std::uint64_t i = 1; i <= iterations; ++i) {
      if (!with.report({{"loss", loss_of(id, i)}}))
        return;
    }
  });
  auto how = run_options{}
                 .storage(root)
                 .name("run")
                 .minimise("loss")
                 .trainable("curve")
                 .isolation(isolation_kind::thread)
                 .max_concurrent_trials(1)
                 .parameter("x", "grid(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)")
                 .scheduler("asha", {{"grace_period", "2"}, {"max_t", "9"}});
  auto grid = tuner{all}.run(how);
  ASSERT_TRUE(grid) << to_text(grid.error());
  std::vector<decided_line> expected;
  auto reader = store_reader::open(root / "run");
  ASSERT_TRUE(reader);
  for (std::uint64_t i = 0; i < 16; ++i) {
    auto rows = reader->decisions({i});
    ASSERT_TRUE(rows);
    for (const auto& x : *rows)
      expected.push_back(line_of(x.trial, x.iteration, x.action, x.reason));
  }

  recipe same;
  same.trials = 16;
  same.settings.max_concurrent = 1;
  same.judge = [] { return recipe::builtin("asha", {{"grace_period", "2"}, {"max_t", "9"}}); };
  talk uut{same};
  for (auto given = uut.tell({{"op", "ask"}}); given.find("trial") != nullptr;
       given = uut.tell({{"op", "ask"}})) {
    trial_id id{std::stoull(*given.find("trial")->as_string())};
    auto goes_on = true;
    for (std::uint64_t i = 1; i <= iterations && goes_on; ++i) {
      auto said = uut.tell({{"op", "report"},
                            {"trial", to_text(id)},
                            {"metrics", object{{"loss", loss_of(id, i)}}}});
      goes_on = to_text(*said.find("decision")) == "continue";
    }
    if (goes_on)
      uut.tell({{"op", "complete"}, {"trial", to_text(id)}});
  }

  std::vector<decided_line> got;
  for (const auto& x : uut.world.rows<cmd::decision_taken>())
    got.push_back(line_of(x.trial, x.iteration, x.action, x.reason));
  EXPECT_GT(expected.size(), 16u);
  EXPECT_EQ(got, expected);
}

} // namespace
} // namespace tune

/// Rules that every scheduler of the catalogue must obey: with its defaults, and in every form that
/// is active within the few trials of a test.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/scheduler.hpp"

#include "support/campaign.hpp"
#include "support/scheduler_feed.hpp"
#include "support/scheduler_world.hpp"

#include "tune/core/space/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace tune {

// Used by GoogleTest in messages.
namespace support {
static void PrintTo(const judge& x, std::ostream* out) {
  *out << x.name;
}
} // namespace support

namespace {

using support::digest;
using support::judge;
using support::scheduler_feed;
using support::scheduler_world;
using support::text_of;
using support::world_settings;
using testing::IsEmpty;

/// The options that have no usable defaults.
std::map<std::string, std::string> least_options(const std::string& name) {
  if (name == "pbt_replay")
    return {{"policy", R"([1, 2, 3, 4, {"x": 0.5}, {"x": 0.25}])"}};
  return {};
}

/// Every entry with its defaults, and the forms of the simulator's campaigns.
std::vector<judge> all_forms() {
  std::vector<judge> result;
  const auto shipped = builtin_schedulers();
  for (const auto& x : shipped.entries())
    result.push_back({x.name + "_by_default", x.name, least_options(x.name)});
  for (const auto& x : support::judges()) {
    // Where checkpoints come from makes no difference to a scheduler.
    if (!x.type.empty() && !x.by_reports)
      result.push_back(x);
  }
  return result;
}

class every_scheduler : public testing::TestWithParam<judge> {
protected:
  static const scheduler_catalogue::entry& entry() {
    static const auto all = builtin_schedulers();
    return *all.find(GetParam().type);
  }

  static std::unique_ptr<scheduler> make(bool maximise = true) {
    scheduler_context context;
    context.seed = 7;
    context.objectives = GetParam().objectives;
    context.maximise = maximise;
    context.space
        = std::make_shared<const search_space>(*search_space::parse({{"x", "uniform(0, 100)"}}));
    auto options = options::parse(entry().known, GetParam().options);
    EXPECT_TRUE(options);
    auto result = entry().make(*options, context);
    EXPECT_TRUE(result);
    return std::move(*result);
  }

  /// A world with the number of objectives that this form needs.
  static world_settings world(unsigned seed = 1) {
    world_settings result;
    result.seed = seed;
    result.objectives = GetParam().objectives;
    // PB2 fits a model for each exploit, which is slow.
    if (GetParam().name.find("pb2") != std::string::npos) {
      result.trials = 8;
      result.iterations = 12;
    }
    return result;
  }

  /// Plays a world, then replays its record into a fresh instance and compares the two.
  static void play_and_replay(const world_settings& settings) {
    SCOPED_TRACE("seed " + std::to_string(settings.seed));
    auto uut = make();
    scheduler_world world{*uut, settings};
    world.run();
    EXPECT_THAT(world.faults(), IsEmpty());
    EXPECT_EQ(world.left(), 0u);
    expect_same_when_replayed(world);
  }

  /// A scheduler's answers and states in one world.
  struct played {
    std::vector<std::string> answers;
    std::vector<std::string> moves;
    std::vector<std::uint64_t> digests;
  };
  static played play(const world_settings& settings, bool maximise = true) {
    auto uut = make(maximise);
    scheduler_world world{*uut, settings};
    world.run();
    played result;
    for (const auto& x : world.exchanges()) {
      result.answers.push_back(x.answer);
      result.moves.push_back(x.moves);
    }
    result.digests = world.digests();
    return result;
  }

  static void expect_same_when_replayed(const scheduler_world& world) {
    auto again = make();
    auto next = world.exchanges().begin();
    for (std::size_t i = 0; i <= world.facts().size(); ++i) {
      for (; next != world.exchanges().end() && next->after == i; ++next)
        ASSERT_EQ(support::ask_again(*again, *next), next->answer) << "after " << i << " facts";
      if (i == world.facts().size())
        break;
      again->apply(world.facts()[i]);
      ASSERT_EQ(digest(*again), world.digests()[i]) << "after fact " << i;
    }
    EXPECT_EQ(next, world.exchanges().end());
  }
};

TEST_P(every_scheduler, introduces_itself) {
  EXPECT_FALSE(entry().name.empty());
  EXPECT_FALSE(entry().summary.empty());
  for (const auto& x : entry().known)
    EXPECT_FALSE(x.meaning.empty()) << x.name;
  auto traits = make()->traits();
  EXPECT_GE(traits.choose_ahead, 1u);
  EXPECT_FALSE(traits.time_attr.empty());
}

TEST_P(every_scheduler, has_nothing_to_say_without_trials) {
  auto uut = make();

  EXPECT_THAT(uut->choose(1, 10).start, IsEmpty());
  EXPECT_THAT(uut->on_stall(1).actions, IsEmpty());
}

TEST_P(every_scheduler, brings_a_single_trial_to_its_end) {
  auto settings = world();
  settings.trials = 1;

  play_and_replay(settings);
}

TEST_P(every_scheduler, brings_many_trials_to_their_ends) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    auto settings = world(seed);
    play_and_replay(settings);
  }
}

TEST_P(every_scheduler, can_be_asked_late) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    auto settings = world(seed);
    settings.slots = 8;
    settings.late = 20;
    play_and_replay(settings);
  }
}

TEST_P(every_scheduler, survives_odd_scores) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    auto settings = world(seed);
    settings.odd = 30;
    settings.late = 5;
    play_and_replay(settings);
  }
}

TEST_P(every_scheduler, survives_failures_with_and_without_retry) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    auto settings = world(seed);
    settings.retried = 5;
    settings.fatal = 2;
    settings.late = 5;
    play_and_replay(settings);
  }
}

TEST_P(every_scheduler, survives_trials_of_which_nothing_but_odd_scores_comes) {
  auto settings = world();
  settings.odd = 100;

  play_and_replay(settings);
}

TEST_P(every_scheduler, does_the_same_in_the_same_world) {
  auto settings = world();
  settings.late = 10;
  settings.odd = 5;
  settings.retried = 2;

  auto first = play(settings);
  auto second = play(settings);

  EXPECT_EQ(first.digests, second.digests);
  EXPECT_EQ(first.answers, second.answers);
}

TEST_P(every_scheduler, does_the_same_whether_least_or_most_is_best) {
  // Scores are normalised so that larger is better; the direction is only for display.
  auto settings = world();
  settings.late = 5;

  EXPECT_EQ(play(settings, true).moves, play(settings, false).moves);
}

TEST_P(every_scheduler, hears_of_trials_that_train_on_after_its_word) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    auto settings = world(seed);
    settings.futile = 40;
    settings.late = 5;
    play_and_replay(settings);
  }
}

TEST_P(every_scheduler, survives_the_loss_of_nodes) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    auto settings = world(seed);
    settings.lost = 5;
    settings.late = 5;
    settings.futile = 10;
    play_and_replay(settings);
  }
}

TEST_P(every_scheduler, changes_nothing_by_answering) {
  auto uut = make();
  scheduler_feed tell{*uut};
  tell.add(0);
  tell.add(1);
  tell.choose(1);
  tell.tell(fact::started{{0}});
  auto cause = tell.result(0, 1, 0.5);
  auto before = digest(*uut);

  auto verdict = text_of(uut->judge(cause, {0}));
  auto chosen = uut->choose(cause, 5);

  EXPECT_EQ(text_of(uut->judge(cause, {0})), verdict);
  EXPECT_EQ(uut->choose(cause, 5), chosen);
  EXPECT_EQ(digest(*uut), before);
}

TEST_P(every_scheduler, shows_its_queue_in_its_fingerprint) {
  auto uut = make();
  scheduler_feed tell{*uut};
  auto empty = digest(*uut);
  tell.add(0);
  auto with_a_trial = digest(*uut);
  auto chosen = tell.choose(1);

  EXPECT_NE(with_a_trial, empty);
  if (!chosen.empty()) {
    EXPECT_NE(digest(*uut), with_a_trial);
  }
}

TEST_P(every_scheduler, answers_about_trials_and_results_it_does_not_know) {
  auto uut = make();
  scheduler_feed tell{*uut};
  tell.add(0);
  tell.choose(1);
  tell.tell(fact::started{{0}});
  auto cause = tell.result(0, 1, 0.5);
  tell.end(0, fact::end_kind::errored);

  EXPECT_EQ(uut->judge(cause, {0}).cause, cause);
  EXPECT_EQ(uut->judge(cause + 5, {17}).cause, cause + 5);
}

INSTANTIATE_TEST_SUITE_P(schedulers, every_scheduler, testing::ValuesIn(all_forms()),
                         [](const auto& x) { return x.param.name; });

TEST(builtin_schedulers, have_different_names) {
  auto names = builtin_schedulers().names();
  std::sort(names.begin(), names.end());

  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

} // namespace
} // namespace tune

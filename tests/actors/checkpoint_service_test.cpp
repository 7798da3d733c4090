// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/checkpoint_service.hpp"

#include "support/real_system.hpp"

#include "tune/actors/slow_rounds.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"

#include <gmock/gmock.h>

#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace tune {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

// -- Turns.

/// A sliced task that never ends by itself.
sliced<int> endless() {
  for (;;) {
    const auto until = std::chrono::steady_clock::now() + slice_time;
    while (std::chrono::steady_clock::now() < until) {}
    co_await next_slice{};
  }
  co_return 0;
}

sliced<int> at_once(int result) {
  co_return result;
}

struct slow_rounds_test : testing::Test {
  slow_rounds uut;
  std::vector<int> done;
  std::vector<std::string> lost;

  void add(std::uint64_t attempt, sliced<int> work) {
    uut.add<int>(
        {"job", 1, attempt, 0}, std::move(work), [this](int x) { done.push_back(x); },
        [this](const std::string& why) {
          lost.push_back(why);
          return -1;
        });
  }
};

TEST_F(slow_rounds_test, let_nobody_wait_for_all_of_anothers_work) {
  add(1, endless());
  add(2, endless());
  add(3, at_once(3));
  add(4, at_once(4));

  for (auto i = 0; i < 4; ++i)
    uut.turn();

  EXPECT_THAT(done, ElementsAre(3, 4));
  EXPECT_FALSE(uut.is_idle());
}

TEST_F(slow_rounds_test, keep_the_order_of_each_attempt) {
  add(1, at_once(1));
  add(1, at_once(2));
  add(2, at_once(3));

  while (!uut.is_idle())
    uut.turn();

  EXPECT_THAT(done, ElementsAre(1, 3, 2));
}

TEST_F(slow_rounds_test, give_up_what_one_attempt_has_there) {
  add(1, endless());
  add(1, at_once(1));
  add(2, at_once(2));

  uut.give_up({"job", 1, 1, 0}, "not wanted");

  EXPECT_THAT(lost, ElementsAre("not wanted", "not wanted"));
  uut.turn();
  EXPECT_THAT(done, ElementsAre(-1, -1, 2));
  EXPECT_TRUE(uut.is_idle());
}

TEST_F(slow_rounds_test, give_up_all_ranks_of_an_attempt) {
  add(1, endless());
  add(2, at_once(2));
  uut.add<int>(
      {"job", 1, 1, 3}, endless(), [this](int x) { done.push_back(x); },
      [this](const std::string& why) {
        lost.push_back(why);
        return -1;
      });

  uut.give_up_attempt({"job", 1, 1, 0}, "not wanted");

  EXPECT_THAT(lost, ElementsAre("not wanted", "not wanted"));
  uut.turn();
  EXPECT_THAT(done, ElementsAre(-1, -1, 2));
  EXPECT_TRUE(uut.is_idle());
}

TEST_F(slow_rounds_test, give_up_jobs_and_all) {
  add(1, endless());
  uut.give_up_job("another", "over");
  EXPECT_FALSE(uut.is_idle());
  uut.give_up_job("job", "over");
  EXPECT_TRUE(uut.is_idle());
  add(1, endless());
  uut.give_up_all("over");
  EXPECT_TRUE(uut.is_idle());
  EXPECT_EQ(lost.size(), 2u);
}

TEST_F(slow_rounds_test, take_in_what_comes_while_they_answer) {
  uut.add<int>(
      {"job", 1, 1, 0}, at_once(1), [this](int) { add(1, at_once(2)); },
      [](const std::string&) { return 0; });

  uut.turn();
  uut.turn();

  EXPECT_THAT(done, ElementsAre(2));
  EXPECT_TRUE(uut.is_idle());
}

// -- The checkpoint service.

struct asker_state {
  static inline const char* name = "test.asker";
};

template <class Answer, class Question>
caf::behavior ask(caf::stateful_actor<asker_state>* self, checkpoint_service_actor whom,
                  Question what, std::shared_ptr<support::told<Answer>> heard) {
  request(self, whom, caf::infinite, std::move(what))
      .then([heard](const Answer& x) { heard->add(x); },
            [](const caf::error&) { ADD_FAILURE() << "the checkpoint service did not answer"; });
  return {[](tick_atom) {}};
}

struct checkpoint_service_test : support::real_system {
  fs::path root;
  checkpoint_service_actor uut;

  void SetUp() override {
    auto name = (fs::temp_directory_path() / "tune_checkpoint_service_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root = name;
    uut = keep(spawn_checkpoint_service(*system));
  }
  void TearDown() override {
    go();
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }

  /// Lets go of the service, whose thread ends only when no handle is left, and ends the system.
  void go() {
    if (uut)
      send_from_outside(std::exchange(uut, checkpoint_service_actor{}), leave_atom_v);
    end_system();
  }

  static attempt_claim claim(std::uint64_t attempt) {
    attempt_claim result;
    result.job = "job";
    result.attempt = attempt_id{1, attempt};
    return result;
  }
  /// A draft as an attempt would have written it.
  keep_draft draft(std::uint64_t attempt, std::uint64_t number) const {
    auto where = root / checkpoint_folder(trial_id{attempt}, attempt_id{1, attempt})
                 / (checkpoint_name(number) + draft_suffix);
    fs::create_directories(where);
    std::ofstream{where / "state"} << "12345";
    return {claim(attempt), {root, where, 4}};
  }
  /// A draft that takes minutes to hash.
  keep_draft huge(std::uint64_t attempt) const {
    auto result = draft(attempt, 1);
    fs::resize_file(result.what.directory / "state", std::uintmax_t{1} << 40);
    return result;
  }
  template <class Answer, class Question>
  std::shared_ptr<support::told<Answer>> wanted(Question what) {
    auto result = std::make_shared<support::told<Answer>>();
    keep(caf::actor_cast<caf::actor>(
        system->spawn(ask<Answer, Question>, uut, std::move(what), result)));
    return result;
  }
};

TEST_F(checkpoint_service_test, lets_nobody_wait_for_a_huge_checkpoint) {
  auto held = wanted<draft_kept>(huge(1));
  fs::create_directories(root / "from");
  const attempt_directory to{"trials/00000/attempt_1_3/checkpoint_000001.tmp", root};

  auto kept = wanted<draft_kept>(draft(2, 1));
  auto copied = wanted<draft_copied>(copy_draft{claim(3), root / "from", to});
  auto ready = wanted<attempt_prepared>(prepare_attempt{claim(4), root});

  ASSERT_TRUE(kept->wait_for(1));
  EXPECT_EQ(kept->all()[0].why, "");
  ASSERT_TRUE(copied->wait_for(1));
  EXPECT_EQ(copied->all()[0].why, "");
  ASSERT_TRUE(ready->wait_for(1));
  EXPECT_EQ(held->size(), 0u);
}

TEST_F(checkpoint_service_test, gives_up_what_a_lost_attempt_has_on_its_way) {
  auto what = huge(1);
  auto held = wanted<draft_kept>(what);
  auto waits = wanted<draft_kept>(draft(1, 2));
  auto other = wanted<draft_kept>(draft(2, 1));
  ASSERT_TRUE(other->wait_for(1));

  send_from_outside(uut, saves_dropped{claim(1)});

  ASSERT_TRUE(held->wait_for(1));
  ASSERT_TRUE(waits->wait_for(1));
  EXPECT_EQ(held->all()[0].why, saves_dropped::why);
  EXPECT_FALSE(held->all()[0].is_too_much);
  // The answer may come before the abandoned files are removed; the next answer comes after.
  ASSERT_TRUE(wanted<draft_kept>(draft(2, 2))->wait_for(1));
  EXPECT_TRUE(fs::is_empty(what.what.directory.parent_path()));
}

TEST_F(checkpoint_service_test, keeps_nothing_any_more_when_its_node_leaves) {
  auto what = huge(1);
  auto held = wanted<draft_kept>(what);

  send_from_outside(uut, leave_atom_v);
  auto late = draft(2, 1);
  auto refused = wanted<draft_kept>(late);

  ASSERT_TRUE(held->wait_for(1));
  ASSERT_TRUE(refused->wait_for(1));
  EXPECT_EQ(refused->all()[0].why, "its node leaves");
  EXPECT_FALSE(fs::exists(what.what.directory));
  EXPECT_FALSE(fs::exists(late.what.directory));
}

TEST_F(checkpoint_service_test, leaves_nothing_half_done_when_it_goes) {
  auto what = huge(1);
  auto later = draft(1, 2);
  static_cast<void>(wanted<draft_kept>(what));
  static_cast<void>(wanted<draft_kept>(later));
  auto other = wanted<draft_kept>(draft(2, 1));
  ASSERT_TRUE(other->wait_for(1));

  go();

  EXPECT_TRUE(fs::is_empty(what.what.directory.parent_path()));
}

TEST_F(checkpoint_service_test, says_that_it_is_too_much) {
  auto what = huge(1);
  what.what.limits.max_bytes = 1000;

  auto kept = wanted<draft_kept>(what);

  ASSERT_TRUE(kept->wait_for(1));
  EXPECT_TRUE(kept->all()[0].is_too_much);
  EXPECT_FALSE(fs::exists(what.what.directory));
}

} // namespace
} // namespace tune

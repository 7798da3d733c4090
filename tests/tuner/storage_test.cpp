// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/storage.hpp"

#include "io/store_fixture.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"

#include <gmock/gmock.h>

#include <set>

namespace tune {
namespace {

namespace fs = std::filesystem;

/// A finished experiment of one trial: checkpoint 1 is good, 2 is doomed, 3 nobody registered; no
/// file of a trial was written yet.
class finish_up_test : public samples::store_fixture {
protected:
  void SetUp() override {
    store_fixture::SetUp();
    auto items = a_run(1, 3);
    const auto last = items.back().seq;
    items.push_back(at(last + 1, saved(1)));
    items.push_back(at(last + 2, saved(2)));
    items.push_back(at(last + 3, on::checkpoints_doomed{{{2}}}));
    auto store = fresh();
    ASSERT_TRUE(store.write(items).has_value());
    for (auto number : {1, 2, 3})
      fill(directory() / location(number) / "weights", "w");
  }

  static std::string location(std::uint64_t number) {
    return (checkpoint_folder({0}, {1, 1}) / ("checkpoint_00000" + std::to_string(number)))
        .string();
  }
  static on::saved saved(std::uint64_t number) {
    return {{0}, {1, 1}, {number}, number, {}, location(number), 1};
  }
  std::set<int> there() const {
    std::set<int> result;
    for (auto number : {1, 2, 3}) {
      if (fs::exists(directory() / location(number)))
        result.insert(number);
    }
    return result;
  }
  std::string results() const { return content(directory() / "trials" / "00000" / "result.jsonl"); }
};

TEST_F(finish_up_test, keeps_what_is_registered_and_not_doomed) {
  auto done = finish_up(directory(), {});

  ASSERT_TRUE(done.has_value()) << done.error().detail;
  EXPECT_EQ(there(), std::set<int>{1});
}

TEST_F(finish_up_test, completes_the_files_of_the_trials) {
  ASSERT_TRUE(finish_up(directory(), {}).has_value());
  auto whole = results();
  fill(directory() / "trials" / "00000" / "result.jsonl", whole.substr(0, whole.size() / 2));
  fs::remove(directory() / "trials" / ".trial_files");

  auto done = finish_up(directory(), {});

  ASSERT_TRUE(done.has_value()) << done.error().detail;
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 3);
  EXPECT_EQ(results(), whole);
}

TEST_F(finish_up_test, writes_no_files_of_trials_where_nobody_wants_any) {
  spec wanted;
  wanted.log.trial_files = false;

  auto done = finish_up(directory(), wanted);

  ASSERT_TRUE(done.has_value()) << done.error().detail;
  EXPECT_EQ(there(), std::set<int>{1});
  EXPECT_EQ(results(), "");
}

TEST_F(finish_up_test, leaves_all_to_a_head_that_holds_the_directory) {
  auto held = directory_lock::take(directory());
  ASSERT_TRUE(held.has_value());

  auto done = finish_up(directory(), {});

  EXPECT_TRUE(done.has_value());
  EXPECT_EQ(there(), (std::set<int>{1, 2, 3}));
  EXPECT_EQ(results(), "");
}

TEST_F(finish_up_test, tells_why_files_are_not_whole) {
  fill(directory() / "trials" / "00000" / "result.jsonl" / "in_the_way", "");

  auto done = finish_up(directory(), {});

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, ec::storage);
  EXPECT_THAT(done.error().detail, testing::HasSubstr("result.jsonl"));
}

} // namespace
} // namespace tune

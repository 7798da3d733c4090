// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/storage.hpp"

#include "io/store_fixture.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"

#include <gmock/gmock.h>

#include <set>

namespace tune {
namespace {

namespace fs = std::filesystem;

/// A finished experiment of one trial: checkpoint 1 is good, 2 is doomed, 3 was never registered;
/// no file of the trial has been written yet.
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

// fsck says of these files: "the next start mends it".
TEST_F(finish_up_test, writes_anew_what_was_cut_since) {
  ASSERT_TRUE(finish_up(directory(), {}).has_value());
  const auto whole = results();
  ASSERT_FALSE(whole.empty());
  for (const auto size : {std::size_t{0}, whole.size() / 2}) {
    fs::resize_file(directory() / "trials" / "00000" / "result.jsonl", size);

    ASSERT_TRUE(finish_up(directory(), {}).has_value());

    EXPECT_EQ(results(), whole);
  }
  fs::remove_all(directory() / "trials" / "00000");
  ASSERT_TRUE(finish_up(directory(), {}).has_value());
  EXPECT_EQ(results(), whole);
}

struct log_file_test : samples::store_fixture {
  expected<opened_storage> open(const std::string& log) const {
    spec wanted;
    wanted.log.file = log;
    return open_storage(directory(), wanted, std::nullopt);
  }
};

TEST_F(log_file_test, takes_the_place_of_nothing_that_is_the_records) {
  for (const std::string name :
       {"experiment.db", "experiment.db-wal", "experiment.db-shm", "experiment.db-journal",
        "experiment.db.new", "lock", "./lock", "trials", "trials/.trial_files",
        "trials/00000/result.jsonl", ".control/socket", "../digits/lock", "no/../lock"}) {
    auto opened = open(name);

    ASSERT_FALSE(opened) << name;
    EXPECT_EQ(opened.error().code, ec::bad_option);
    EXPECT_THAT(opened.error().detail,
                testing::StartsWith("[log] file = " + name + ": it would be written into "));
    EXPECT_FALSE(fs::exists(directory())) << "nothing is made before";
  }
}

TEST_F(log_file_test, is_none_of_the_records_files_by_another_name) {
  { auto store = fresh(); }
  fs::create_symlink(directory() / "lock", root / "link");
  fs::create_hard_link(database_file(directory()), root / "other");

  EXPECT_FALSE(open((root / "link").string()));
  EXPECT_FALSE(open((root / "other").string()));
  EXPECT_FALSE(open((directory() / "lock").string()));
}

TEST_F(log_file_test, may_lie_anywhere_else) {
  for (const std::string name : {"run.log", "logs/run.log", "trials.log", "../run.log", ""}) {
    fs::remove_all(root);
    fs::create_directories(root);
    auto opened = open(name);

    EXPECT_TRUE(opened) << name << ": " << opened.error().detail;
  }
}

} // namespace
} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "dying_node.hpp"

#include "tune/io/process/process_mark.hpp"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <vector>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Runs a program that sleeps, or another one, with the given marks in its environment.
class sleeper {
public:
  explicit sleeper(std::vector<std::string> marks, std::string name = "sleep") {
    std::string time = "1000";
    std::array<char*, 3> argv{name.data(), time.data(), nullptr};
    std::vector<char*> env;
    for (auto& x : marks)
      env.push_back(x.data());
    env.push_back(nullptr);
    EXPECT_EQ(::posix_spawnp(&pid_, argv[0], nullptr, nullptr, argv.data(), env.data()), 0);
    // The environment becomes visible a moment after the start.
    auto is_it = [&](const leftover& x) { return x.pid == pid_; };
    EXPECT_TRUE(support::eventually([&] {
      const auto all = find_leftovers([](std::string_view) { return true; });
      return std::any_of(all.begin(), all.end(), is_it);
    }));
  }
  ~sleeper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  sleeper(const sleeper&) = delete;
  sleeper& operator=(const sleeper&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }

private:
  pid_t pid_ = 0;
};

/// The mark of a process that has ended.
std::string mark_of_the_dead() {
  auto own = mark_of_this_process();
  return own.substr(0, own.rfind(':') + 1) + "1:0123456789abcdef";
}

struct leftovers_test : testing::Test {
  support::scratch_directory scratch;
  std::filesystem::path directory = scratch.path() / "experiment";

  void SetUp() override { std::filesystem::create_directory(directory); }

  [[nodiscard]] std::vector<std::string> marks(const std::string& guard) const {
    return {"TUNE_TRIAL_ATTEMPT=" + trial_tag(directory, "1.1"), "TUNE_TRIAL_GUARD=" + guard,
            "TUNE_TRIAL_PLACE=" + directory_mark(directory)};
  }
};

/// Kills a node and its guard so that neither can clean up after the other.
void kill_both(pid_t guard, pid_t child) {
  auto parent = parent_of(guard);
  ::kill(parent, SIGSTOP);
  ASSERT_TRUE(support::eventually([&] { return state_of(parent) == 'T'; }));
  ::kill(guard, SIGKILL);
  ::kill(parent, SIGKILL);
  ASSERT_TRUE(support::eventually([&] { return !is_alive(child) && !is_alive(guard); }));
}

TEST_F(leftovers_test, are_what_a_killed_node_and_guard_left_of_one_directory) {
  const auto beside = scratch.path() / "experiment#2";
  std::filesystem::create_directory(beside);
  dying_node node{trial_tag(directory, "1.1"), "daemon hang"};
  dying_node other{trial_tag(beside, "1.1"), "hang"};
  auto guard = node.read("guard");
  auto child = node.read("child");
  auto other_guard = other.read("guard");
  ASSERT_GT(guard, 0);
  ASSERT_GT(other.read("child"), 0);
  ASSERT_TRUE(support::eventually([&] { return support::count_tagged(node.tag) == 2; }));
  EXPECT_EQ(find_orphans_of(directory).size(), 0u) << "the guard lives";

  kill_both(guard, child);

  auto left = find_orphans_of(directory);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].tag, node.tag);
  EXPECT_EQ(end_leftovers(left, 0ms), 0u);
  ::kill(parent_of(other_guard), SIGKILL);
}

TEST_F(leftovers_test, are_found_under_another_path_of_their_directory) {
  const auto link = scratch.path() / "link";
  std::filesystem::create_directory_symlink(directory, link);
  sleeper left{marks(mark_of_the_dead())};

  auto found = find_orphans_of(link);

  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pid, left.pid());
  EXPECT_EQ(sweep_leftovers(link, 0ms), "");
  EXPECT_FALSE(is_alive(left.pid()));
}

TEST_F(leftovers_test, are_none_of_another_directory_at_the_same_path_elsewhere) {
  // As in a container with mounts of its own, where the path leads nowhere or to another directory.
  auto words = marks(mark_of_the_dead());
  words[0] = "TUNE_TRIAL_ATTEMPT=" + trial_tag(scratch.path() / "elsewhere", "1.1");
  words[2] = "TUNE_TRIAL_PLACE=1:1";
  sleeper other{words};

  auto found = look_for_leftovers(directory);

  EXPECT_TRUE(found.orphans.empty());
  EXPECT_TRUE(found.unclear.empty());
}

TEST_F(leftovers_test, are_left_alone_and_told_of_where_their_guard_is_out_of_sight) {
  auto own = process_name_from_text(mark_of_this_process());
  ASSERT_TRUE(own);
  own->space += 1; // A PID namespace that is not visible from here, such as the one around this
                   // one.
  const std::vector<std::string> guards{to_text(*own) + ":0123456789abcdef", "1:2", ""};
  for (const auto& guard : guards) {
    sleeper may_be{marks(guard)};

    auto told = sweep_leftovers(directory, 0ms);

    EXPECT_TRUE(is_alive(may_be.pid())) << guard;
    EXPECT_THAT(told, HasSubstr("process " + std::to_string(may_be.pid()))) << guard;
    EXPECT_THAT(told, HasSubstr(directory.string()));
  }
}

TEST_F(leftovers_test, are_left_to_a_guard_that_lives) {
  sleeper owned{marks(mark_of_this_process() + ":0123456789abcdef")};

  EXPECT_EQ(sweep_leftovers(directory, 0ms), "");

  EXPECT_TRUE(is_alive(owned.pid()));
}

TEST_F(leftovers_test, of_a_guard_are_those_that_bear_its_mark) {
  sleeper mine{marks("one")};
  sleeper other{marks("two")};

  auto found = find_supervised_processes_of("one", {trial_tag(directory, "1.1")});

  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pid, mine.pid());
}

TEST_F(leftovers_test, are_named_for_people_with_those_of_directories_below) {
  const auto below = directory / "job" / "work";
  sleeper own{marks(mark_of_the_dead())};
  auto words = marks(mark_of_the_dead());
  words[0] = "TUNE_TRIAL_ATTEMPT=" + trial_tag(below, "7.2");
  sleeper lower{words};
  words[0] = "TUNE_TRIAL_ATTEMPT=" + trial_tag(directory.string() + "-2", "1.1");
  sleeper beside{words};

  const auto text = text_of_processes_below(directory);

  EXPECT_THAT(text, testing::HasSubstr(std::to_string(own.pid()) + " ("));
  EXPECT_THAT(text, testing::HasSubstr("attempt 1.1)"));
  EXPECT_THAT(text, testing::HasSubstr("attempt 7.2)"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr(std::to_string(beside.pid()) + " (")));
}

TEST_F(leftovers_test, are_found_while_they_execute_another_program) {
  // A program that executes itself again and again: most of the time its environment cannot be
  // read.
  const auto script = scratch.path() / "again";
  std::ofstream{script} << "#!/bin/sh\nexec \"$0\"\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  sleeper restless{marks(mark_of_the_dead()), script};
  auto missed = 0;

  for (auto i = 0; i < 100; ++i)
    missed += find_orphans_of(directory).size() == 1 ? 0 : 1;

  EXPECT_EQ(missed, 0);
}

TEST(end_leftovers, spares_a_later_process_of_the_same_number) {
  auto tag = support::unique_tag("spared");
  dying_node node{"spared", "hang", 0};
  auto guard = node.read("guard");
  ASSERT_GT(node.read("child"), 0);
  ASSERT_TRUE(support::eventually([&] { return support::count_tagged(node.tag) == 1; }));
  auto found = find_leftovers([&](std::string_view x) { return x == node.tag; });
  ASSERT_EQ(found.size(), 1u);

  auto other = found;
  --other[0].start;
  EXPECT_EQ(end_leftovers(other, 0ms), 0u);
  EXPECT_TRUE(is_alive(found[0].pid));

  EXPECT_EQ(end_leftovers(found, 0ms), 0u);
  EXPECT_FALSE(is_alive(found[0].pid));
  ::kill(parent_of(guard), SIGKILL);
}

TEST(end_leftovers, looks_on_where_it_found_nothing_once) {
  // No process has this number.
  constexpr pid_t nobody = 1 << 30;
  std::deque<bool> finds{true, false, true, false, false, true, false, false, false, true};

  auto left = end_leftovers(
      [&]() -> std::vector<leftover> {
        const auto any = finds.front();
        finds.pop_front();
        leftover one;
        one.pid = nobody;
        return any ? std::vector<leftover>{one} : std::vector<leftover>{};
      },
      0ms);

  EXPECT_EQ(left, 0u);
  EXPECT_EQ(finds.size(), 1u) << "three looks in a row found none";
}

TEST(end_leftovers, looks_again_for_those_that_were_started_meanwhile) {
  dying_node first{"first", "hang", 0};
  dying_node second{"second", "hang", 0};
  auto guard = first.read("guard");
  auto other_guard = second.read("guard");
  ASSERT_GT(first.read("child"), 0);
  ASSERT_GT(second.read("child"), 0);
  ASSERT_TRUE(support::eventually([&] { return support::count_tagged(first.tag) == 1; }));
  ASSERT_TRUE(support::eventually([&] { return support::count_tagged(second.tag) == 1; }));
  int looks = 0;
  auto find = [&] {
    ++looks;
    return find_leftovers(
        [&](std::string_view x) { return x == first.tag || (looks > 1 && x == second.tag); });
  };

  EXPECT_EQ(end_leftovers(find, 50ms), 0u);

  EXPECT_EQ(looks, 5) << "the last three found none";
  EXPECT_EQ(support::count_tagged(first.tag), 0u);
  EXPECT_EQ(support::count_tagged(second.tag), 0u);
  ::kill(parent_of(guard), SIGKILL);
  ::kill(parent_of(other_guard), SIGKILL);
}

} // namespace
} // namespace tune

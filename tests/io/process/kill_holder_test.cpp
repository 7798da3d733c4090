// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/kill_holder.hpp"

#include "support/processes.hpp"
#include "tune/io/process/process_mark.hpp"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// A stopped process, with the lock unless it is to have none.
class kill_holder_test : public testing::Test {
protected:
  support::scratch_directory place;
  std::filesystem::path lock = place.path() / "lock";
  pid_t child = -1;

  std::string begin(bool takes_lock = true) {
    const auto file = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    child = ::fork();
    if (child == 0) {
      // Its own open file: what is inherited is this process's lock, too.
      ::close(file);
      const auto own = ::open(lock.c_str(), O_RDWR | O_CLOEXEC);
      if (own < 0 || (takes_lock && ::flock(own, LOCK_EX | LOCK_NB) != 0))
        ::_exit(1);
      ::raise(SIGSTOP);
      ::_exit(0);
    }
    ::close(file);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, WUNTRACED), child);
    EXPECT_TRUE(WIFSTOPPED(status));
    const auto name = name_of_process(child);
    return name ? to_text(*name) : std::string{};
  }
  ~kill_holder_test() override {
    if (child > 0) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }
  /// @returns the signal that ended it; 0: none has.
  int ended_by() {
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) != child)
      return 0;
    child = -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  expected<void> kill(const std::string& mark) { return kill_holder(mark, lock, 10s); }
};

TEST_F(kill_holder_test, ends_a_stopped_process_and_its_lock) {
  const auto mark = begin();

  const auto done = kill(mark);

  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_EQ(ended_by(), SIGKILL);
  const auto file = ::open(lock.c_str(), O_RDWR | O_CLOEXEC);
  EXPECT_EQ(::flock(file, LOCK_EX | LOCK_NB), 0);
  ::close(file);
  // It has ended, so there is nothing left to do.
  EXPECT_TRUE(kill(mark));
}

TEST_F(kill_holder_test, spares_a_process_that_came_to_the_number_later) {
  const auto mark = begin();
  // The start time is the last of the mark.
  const auto earlier = mark.substr(0, mark.rfind(':') + 1) + "1";

  // The one that it names is gone.
  EXPECT_TRUE(kill(earlier));

  EXPECT_EQ(ended_by(), 0);
}

TEST_F(kill_holder_test, spares_a_process_that_does_not_hold_the_lock) {
  const auto mark = begin(false);

  const auto done = kill(mark);

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ec::refused);
  EXPECT_THAT(done.error().detail, HasSubstr("not seen to hold " + lock.string()));
  EXPECT_EQ(ended_by(), 0);
}

TEST_F(kill_holder_test, spares_a_process_that_holds_a_lock_which_was_replaced) {
  const auto mark = begin();
  std::filesystem::rename(lock, place.path() / "old");
  ::close(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));

  EXPECT_FALSE(kill(mark));

  EXPECT_EQ(ended_by(), 0);
}

TEST_F(kill_holder_test, reaches_nobody_elsewhere) {
  const auto mark = begin();

  for (const auto& other : {std::string{}, std::string{"nonsense"}, "x" + mark, mark + "x"}) {
    const auto done = kill(other);
    ASSERT_FALSE(done) << other;
    EXPECT_EQ(done.error().code, ec::refused) << other;
  }

  EXPECT_EQ(ended_by(), 0);
}

TEST_F(kill_holder_test, spares_this_process) {
  const auto file = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(file, LOCK_EX | LOCK_NB), 0);

  EXPECT_FALSE(kill(mark_of_this_process()));

  ::close(file);
}

} // namespace
} // namespace tune

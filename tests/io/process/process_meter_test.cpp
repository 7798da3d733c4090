// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/process_meter.hpp"

#include "process_fixture.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <functional>
#include <vector>

namespace tune {
namespace {

using namespace std::chrono_literals;

/// Uses the processor for this long.
void burn(double seconds) {
  const auto start = std::clock();
  volatile double x = 1;
  while (static_cast<double>(std::clock() - start) < seconds * CLOCKS_PER_SEC)
    x = x * 1.0000001;
}

/// A child that does something, says so, and waits to be killed.
class child {
public:
  explicit child(const std::function<void()>& work) {
    int ends[2] = {};
    EXPECT_EQ(::pipe(ends), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      work();
      const auto told = ::write(ends[1], "x", 1);
      ::pause();
      ::_exit(told == 1 ? 0 : 1);
    }
    char told = 0;
    EXPECT_EQ(::read(ends[0], &told, 1), 1);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

private:
  pid_t pid_ = 0;
};

TEST(process_meter, tells_the_time_of_a_process_and_of_children_that_it_waited_for) {
  child who{[] {
    burn(0.2);
    if (const auto inner = ::fork(); inner == 0) {
      burn(0.2);
      ::_exit(0);
    } else {
      ::waitpid(inner, nullptr, 0);
    }
  }};

  const auto told = costs_of_processes(who.pid());

  ASSERT_TRUE(told.of(cost_kind::cpu_s));
  EXPECT_GE(*told.of(cost_kind::cpu_s), 0.35);
  EXPECT_LT(*told.of(cost_kind::cpu_s), 0.7);
  EXPECT_FALSE(told.of(cost_kind::gpu_s));
}

TEST(process_meter, counts_children_that_live) {
  pid_t inner = 0;
  child who{[&inner] {
    int ends[2] = {};
    if (::pipe(ends) != 0)
      ::_exit(1);
    inner = ::fork();
    if (inner == 0) {
      // It goes with its parent.
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      burn(0.3);
      static_cast<void>(::write(ends[1], "x", 1) == 1);
      ::pause();
    }
    char told = 0;
    static_cast<void>(::read(ends[0], &told, 1) == 1);
  }};

  const auto told = costs_of_processes(who.pid());

  EXPECT_GE(told.of(cost_kind::cpu_s).value_or(0), 0.3);
}

TEST(process_meter, tells_the_most_memory_that_was_held) {
  constexpr std::size_t much = 64 * 1024 * 1024;
  child who{[] {
    std::vector<char> held(much, 1);
    volatile char sink = held[much / 2];
    static_cast<void>(sink);
  }};

  const auto peak = costs_of_processes(who.pid()).of(cost_kind::peak_rss_bytes);

  EXPECT_GE(peak.value_or(0), much);
}

TEST(process_meter, knows_nothing_of_a_process_that_is_gone) {
  EXPECT_TRUE(costs_of_processes(0).empty());
  EXPECT_FALSE(costs_of_processes(2'000'000'000).of(cost_kind::cpu_s));
}

TEST(process_meter, measures_again_only_after_a_while) {
  child who{[] {}};
  process_meter uut;
  uut.begin(who.pid(), false);
  const auto first = uut.read(instant{0});

  EXPECT_EQ(uut.read(instant{process_meter::least_pause} - 1ns), first);
  EXPECT_TRUE(uut.read(instant{1h}).of(cost_kind::cpu_s));
}

TEST(process_meter, leaves_out_what_a_process_used_for_others) {
  child who{[] { burn(0.3); }};
  process_meter uut;

  uut.begin(who.pid(), true);

  EXPECT_LT(uut.read_now().of(cost_kind::cpu_s).value_or(1), 0.1);
  // The whole life of the process, as the kernel tells it at the end.
  const auto& told = uut.end(process_usage{1'300'000, 1 << 30, 0, 0});
  EXPECT_NEAR(told.of(cost_kind::cpu_s).value_or(0), 1.0, 0.1);
  EXPECT_LT(told.of(cost_kind::peak_rss_bytes).value_or(0), 1 << 30);
}

struct process_usage_test : process_fixture {};

TEST_F(process_usage_test, comes_with_the_end) {
  process_order what;
  what.argv = {"/bin/sh", "-c",
               "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done;"
               " head -c 128000000 /dev/zero | tail >tail"};
  what.env = environment_with({});
  what.directory = scratch.path();
  what.tag = tag;

  const auto how = run(what);

  ASSERT_TRUE(how.usage);
  EXPECT_GT(how.usage->cpu_us, 10'000);
  EXPECT_GT(how.usage->peak_rss, 120'000'000);
}

TEST_F(process_usage_test, knows_only_a_bound_of_the_peak_of_a_small_process) {
  process_order what;
  what.argv = {"/bin/true"};
  what.env = environment_with({});
  what.directory = scratch.path();
  what.tag = tag;

  const auto how = run(what);

  ASSERT_TRUE(how.usage);
  EXPECT_EQ(how.usage->peak_rss, 0);
  EXPECT_GT(how.usage->peak_bound, 0);
}

TEST_F(process_usage_test, counts_children_that_nobody_waited_for) {
  process_order what;
  // The inner shell works on after its parent is gone, and is ended with the attempt.
  what.argv = {"/bin/sh", "-c",
               "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo x > done; sleep 9'"
               " & while [ ! -e done ]; do sleep 0.01; done"};
  what.env = environment_with({});
  what.directory = scratch.path();
  what.tag = tag;

  const auto how = run(what);

  ASSERT_TRUE(how.usage);
  EXPECT_GT(how.usage->cpu_us, 10'000);
}

TEST_F(process_usage_test, is_not_told_of_what_never_ran) {
  process_order what;
  what.argv = {"/nonexistent"};
  what.env = environment_with({});
  what.directory = scratch.path();
  what.tag = tag;

  EXPECT_FALSE(run(what).usage);
}

} // namespace
} // namespace tune

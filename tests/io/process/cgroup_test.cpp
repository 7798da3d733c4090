// SPDX-License-Identifier: BSD-3-Clause
#include "process/cgroup.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

namespace tune {
namespace {

namespace fs = std::filesystem;

/// The directory of this process's group: that of version 1's memory controller, else version 2's.
fs::path own_directory() {
  std::ifstream groups{"/proc/self/cgroup"};
  fs::path result;
  for (std::string line; std::getline(groups, line);) {
    if (auto at = line.find(":memory:"); at != line.npos)
      return fs::path{"/sys/fs/cgroup/memory" + line.substr(at + 8)};
    if (line.starts_with("0::"))
      result = "/sys/fs/cgroup" + line.substr(3);
  }
  return result;
}

/// Joins the group, makes two below it and moves into the inner one; tells where its group is.
[[noreturn]] void live_further_below(int members, int tell) {
  if (::write(members, "0", 1) != 1)
    ::_exit(1);
  const auto group = own_directory();
  fs::create_directories(group / "sub" / "deeper");
  std::ofstream{group / "sub" / "deeper" / "cgroup.procs"} << ::getpid() << std::flush;
  const auto text = group.string();
  if (::write(tell, text.data(), text.size()) < 0)
    ::_exit(1);
  while (true)
    ::pause();
}

TEST(cgroup, takes_groups_below_it_along) {
  auto uut = cgroup::make(cgroup::own_name("inner"), std::uint64_t{1} << 30U);
  if (!uut)
    GTEST_SKIP() << "no control group that limits memory can be made here";
  std::array<int, 2> told{};
  ASSERT_EQ(::pipe(told.data()), 0);
  const auto child = ::fork();
  if (child == 0)
    live_further_below(uut->members_fd(), told[1]);
  std::array<char, 4096> text{};
  const auto size = ::read(told[0], text.data(), text.size());
  ASSERT_GT(size, 0);
  const fs::path group{std::string{text.data(), static_cast<std::size_t>(size)}};
  ASSERT_TRUE(fs::exists(group / "sub" / "deeper"));

  EXPECT_TRUE(uut->kill_members());
  int how = 0;
  ASSERT_EQ(::waitpid(child, &how, 0), child);
  EXPECT_TRUE(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
  uut.reset();

  EXPECT_FALSE(fs::exists(group));
  ::close(told[0]);
  ::close(told[1]);
}

} // namespace
} // namespace tune

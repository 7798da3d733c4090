// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/process_mark.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace tune {
namespace {

TEST(process_mark, says_of_a_process_that_it_is_gone_once_it_has_ended) {
  std::array<int, 2> there{};
  std::array<int, 2> go{};
  ASSERT_EQ(::pipe(there.data()) | ::pipe(go.data()), 0);
  auto child = ::fork();
  if (child == 0) {
    auto mark = mark_of_this_process();
    auto told = ::write(there[1], mark.data(), mark.size());
    char byte = 0;
    ::_exit(told > 0 && ::read(go[0], &byte, 1) == 1 ? 0 : 1);
  }
  std::string mark(200, '\0');
  auto count = ::read(there[0], mark.data(), mark.size());
  ASSERT_GT(count, 0);
  mark.resize(static_cast<std::size_t>(count));

  EXPECT_FALSE(is_known_gone(mark));
  ASSERT_EQ(::write(go[1], "x", 1), 1);
  siginfo_t how{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT), 0);

  EXPECT_TRUE(is_known_gone(mark)); // a zombie
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(is_known_gone(mark));
  for (auto x : {there[0], there[1], go[0], go[1]})
    ::close(x);
}

TEST(process_mark, says_nothing_of_processes_that_cannot_be_seen) {
  auto own = mark_of_this_process();
  ASSERT_FALSE(own.empty());

  EXPECT_FALSE(is_known_gone(own));
  EXPECT_FALSE(is_known_gone(""));
  EXPECT_FALSE(is_known_gone("another-boot:4026531836:1:1"));
  EXPECT_FALSE(is_known_gone(own + "x"));
  EXPECT_FALSE(is_known_gone(own.substr(0, own.rfind(':'))));
  EXPECT_FALSE(is_known_gone(own.substr(0, own.rfind(':') + 1)));
}

TEST(process_mark, tells_a_process_from_another_under_its_number) {
  auto own = mark_of_this_process();
  auto earlier = own.substr(0, own.rfind(':') + 1) + "1";

  EXPECT_TRUE(is_known_gone(earlier));
}

} // namespace
} // namespace tune

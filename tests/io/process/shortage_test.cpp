// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/shortage.hpp"

#include "support/processes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

namespace tune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(shortage, is_what_the_machine_may_have_again_in_a_moment) {
  for (auto reason : {EAGAIN, ENOMEM, EMFILE, ENFILE, ENOBUFS, ETOOMANYREFS})
    EXPECT_EQ(fault_of(reason), ec::shortage) << reason;
}

TEST(shortage, is_not_what_a_command_asks_for_in_vain) {
  for (auto reason : {ENOENT, EACCES, ENOEXEC, E2BIG, ENOTDIR, ELOOP, EPERM, EISDIR})
    EXPECT_EQ(fault_of(reason), ec::process) << reason;
}

TEST(shortage, is_not_a_disk_that_fails) {
  for (auto reason : {EIO, ENOSPC, EDQUOT, EROFS}) {
    EXPECT_EQ(fault_of(reason), ec::storage) << reason;
    EXPECT_FALSE(is_shortage(reason)) << reason;
  }
}

struct shortage_text : testing::Test {
  support::scratch_directory root;

  void put(const std::string& file, const std::string& text) {
    const auto path = root.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path} << text << '\n';
  }
  std::string text(int reason) { return text_of_shortage(reason, root.path()); }
  std::string path(const std::string& file) { return (root.path() / file).string(); }
};

TEST_F(shortage_text, names_the_group_of_version_1_that_has_all_processes_it_may_have) {
  put("proc/self/cgroup", "8:pids:/runs/one\n4:memory:/elsewhere\n0::/");
  put("sys/fs/cgroup/pids/runs/pids.max", "100");
  put("sys/fs/cgroup/pids/runs/pids.current", "100");
  put("sys/fs/cgroup/pids/runs/one/pids.max", "50");
  put("sys/fs/cgroup/pids/runs/one/pids.current", "7");

  EXPECT_THAT(text(EAGAIN),
              AllOf(HasSubstr("Resource temporarily unavailable"),
                    HasSubstr("pids.max of " + path("sys/fs/cgroup/pids/runs")
                              + " is reached (100 of 100); end other processes or raise it"),
                    Not(HasSubstr("7 of 50"))));
}

TEST_F(shortage_text, names_the_group_of_version_2_that_has_all_processes_it_may_have) {
  put("proc/self/cgroup", "0::/user/one");
  put("sys/fs/cgroup/user/pids.max", "max");
  put("sys/fs/cgroup/user/pids.current", "400");
  put("sys/fs/cgroup/user/one/pids.max", "33");
  put("sys/fs/cgroup/user/one/pids.current", "33");

  EXPECT_THAT(text(EAGAIN), AllOf(HasSubstr("pids.max of " + path("sys/fs/cgroup/user/one")
                                            + " is reached (33 of 33)"),
                                  Not(HasSubstr("400"))));
}

TEST_F(shortage_text, names_the_limit_of_the_kernel) {
  put("proc/loadavg", "0.50 0.40 0.30 2/32768 6789");
  put("proc/sys/kernel/pid_max", "32768");
  put("proc/sys/kernel/threads-max", "99999");

  EXPECT_THAT(text(EAGAIN), AllOf(HasSubstr("kernel.pid_max is reached (32768 of 32768)"),
                                  Not(HasSubstr("threads-max"))));
}

TEST_F(shortage_text, lists_all_limits_where_none_is_reached_any_more) {
  put("proc/self/cgroup", "8:pids:/one");
  put("sys/fs/cgroup/pids/one/pids.max", "50");
  put("sys/fs/cgroup/pids/one/pids.current", "49");
  put("proc/sys/kernel/pid_max", "32768");

  EXPECT_THAT(text(EAGAIN),
              AllOf(HasSubstr("one of "),
                    HasSubstr("pids.max of " + path("sys/fs/cgroup/pids/one") + " (49 of 50)"),
                    HasSubstr("kernel.pid_max (32768)")));
}

TEST_F(shortage_text, names_the_limit_of_descriptors) {
  EXPECT_THAT(text(EMFILE),
              AllOf(HasSubstr("Too many open files: RLIMIT_NOFILE = "), HasSubstr("ulimit -n")));
  EXPECT_THAT(text(ENFILE), HasSubstr("fs.file-max"));
}

TEST_F(shortage_text, is_the_systems_own_word_where_nothing_is_short) {
  EXPECT_EQ(text(ENOENT), "No such file or directory");
}

} // namespace
} // namespace tune

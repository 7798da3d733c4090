/// Mounts that only the test's own child process sees.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>

namespace tune::samples {

/// Exit code of a child in `in_own_mounts` if mounting is not allowed here.
constexpr int cannot_mount = 77;

/// Runs `what` in a child with mounts of its own, which vanish with it. A child that hangs is
/// killed after a minute.
/// @param what Returns the exit code; 0: all went well.
/// @returns the child's wait status.
inline int in_own_mounts(const std::function<int()>& what) {
  const auto child = ::fork();
  if (child == 0) {
    ::alarm(60);
    if (::unshare(CLONE_NEWNS) != 0
        || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      ::_exit(cannot_mount);
    try {
      ::_exit(what());
    } catch (const std::exception& why) {
      std::fprintf(stderr, "%s\n", why.what());
      ::_exit(1);
    }
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

inline bool may_not_mount(int status) {
  return WIFEXITED(status) && WEXITSTATUS(status) == cannot_mount;
}

inline bool bind(const std::filesystem::path& what, const std::filesystem::path& where) {
  return ::mount(what.c_str(), where.c_str(), nullptr, MS_BIND, nullptr) == 0;
}

/// Mounts a file system that never answers over a directory or a file. It lasts as long as this
/// process.
inline bool mount_dead(const std::filesystem::path& where) {
  const int opened = ::open("/dev/fuse", O_RDWR | O_CLOEXEC);
  const auto* mode = std::filesystem::is_directory(where) ? "40000" : "100000";
  const auto how = "fd=" + std::to_string(opened) + ",rootmode=" + mode + ",user_id=0,group_id=0";
  return opened >= 0 && ::mount("dead", where.c_str(), "fuse", 0, how.c_str()) == 0;
}

} // namespace tune::samples

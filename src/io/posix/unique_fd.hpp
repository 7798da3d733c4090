/// A file descriptor with an owner.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <utility>

namespace tune {

/// Closes its descriptor in the destructor. -1 stands for none.
class unique_fd {
public:
  unique_fd() = default;
  explicit unique_fd(int fd) : fd_{fd} {}
  unique_fd(unique_fd&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  unique_fd& operator=(unique_fd&& other) noexcept {
    reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~unique_fd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  /// Gives up ownership: the caller must close it.
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }

  void reset(int fd = -1) {
    if (fd_ >= 0)
      ::close(fd_);
    fd_ = fd;
  }

private:
  int fd_ = -1;
};

} // namespace tune

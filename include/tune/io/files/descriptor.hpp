/// Owns an open file or directory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

namespace tune::store {

/// A file descriptor that is closed by the destructor; not inherited over exec.
class descriptor {
public:
  explicit descriptor(int number) : number_{number} {}
  descriptor(descriptor&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor();

  [[nodiscard]] int number() const { return number_; }
  /// Passes the number to another owner.
  [[nodiscard]] int release() && { return std::exchange(number_, -1); }

private:
  int number_;
};

} // namespace tune::store

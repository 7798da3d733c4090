// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/notice_signal.hpp"

#include <atomic>

namespace tune {

namespace {

std::atomic<int> number_of_notice = 0;

} // namespace

void set_notice_signal(int number) {
  number_of_notice = number;
}

int notice_signal() {
  return number_of_notice;
}

} // namespace tune

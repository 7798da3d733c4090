// SPDX-License-Identifier: BSD-3-Clause
#include "term_watch.hpp"

#include <sys/eventfd.h>

#include <cerrno>

namespace tune {

namespace {

/// Stays open for the life of the process: a handler may still run while its watch is destroyed.
int noted() {
  static const auto fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return fd;
}

volatile sig_atomic_t noted_fd = -1;

void note(int) {
  auto kept = errno;
  ::eventfd_write(noted_fd, 1);
  errno = kept;
}

} // namespace

term_watch::term_watch() {
  noted_fd = noted();
  struct sigaction ours {};
  ours.sa_handler = note;
  ::sigemptyset(&ours.sa_mask);
  ::sigaction(SIGTERM, &ours, &before_);
}

term_watch::~term_watch() {
  ::sigaction(SIGTERM, &before_, nullptr);
  if (came())
    ::raise(SIGTERM);
}

int term_watch::fd() const {
  return noted();
}

bool term_watch::came() {
  eventfd_t count = 0;
  return ::eventfd_read(noted(), &count) == 0 && count > 0;
}

} // namespace tune

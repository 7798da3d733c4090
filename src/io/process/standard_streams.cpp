// SPDX-License-Identifier: BSD-3-Clause
#include "standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace tune {

namespace {

constexpr int first_kept_fd = 100;

/// True also if the streams were reopened.
bool are_open() {
  return ::fileno(stdin) == STDIN_FILENO && ::fileno(stdout) == STDOUT_FILENO
         && ::fileno(stderr) == STDERR_FILENO;
}

/// Flushes by the buffers, so that the streams neither record an error nor throw.
void write_out() {
  for (auto* stream : {&std::cout, &std::cerr, &std::clog}) {
    if (auto* buffer = stream->rdbuf())
      buffer->pubsync();
  }
  std::fflush(stdout);
  std::fflush(stderr);
}

void forget_errors() {
  for (auto* stream : {&std::cout, &std::cerr, &std::clog}) {
    if (stream->rdbuf() != nullptr)
      stream->clear();
  }
  for (auto* file : {stdin, stdout, stderr})
    std::clearerr(file);
}

} // namespace

standard_streams::standard_streams() {
  for (auto fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    kept_.at(static_cast<std::size_t>(fd)).reset(::fcntl(fd, F_DUPFD_CLOEXEC, first_kept_fd));
}

bool standard_streams::restore() {
  if (!are_open())
    return false;
  write_out();
  for (int fd = 0; fd < static_cast<int>(kept_.size()); ++fd) {
    if (::dup2(kept_[static_cast<std::size_t>(fd)].get(), fd) != fd)
      return false;
  }
  forget_errors();
  return true;
}

} // namespace tune

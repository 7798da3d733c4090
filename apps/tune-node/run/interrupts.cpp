// SPDX-License-Identifier: BSD-3-Clause
#include "run/interrupts.hpp"

#include "tune/actors/clocks.hpp"
#include "tune/core/liveness/signal_echo.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>

namespace tune::cli {

namespace {

/// See `hold_signals`.
int further_signal = 0;

sigset_t watched() {
  sigset_t result;
  sigemptyset(&result);
  sigaddset(&result, SIGINT);
  sigaddset(&result, SIGTERM);
  // If it was ignored when the process began (nohup), it never comes, although it is blocked.
  sigaddset(&result, SIGHUP);
  if (further_signal > 0)
    sigaddset(&result, further_signal);
  return result;
}

/// Whether a signal counts. For the whole process: another watch may start between a signal and its
/// echo.
bool counts(int signal) {
  static std::mutex mutex;
  static signal_echo known;
  std::lock_guard lock{mutex};
  return known.counts(signal, steady_now());
}

void wait_for_signals(int wake, const std::function<void(int)>& first,
                      const std::function<void(int)>& second) {
  auto set = watched();
  auto signals = ::signalfd(-1, &set, SFD_CLOEXEC);
  if (signals < 0)
    return;
  auto seen = false;
  for (;;) {
    pollfd both[] = {{signals, POLLIN, 0}, {wake, POLLIN, 0}};
    if (::poll(both, 2, -1) < 0 && errno != EINTR)
      break;
    if (both[1].revents != 0)
      break;
    signalfd_siginfo what{};
    if (both[0].revents == 0 || ::read(signals, &what, sizeof what) != sizeof what)
      continue;
    const auto number = static_cast<int>(what.ssi_signo);
    if (!counts(number))
      continue;
    (seen ? second : first)(number);
    seen = true;
  }
  ::close(signals);
}

} // namespace

void hold_signals(int further) {
  further_signal = further;
  auto set = watched();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // A reader of our output may go: then writing fails, which is no reason to abandon trials.
  ::signal(SIGPIPE, SIG_IGN);
  // Beyond a limit of file sizes (ulimit -f) writing fails, and the writer reports it.
  ::signal(SIGXFSZ, SIG_IGN);
}

std::optional<int> take_held_signal() {
  auto set = watched();
  const timespec at_once{};
  const auto number = ::sigtimedwait(&set, nullptr, &at_once);
  return number > 0 ? std::optional{number} : std::nullopt;
}

interrupts::interrupts(std::function<void(int)> first, std::function<void(int)> second)
    : wake_{::eventfd(0, EFD_CLOEXEC)}
    , waiter_{[wake = wake_, first = std::move(first), second = std::move(second)] {
      wait_for_signals(wake, first, second);
    }} {}

interrupts::~interrupts() {
  std::uint64_t one = 1;
  while (::write(wake_, &one, sizeof one) < 0 && errno == EINTR) {}
  waiter_.join();
  ::close(wake_);
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "pattern_thread.hpp"

#include <signal.h>

#include <chrono>
#include <utility>

namespace tune {

namespace {

constexpr std::chrono::milliseconds turn{2};

} // namespace

pattern_thread::pattern_thread() {
  // Blocks all signals, so that no handler of the host program runs on it.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread{[this] { run(); }};
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

pattern_thread::~pattern_thread() {
  {
    std::lock_guard lock{mutex_};
    ending_ = true;
  }
  news_.notify_one();
  thread_.join();
}

void pattern_thread::bring(std::shared_ptr<piecework> what) {
  {
    std::lock_guard lock{mutex_};
    waiting_.push_back(std::move(what));
  }
  news_.notify_one();
}

void pattern_thread::run() {
  std::unique_lock lock{mutex_};
  for (;;) {
    news_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (ending_)
      return;
    auto one = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    auto until = std::chrono::steady_clock::now() + turn;
    auto more = one->work();
    while (more && std::chrono::steady_clock::now() < until)
      more = one->work();
    lock.lock();
    if (more)
      waiting_.push_back(std::move(one));
    // This may be the last reference: not released under the lock.
    lock.unlock();
    one.reset();
    lock.lock();
  }
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "training_threads.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace tune {

namespace {

/// An idle thread ends after this time.
constexpr auto patience = std::chrono::seconds{10};

} // namespace

struct training_threads::shared {
  std::mutex mutex;
  std::condition_variable changed;
  /// Work for which there is an idle thread already.
  std::deque<std::function<void()>> waiting;
  std::size_t idle = 0;
  bool closed = false;
};

training_threads::training_threads() : shared_{std::make_shared<shared>()} {}

training_threads::~training_threads() {
  std::unique_lock guard{shared_->mutex};
  shared_->closed = true;
  shared_->changed.notify_all();
  shared_->changed.wait(guard, [this] { return shared_->idle == 0; });
}

int training_threads::run(std::function<void()> work) {
  {
    std::lock_guard guard{shared_->mutex};
    if (shared_->idle > shared_->waiting.size()) {
      shared_->waiting.push_back(std::move(work));
      shared_->changed.notify_one();
      return 0;
    }
  }
  try {
    std::thread{serve, shared_, std::move(work)}.detach();
  } catch (const std::system_error& why) {
    return why.code().value();
  }
  return 0;
}

void training_threads::serve(const std::shared_ptr<shared>& all, std::function<void()> work) {
  for (;;) {
    work();
    work = nullptr;
    std::unique_lock guard{all->mutex};
    ++all->idle;
    all->changed.wait_for(guard, patience, [&] { return all->closed || !all->waiting.empty(); });
    --all->idle;
    if (all->waiting.empty()) {
      if (all->closed)
        all->changed.notify_all();
      return;
    }
    work = std::move(all->waiting.front());
    all->waiting.pop_front();
  }
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/worker_pool.hpp"

#include <system_error>
#include <utility>

namespace tune::http {

expected<std::unique_ptr<worker_pool>> worker_pool::start(std::size_t threads, std::size_t most) {
  std::unique_ptr<worker_pool> result{new worker_pool{most}};
  try {
    for (std::size_t i = 0; i < threads; ++i)
      result->threads_.emplace_back([pool = result.get()] { pool->work(); });
  } catch (const std::system_error& why) {
    return error{ec::shortage, std::string{"no thread can be started: "} + why.what()};
  }
  return result;
}

bool worker_pool::post(std::function<void()> task) {
  {
    std::lock_guard guard{mutex_};
    if (ends_ || waiting_.size() >= most_)
      return false;
    waiting_.push_back(std::move(task));
  }
  changed_.notify_one();
  return true;
}

void worker_pool::stop() {
  {
    std::lock_guard guard{mutex_};
    ends_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  for (auto& x : threads_)
    if (x.joinable())
      x.join();
}

void worker_pool::work() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock guard{mutex_};
      changed_.wait(guard, [this] { return ends_ || !waiting_.empty(); });
      if (ends_)
        return;
      task = std::move(waiting_.front());
      waiting_.pop_front();
    }
    task();
  }
}

} // namespace tune::http

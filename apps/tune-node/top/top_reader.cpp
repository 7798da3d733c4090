// SPDX-License-Identifier: BSD-3-Clause
#include "top/top_reader.hpp"

#include <signal.h>

#include <utility>

namespace tune::cli {

top_reader::top_reader(std::unique_ptr<top_source> from) : from_{std::move(from)} {
  // Signals are for the thread that owns the terminal.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread{[this] { run(); }};
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

top_reader::~top_reader() {
  {
    std::lock_guard lock{guard_};
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void top_reader::want(top_wish wish) {
  {
    std::lock_guard lock{guard_};
    if (wish == wish_)
      return;
    wish_ = std::move(wish);
    is_new_ = true;
  }
  changed_.notify_all();
}

void top_reader::order(client_command what) {
  {
    std::lock_guard lock{guard_};
    order_ = std::move(what);
    is_new_ = true;
  }
  changed_.notify_all();
}

std::optional<expected<top_data>> top_reader::take() {
  std::lock_guard lock{guard_};
  return std::exchange(data_, std::nullopt);
}

std::optional<std::string> top_reader::take_told() {
  std::lock_guard lock{guard_};
  return std::exchange(told_, std::nullopt);
}

void top_reader::run() {
  std::unique_lock lock{guard_};
  while (!is_over_) {
    auto order = std::exchange(order_, std::nullopt);
    const auto wish = wish_;
    is_new_ = false;
    lock.unlock();
    auto told = order ? std::optional{from_->carry_out(std::move(*order))} : std::nullopt;
    auto data = from_->read(wish);
    lock.lock();
    if (told)
      told_ = std::move(told);
    data_ = std::move(data);
    changed_.wait_for(lock, pace, [this] { return is_new_ || is_over_; });
  }
}

} // namespace tune::cli

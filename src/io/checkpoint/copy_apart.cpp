// SPDX-License-Identifier: BSD-3-Clause
#include "copy_apart.hpp"

#include "tune/io/process/shortage.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace tune {

namespace {

using clock = std::chrono::steady_clock;

/// How long one wait lasts.
constexpr std::chrono::milliseconds moment{5};

/// State shared by the thread and the waiting work.
class errand {
public:
  void run(const std::function<sliced<expected<void>>()>& begin) {
    try {
      auto work = begin();
      while (!work.step()) {
        if (!goes_on())
          return;
      }
      end(work.take());
    } catch (const std::exception& why) {
      end(error{ec::storage, why.what()});
    }
  }

  /// @returns the result if it comes within a moment.
  std::optional<expected<void>> wait() {
    std::unique_lock guard{mutex_};
    changed_.wait_for(guard, moment, [this] { return result_.has_value(); });
    return result_;
  }

  [[nodiscard]] bool was_moved_since(clock::time_point when) {
    const std::lock_guard guard{mutex_};
    return moved_ >= when;
  }

  void give_up() {
    const std::lock_guard guard{mutex_};
    given_up_ = true;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<expected<void>> result_;
  clock::time_point moved_ = clock::now();
  bool given_up_ = false;

  /// @returns whether the result is still wanted.
  bool goes_on() {
    const std::lock_guard guard{mutex_};
    moved_ = clock::now();
    return !given_up_;
  }
  void end(expected<void> how) {
    const std::lock_guard guard{mutex_};
    result_ = std::move(how);
    changed_.notify_all();
  }
};

/// Number of threads that work or are stuck.
std::atomic<int>& count_threads() {
  // Never destroyed, since the threads may outlive static objects.
  static auto& count = *new std::atomic<int>{0};
  return count;
}

/// Gives up the errand when the waiting work is destroyed.
struct client {
  std::shared_ptr<errand> what = std::make_shared<errand>();

  client() = default;
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  ~client() { what->give_up(); }
};

void begin_thread(std::shared_ptr<errand> what, std::function<sliced<expected<void>>()> begin) {
  ++count_threads();
  try {
    std::thread{[what = std::move(what), begin = std::move(begin)]() mutable {
      what->run(begin);
      begin = nullptr;
      --count_threads();
    }}.detach();
  } catch (...) {
    --count_threads();
    throw;
  }
}

} // namespace

sliced<expected<void>> working_apart(std::function<sliced<expected<void>>()> begin,
                                     std::filesystem::path where,
                                     std::chrono::milliseconds patience) {
  // Threads blocked by file systems that never answer stay, so their number must be limited.
  for (const auto began = clock::now(); count_threads() >= most_copies_apart;) {
    if (clock::now() - began >= patience)
      co_return error{ec::storage, "cannot copy " + where.string() + ": "
                                       + std::to_string(most_copies_apart)
                                       + " other copies wait for file systems that do not answer"};
    std::this_thread::sleep_for(moment);
    co_await next_slice{};
  }
  const client my;
  try {
    begin_thread(my.what, std::move(begin));
  } catch (const std::system_error& why) {
    co_return error{ec::shortage,
                    "cannot copy " + where.string() + ": " + text_of_shortage(why.code().value())};
  }
  for (;;) {
    if (auto result = my.what->wait())
      co_return std::move(*result);
    if (!my.what->was_moved_since(clock::now() - patience))
      co_return error{ec::storage, "cannot copy " + where.string()
                                       + ": its file system did not answer for "
                                       + std::to_string(patience.count() / 1000) + " s"};
    co_await next_slice{};
  }
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "copy_apart.hpp"

#include "tune/io/process/shortage.hpp"

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

/// What the thread and those who wait share.
class errand {
public:
  void run(const std::function<sliced<expected<void>>()>& begin) {
    try {
      auto work = begin();
      while (!work.step()) {
        if (is_given_up())
          return;
      }
      end(work.take());
    } catch (const std::exception& why) {
      end(error{ec::storage, why.what()});
    }
  }

  /// @returns its result, where it came within a moment.
  std::optional<expected<void>> wait() {
    constexpr std::chrono::milliseconds moment{5};
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

  bool is_given_up() {
    const std::lock_guard guard{mutex_};
    moved_ = clock::now();
    return given_up_;
  }
  void end(expected<void> how) {
    const std::lock_guard guard{mutex_};
    result_ = std::move(how);
    changed_.notify_all();
  }
};

/// Whoever waits may be given up, too.
struct client {
  std::shared_ptr<errand> what = std::make_shared<errand>();

  client() = default;
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  ~client() { what->give_up(); }
};

} // namespace

sliced<expected<void>> working_apart(std::function<sliced<expected<void>>()> begin,
                                     std::filesystem::path where,
                                     std::chrono::milliseconds patience) {
  const client my;
  try {
    std::thread{[errand = my.what, begin = std::move(begin)] { errand->run(begin); }}.detach();
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

/// Work in slices: a coroutine that blocks on the disk only briefly at a time, so that others get
/// their turns, and that can be given up between two slices.
///
///     sliced<expected<void>> copying(fs::path from, fs::path to) {
///       for (...) {
///         ...
///         co_await next_slice{};
///       }
///     }
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <coroutine>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

namespace tune {

/// Approximate duration of a slice; small work needs only one.
inline constexpr std::chrono::milliseconds slice_time{20};

/// Awaited by sliced work at points where a slice may end.
struct next_slice {};

namespace slicing {

/// State shared by all coroutines of one work, owned by the outermost one.
struct progress {
  std::coroutine_handle<> current;
  bool is_over = false;
  std::chrono::steady_clock::time_point began;
};

struct promise_base {
  progress own;
  progress* all = &own;
  /// The coroutine that awaits this one.
  std::coroutine_handle<> caller;
  std::exception_ptr failure;

  struct end_of_slice {
    progress* all;
    [[nodiscard]] bool await_ready() const {
      return std::chrono::steady_clock::now() - all->began < slice_time;
    }
    void await_suspend(std::coroutine_handle<>) const { all->is_over = true; }
    void await_resume() const {}
  };

  struct end_of_work {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> done) const noexcept {
      auto& promise = done.promise();
      if (promise.caller)
        promise.all->current = promise.caller;
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() noexcept { return {}; }
  end_of_work final_suspend() noexcept { return {}; }
  void unhandled_exception() { failure = std::current_exception(); }
  end_of_slice await_transform(next_slice) { return {all}; }
};

} // namespace slicing

/// Work that results in a `T`. Nothing is done before the first `step`. Destroying it gives up the
/// work: its local objects are destroyed, innermost function first. For one thread at a time.
template <class T>
class [[nodiscard]] sliced {
public:
  struct promise_type : slicing::promise_base {
    std::optional<T> result;

    sliced get_return_object() {
      return sliced{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    void return_value(T x) { result.emplace(std::move(x)); }
    using promise_base::await_transform;
    /// Awaits another sliced work like a function call.
    template <class U>
    sliced<U>&& await_transform(sliced<U>&& inner) {
      return std::move(inner);
    }
  };

  sliced(sliced&& other) noexcept : handle_{std::exchange(other.handle_, {})} {}
  sliced& operator=(sliced&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~sliced() {
    if (handle_)
      handle_.destroy();
  }

  /// Runs the next slice. @returns whether it was the last one.
  bool step() {
    auto& promise = handle_.promise();
    auto& all = promise.own;
    if (!all.current)
      all.current = handle_;
    all.is_over = false;
    all.began = std::chrono::steady_clock::now();
    while (!all.is_over && !handle_.done())
      all.current.resume();
    return handle_.done();
  }

  /// Returns the result; call it once the work is done.
  [[nodiscard]] T take() {
    auto& promise = handle_.promise();
    if (promise.failure)
      std::rethrow_exception(promise.failure);
    return std::move(*promise.result);
  }

  // -- The interface of an awaitable.

  [[nodiscard]] bool await_ready() const { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) {
    auto& promise = handle_.promise();
    promise.caller = caller;
    promise.all = caller.promise().all;
    promise.all->current = handle_;
  }
  T await_resume() { return take(); }

private:
  std::coroutine_handle<promise_type> handle_;
  explicit sliced(std::coroutine_handle<promise_type> handle) : handle_{handle} {}
};

/// Returns whether to continue; called between two slices.
using keeps_on = std::function<bool()>;

/// Runs all slices. @returns nothing if the work was given up.
template <class T>
[[nodiscard]] std::optional<T> finish(sliced<T> work, const keeps_on& is_wanted = {}) {
  while (!work.step()) {
    if (is_wanted && !is_wanted())
      return std::nullopt;
  }
  return work.take();
}

} // namespace tune

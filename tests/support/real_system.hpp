/// A real actor system for what cannot run under the test coordinator: threads, processes, disks.
///
/// Tests wait for conditions with a generous deadline, never for time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/actors/system.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tune::support {

/// Longer than any operation takes on a busy machine.
constexpr std::chrono::seconds patience{60};

/// A gate that other threads wait at.
class latch {
public:
  explicit latch(bool open) : open_{open} {}

  void open() {
    std::lock_guard guard{mutex_};
    open_ = true;
    changed_.notify_all();
  }
  void close() {
    std::lock_guard guard{mutex_};
    open_ = false;
  }
  /// @returns whether the gate opened in time.
  bool wait() {
    std::unique_lock guard{mutex_};
    return changed_.wait_for(guard, patience, [this] { return open_; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_;
};

/// Thread-safe list of what other threads said.
template <class T>
class told {
public:
  void add(T what) {
    std::lock_guard guard{mutex_};
    what_.push_back(std::move(what));
    changed_.notify_all();
  }
  /// @returns whether `count` items were said in time.
  bool wait_for(std::size_t count) {
    std::unique_lock guard{mutex_};
    return changed_.wait_for(guard, patience, [&] { return what_.size() >= count; });
  }
  std::vector<T> all() {
    std::lock_guard guard{mutex_};
    return what_;
  }
  std::size_t size() { return all().size(); }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<T> what_;
};

/// Polls a condition that nobody signals. @returns whether it came true in time.
template <class Condition>
bool eventually(Condition condition) {
  auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::yield();
  }
  return true;
}

/// An actor system that ends with the test, even a failing one: the system's destructor waits for
/// all actors.
class real_system : public testing::Test {
protected:
  real_system() : system{std::make_unique<caf::actor_system>(config_)} {}
  ~real_system() override { end_system(); }
  // Ends the system before anything is destroyed that actors still use.
  void TearDown() override { end_system(); }

  /// Tells all kept actors to exit and waits until they are gone.
  void end_system() {
    for (const auto& whom : std::exchange(kept_, {}))
      caf::anon_send_exit(whom, caf::exit_reason::user_shutdown);
    system.reset();
  }

  /// Makes an actor exit when the test ends.
  template <class Handle>
  Handle keep(Handle whom) {
    kept_.push_back(caf::actor_cast<caf::actor>(whom));
    return whom;
  }

  /// Waits until the actor has processed all that was handed over. @returns the error, or nothing.
  template <class Handle>
  std::string drained(const Handle& whom) {
    caf::scoped_actor self{*system};
    std::string result;
    request(self.operator->(), whom, patience, drain_atom_v)
        .receive([&](const std::string& trouble) { result = trouble; },
                 [&](const caf::error& why) { result = render(*system, why); });
    return result;
  }

private:
  system_config config_{2};
  std::vector<caf::actor> kept_;

protected:
  std::unique_ptr<caf::actor_system> system;
};

} // namespace tune::support

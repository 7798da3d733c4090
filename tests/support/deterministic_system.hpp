/// CAF's test coordinator under GoogleTest: messages and time move only when a test says so.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/stage.hpp"
#include "tune/actors/actors.hpp"

#include <gtest/gtest.h>

#include <any>
#include <deque>
#include <memory>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

namespace tune::support {

/// Messages that a mock received, in order. A test takes out those it expects; the test fails if
/// any is left at its end or comes out of order.
class ear {
public:
  explicit ear(const char* who) : who_{who} {}

  void hear(std::any what) { words_.push_back(std::move(what)); }

  /// Takes out the oldest message, which must be a `T`.
  template <class T>
  T take() {
    if (words_.empty()) {
      ADD_FAILURE() << who_ << " heard nothing, not a " << typeid(T).name();
      return T{};
    }
    auto word = std::move(words_.front());
    words_.pop_front();
    if (auto* what = std::any_cast<T>(&word))
      return std::move(*what);
    ADD_FAILURE() << who_ << " heard " << word.type().name() << ", not " << typeid(T).name();
    return T{};
  }

  /// Takes out the oldest message, which must be `news` with a `T` in it.
  template <class T>
  T take_news() {
    auto what = take<news>().what;
    if (auto* body = std::get_if<T>(&what))
      return std::move(*body);
    ADD_FAILURE() << who_ << " heard news of '" << name_of(what) << "', not " << typeid(T).name();
    return T{};
  }

  [[nodiscard]] std::size_t size() const { return words_.size(); }
  /// Fails for each message that the test did not expect.
  void expect_silence();
  /// Discards all messages received so far.
  void forget() { words_.clear(); }

private:
  const char* who_;
  std::deque<std::any> words_;
};

/// A neighbour of the actor under test that only records its messages.
template <class Handle>
struct mock {
  Handle actor;
  std::shared_ptr<ear> heard;

  template <class T>
  T take() const {
    return heard->take<T>();
  }
};

/// Two values that arrive in one message.
using launch_words = std::pair<launch_order, trial_actor>;
using attach_words = std::pair<attempt_key, trainable_actor>;
using attempt_proxy_words = std::pair<attempt_key, attempt_proxy_actor>;
/// A numbered message of an attempt proxy.
template <class T>
using numbered = std::pair<std::uint64_t, T>;

/// A system in which nothing moves by itself. At the end of a test it cancels timers, fails if a
/// mock holds messages that the test did not take, and tells every actor to exit.
class deterministic_system : public testing::Test {
protected:
  deterministic_system();
  ~deterministic_system() override;
  void TearDown() override;

  /// Processes all messages and those that they cause; no time passes.
  void run_now();
  /// Advances the clock by `duration`, in steps of 100 ms. @returns how many timers fired.
  std::size_t pass(caf::timespan duration);
  [[nodiscard]] bool has_timer();

  /// Sends a message and processes what follows from it.
  template <class Handle, class... Ts>
  void tell(const Handle& whom, Ts&&... xs) {
    send_from_outside(whom, std::forward<Ts>(xs)...);
    run_now();
  }

  /// Sends a request and waits for the answer without letting time pass.
  template <class Answer, class Handle, class... Ts>
  Answer ask_now(const Handle& whom, Ts&&... xs) {
    caf::scoped_actor self{*system, true};
    auto waits = request(self.operator->(), whom, caf::infinite, std::forward<Ts>(xs)...);
    run_now();
    Answer result{};
    std::move(waits).receive([&](Answer& x) { result = std::move(x); },
                             [&](const caf::error& why) { ADD_FAILURE() << render(*system, why); });
    return result;
  }

  /// Makes an actor exit when the test ends.
  template <class Handle>
  Handle keep(Handle whom) {
    kept_.push_back(caf::actor_cast<caf::actor>(whom));
    return whom;
  }
  template <class Handle>
  void dismiss(const Handle& whom) {
    caf::anon_send_exit(whom, caf::exit_reason::user_shutdown);
    run_now();
  }
  /// Simulates the loss of the connection to the actor's node.
  template <class Handle>
  void cut_off(const Handle& whom) {
    caf::anon_send_exit(whom, caf::exit_reason::remote_link_unreachable);
    run_now();
  }
  /// The time as actors see it.
  [[nodiscard]] instant clock_now() const {
    return std::chrono::duration_cast<instant>(system->clock().now().time_since_epoch());
  }
  /// Whether the actor has ended.
  template <class Handle>
  bool is_gone(const Handle& whom) {
    // An actor that has ended calls the functor at once.
    auto gone = std::make_shared<bool>(false);
    caf::actor_cast<caf::abstract_actor*>(whom)->attach_functor([gone] { *gone = true; });
    return *gone;
  }

  mock<runner_actor> mock_runner();
  mock<trial_actor> mock_trial();
  mock<trainable_actor> mock_trainable();
  mock<node_actor> mock_node();
  mock<cluster_actor> mock_cluster();
  mock<recorder_actor> mock_recorder();
  mock<scheduler_actor> mock_scheduler();
  mock<searcher_actor> mock_searcher();

private:
  stage stage_;

protected:
  caf::actor_system* const system;

private:
  std::vector<caf::actor> kept_;
  std::vector<std::shared_ptr<ear>> ears_;

  std::shared_ptr<ear> new_ear(const char* who);
};

} // namespace tune::support

/// Runs sliced work of several attempts in turns, so that none waits for all the work of another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/io/files/sliced.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace tune {

/// Work in slices and the handling of its result.
class slow_work {
public:
  slow_work() = default;
  slow_work(const slow_work&) = delete;
  slow_work& operator=(const slow_work&) = delete;
  virtual ~slow_work() = default;

  /// Runs one slice. @returns whether it was the last; the result was handed on then.
  virtual bool step() = 0;
  /// Abandons the work. Everything it had begun is gone when this returns.
  virtual void give_up(const std::string& why) = 0;
};

/// Passes the result to `then`; if there is none, passes what `lost` makes of the reason.
template <class T>
class slow_work_of : public slow_work {
public:
  slow_work_of(sliced<T> what, std::function<void(T)> then,
               std::function<T(const std::string&)> lost)
      : what_{std::move(what)}, then_{std::move(then)}, lost_{std::move(lost)} {}

  bool step() override {
    if (!what_->step())
      return false;
    auto result = what_->take();
    what_.reset();
    then_(std::move(result));
    return true;
  }

  void give_up(const std::string& why) override {
    what_.reset();
    then_(lost_(why));
  }

private:
  std::optional<sliced<T>> what_;
  std::function<void(T)> then_;
  std::function<T(const std::string&)> lost_;
};

/// Queues of work by owner. For one thread, which calls `turn` as long as there is work.
class slow_rounds {
public:
  /// Job, attempt and rank.
  using owner = std::tuple<std::string, std::uint32_t, std::uint64_t, std::uint32_t>;

  [[nodiscard]] static owner owner_of(const attempt_claim& who) {
    return {who.job, who.attempt.epoch, who.attempt.counter, who.rank};
  }
  /// Whether both claims are of the same attempt, perhaps of different ranks.
  [[nodiscard]] static bool are_of_one_attempt(const attempt_claim& x, const attempt_claim& y) {
    return is_of_attempt(owner_of(x), owner_of(y));
  }

  /// Appends work to the queue of its owner.
  template <class T>
  void add(const owner& whose, sliced<T> what, std::function<void(T)> then,
           std::function<T(const std::string&)> lost) {
    add(whose,
        std::make_unique<slow_work_of<T>>(std::move(what), std::move(then), std::move(lost)));
  }

  [[nodiscard]] bool is_idle() const { return turns_.empty(); }

  /// Runs one slice for the next owner.
  void turn();

  /// Abandon the work of one rank, of all ranks of an attempt, of a job, or of all.
  void give_up(const owner& whose, const std::string& why);
  void give_up_attempt(const owner& whose, const std::string& why);
  void give_up_job(const std::string& job, const std::string& why);
  void give_up_all(const std::string& why);

private:
  std::map<owner, std::deque<std::unique_ptr<slow_work>>> works_;
  std::deque<owner> turns_;

  [[nodiscard]] static bool is_of_attempt(const owner& x, const owner& y) {
    return std::get<0>(x) == std::get<0>(y) && std::get<1>(x) == std::get<1>(y)
           && std::get<2>(x) == std::get<2>(y);
  }
  void add(const owner& whose, std::unique_ptr<slow_work> what);
  template <class Predicate>
  void give_up_where(Predicate is_meant, const std::string& why);
};

/// Slow work in the state of an actor, which handles other messages between two slices.
/// @tparam Impl The actor's interface, which has `tick_atom`: its handler calls `tick`.
template <class Impl>
class slow_tasks {
public:
  /// Runs the work in turns with others, then calls `then`.
  template <class T, class Self>
  void begin(Self* self, const slow_rounds::owner& whose, sliced<T> work,
             std::function<void(T)> then, std::function<T(const std::string&)> lost) {
    works_.add<T>(whose, std::move(work), std::move(then), std::move(lost));
    if (!closed_.empty())
      works_.give_up_all(closed_);
    tick_later(self);
  }

  /// Runs the work in turns with others, then answers the current message. An answer without a
  /// result tells why.
  template <class Answer, class Self>
  caf::typed_response_promise<Answer> answer(Self* self, const attempt_claim& whose,
                                             sliced<Answer> work) {
    auto asker = self->template make_response_promise<Answer>();
    auto deliver = [asker](Answer x) mutable { asker.deliver(std::move(x)); };
    auto lost = [](const std::string& why) {
      Answer result;
      result.why = why;
      return result;
    };
    begin<Answer>(self, slow_rounds::owner_of(whose), std::move(work), deliver, lost);
    return asker;
  }

  template <class Self>
  void tick(Self* self) {
    ticking_ = false;
    works_.turn();
    tick_later(self);
  }

  void drop(const attempt_claim& whose, const std::string& why) {
    works_.give_up(slow_rounds::owner_of(whose), why);
  }
  /// Drops the work of all ranks of the attempt.
  void drop_attempt(const attempt_claim& whose, const std::string& why) {
    works_.give_up_attempt(slow_rounds::owner_of(whose), why);
  }
  void drop_job(const std::string& job, const std::string& why) { works_.give_up_job(job, why); }
  /// Abandons all work, and whatever comes from now on.
  void close(std::string why) {
    closed_ = std::move(why);
    works_.give_up_all(closed_);
  }

private:
  slow_rounds works_;
  bool ticking_ = false;
  /// Why no work is done any more; empty: it is done.
  std::string closed_;

  template <class Self>
  void tick_later(Self* self) {
    if (!works_.is_idle() && !std::exchange(ticking_, true))
      send(self, caf::actor_cast<Impl>(self), tick_atom_v);
  }
};

} // namespace tune

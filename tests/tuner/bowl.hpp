/// A function to tune, and user-defined parts, for the tests of `tuner`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "io/scratch_directory.hpp"
#include "support/real_system.hpp"

#include "tune/core/schedule/fifo_queue.hpp"
#include "tune/tuner/tuner.hpp"

#include <map>
#include <stdexcept>

namespace tune::samples {

inline double number(const object& config, std::string_view name) {
  const auto* x = config.find(name);
  return x == nullptr ? 0 : x->number().value_or(0);
}

/// Reports `loss` = x * x five times.
inline void bowl(session& with) {
  auto x = number(with.config(), "x");
  for (auto i = 0; i < 5; ++i) {
    if (!with.report({{"loss", x * x}}))
      return;
  }
}

inline trainable_registry bowls() {
  trainable_registry result;
  result.add_function("bowl", bowl);
  result.add_function("broken", [](session& with) {
    if (number(with.config(), "x") > 0)
      throw std::runtime_error{"x is too large"};
    bowl(with);
  });
  return result;
}

/// Trials that all begin and then wait until they are let on together.
struct meeting {
  support::told<int> began;
  support::latch gate{false};

  trainable_registry trainables() {
    trainable_registry result;
    result.add_function("bowl", [this](session& with) {
      began.add(1);
      gate.wait();
      while (with.report({{"loss", 1.0}})) {}
    });
    return result;
  }
};

/// Stops every trial at its second report if its loss is above 1.
class impatient : public scheduler {
public:
  [[nodiscard]] scheduler_traits traits() const override { return {}; }
  void apply(const scheduler_fact& what) override {
    queue_.apply(what);
    if (const auto* x = std::get_if<fact::result>(&what.what))
      last_[x->trial] = *x;
  }
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override {
    const auto& last = last_.at(trial);
    if (last.iteration >= 2 && last.scores.front() < -1)
      return {cause, {{trial, tune::stop{}, {{"rule", "impatient"}}}}};
    return {cause, {{trial, go_on{}, {}}}};
  }
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override {
    return queue_.first(at, count);
  }
  [[nodiscard]] decision on_stall(sequence at) const override {
    return queue_.end_paused(at, "impatient");
  }
  void describe(fingerprint& into) const override { queue_.describe(into); }

private:
  fifo_queue queue_;
  std::map<trial_id, fact::result> last_;
};

/// A fixture for experiments in the test's own directory.
class tuner_test : public scratch_directory {
protected:
  [[nodiscard]] run_options options(std::string name = "e") const {
    return run_options{}
        .name(std::move(name))
        .storage(root)
        .trainable("bowl")
        .parameter("x", "grid(-2, 0, 1)")
        .minimise("loss")
        .set("cluster.cpus", 4);
  }
};

} // namespace tune::samples

// Loads, workers and commands by dice: whatever they do, the rules of growing and shrinking hold.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/scaling.hpp"
#include "tune/core/rng.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace tune {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t slots = 4;

resources cpus(std::int64_t count) {
  return {{count * amount::scale}, {}, 0, {}};
}

/// A cluster with a command that obeys as the dice have it, and books of its own.
class scaled_world {
public:
  explicit scaled_world(std::uint64_t seed) : seed_{seed}, dice_{seed, "scaling", 0} {
    rules_.most = 1 + dice_.below(12);
    rules_.least = dice_.below(rules_.most + 1);
    if (chance(2))
      rules_.worker = cpus(slots);
    rules_.cooldown = std::chrono::seconds{1 + dice_.below(60)};
    rules_.down_cooldown = std::chrono::seconds{1 + dice_.below(120)};
    rules_.idle = std::chrono::seconds{chance(4) ? 0 : 1 + dice_.below(300)};
    rules_.patience = std::chrono::seconds{5 + dice_.below(400)};
    uut_.emplace(rules_);
  }

  /// A second in a wild world.
  void happens() {
    if (chance(20))
      load_ = chance(2) ? 0 : dice_.below(80);
    if (chance(40))
      by_hand();
    if (chance(30) && !workers_.empty())
      vanish(std::next(workers_.begin(), static_cast<int>(dice_.below(workers_.size())))->first);
    second(chance(3));
  }

  /// The command obeys now: a load that lasts is served, and what is idle goes.
  void settle() {
    obeys_ = true;
    load_ = 1000;
    for (int i = 0; i < 2500; ++i)
      second(true);
    EXPECT_GE(workers_.size(), rules_.most) << at() << "demand that lasts is served";
    load_ = 0;
    for (int i = 0; i < 5000; ++i)
      second(true);
    if (rules_.idle.count() > 0) {
      EXPECT_EQ(workers_.size(), rules_.least) << at() << "idle that lasts is given back";
    } else {
      EXPECT_GE(workers_.size(), rules_.least) << at();
    }
  }

  [[nodiscard]] std::uint64_t calls() const { return calls_; }

private:
  std::uint64_t seed_;
  rng dice_;
  scaling_rules rules_;
  std::optional<scaling> uut_;
  instant now_ = 1h;
  /// Trials of one CPU that want to run.
  std::uint64_t load_ = 0;
  bool obeys_ = false;
  struct worker {
    bool is_held = false;
    std::uint64_t runs = 0;
  };
  std::map<std::string, worker> workers_;
  std::uint64_t names_ = 0;
  std::multimap<instant, std::string> coming_;
  std::multimap<instant, std::string> going_;
  std::optional<scaling_call> open_;
  instant open_until_{0};
  std::optional<instant> last_end_;
  std::uint64_t calls_ = 0;
  std::uint64_t waiting_ = 0;
  std::optional<resources> newest_;

  [[nodiscard]] bool chance(std::uint64_t one_in) { return dice_.below(one_in) == 0; }
  [[nodiscard]] std::string at() const {
    return "seed " + std::to_string(seed_) + ", second " + std::to_string(now_ / 1s) + ": ";
  }

  void by_hand() { join("h" + std::to_string(++names_)); }

  void join(const std::string& name) { workers_[name] = {}; }

  void vanish(const std::string& name) { workers_.erase(name); }

  void place() {
    auto left = load_;
    for (auto& [name, x] : workers_) {
      x.runs = x.is_held ? 0 : std::min<std::uint64_t>(left, slots);
      left -= x.runs;
    }
    waiting_ = left;
  }

  [[nodiscard]] cluster_need need() const {
    cluster_need result;
    for (const auto& [name, x] : workers_)
      result.workers.push_back({name, cpus(slots), x.runs > 0});
    if (waiting_ > 0)
      result.pending = {{{{cpus(1)}, {}}, waiting_}};
    result.newest = newest_;
    return result;
  }

  void second(bool looks) {
    now_ += 1s;
    while (!coming_.empty() && coming_.begin()->first <= now_) {
      join(coming_.begin()->second);
      coming_.erase(coming_.begin());
    }
    while (!going_.empty() && going_.begin()->first <= now_) {
      vanish(going_.begin()->second);
      going_.erase(going_.begin());
    }
    if (!workers_.empty())
      newest_ = cpus(slots);
    place();
    if (open_ && now_ >= open_until_)
      end_call();
    if (!looks)
      return;
    obey(uut_->look(need(), now_));
    EXPECT_LE(uut_->state().given_back, workers_.size()) << at();
  }

  void obey(const scaling::action& what) {
    if (const auto* x = std::get_if<scaling::call>(&what))
      begin_call(x->what);
    else if (const auto* h = std::get_if<scaling::hold>(&what))
      hold(h->workers);
    else if (const auto* r = std::get_if<scaling::release>(&what))
      for (const auto& name : r->workers) {
        if (auto known = workers_.find(name); known != workers_.end())
          known->second.is_held = false;
      }
  }

  void hold(const std::vector<std::string>& names) {
    EXPECT_LE(names.size() + rules_.least, workers_.size()) << at() << "below the lower bound";
    std::vector<std::string> held;
    for (const auto& name : names) {
      auto known = workers_.find(name);
      if (known == workers_.end() || known->second.runs > 0)
        continue;
      EXPECT_FALSE(known->second.is_held) << at() << "named twice";
      known->second.is_held = true;
      held.push_back(name);
    }
    obey(uut_->held(held, now_));
  }

  void begin_call(const scaling_call& what) {
    EXPECT_FALSE(open_) << at() << "two calls at once";
    if (last_end_) {
      EXPECT_GE(now_ - *last_end_, what.idle.empty() ? rules_.cooldown : rules_.down_cooldown)
          << at() << "within the cool-down";
    }
    if (what.idle.empty()) {
      EXPECT_GT(what.more, 0u) << at();
      EXPECT_LE(what.wanted, rules_.most) << at() << "over the bound";
      EXPECT_LE(workers_.size() + what.asked + what.more, rules_.most) << at() << "over the bound";
    } else {
      EXPECT_EQ(what.more, 0u) << at();
      for (const auto& name : what.idle) {
        EXPECT_TRUE(workers_.at(name).is_held) << at();
        EXPECT_EQ(workers_.at(name).runs, 0u) << at() << "something runs there";
      }
    }
    ++calls_;
    open_ = what;
    open_until_ = now_ + std::chrono::seconds{obeys_ ? 0 : dice_.below(90)};
    if (open_until_ == now_)
      end_call();
  }

  void end_call() {
    const auto what = *open_;
    open_.reset();
    last_end_ = now_;
    if (!obeys_ && chance(4))
      return obey(uut_->called(error{ec::process, "dice"}, now_));
    std::optional<std::uint64_t> told;
    auto count = what.more;
    if (!obeys_ && count > 0 && chance(4))
      told = count = dice_.below(count + 1);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (obeys_ || !chance(5))
        coming_.emplace(now_ + std::chrono::seconds{1 + dice_.below(obeys_ ? 3 : 300)},
                        "w" + std::to_string(++names_));
    }
    for (const auto& name : what.idle) {
      if (obeys_ || !chance(5))
        going_.emplace(now_ + std::chrono::seconds{1 + dice_.below(obeys_ ? 3 : 300)}, name);
    }
    obey(uut_->called(told, now_));
  }
};

TEST(scaling_campaign, keeps_bounds_and_cool_down_and_serves_what_lasts) {
  std::uint64_t calls = 0;
  for (std::uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    scaled_world world{seed};
    for (int i = 0; i < 6000 && !HasFailure(); ++i)
      world.happens();
    world.settle();
    calls += world.calls();
  }
  // The dice have to reach what they are to test.
  EXPECT_GT(calls, 2000u);
}

} // namespace
} // namespace tune

// Nodes, connections and experiments by dice: whatever they do, the rules of a head hold.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/cluster_plan.hpp"
#include "tune/core/rng.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <iterator>
#include <map>
#include <set>

namespace tune {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t room = 2;

/// Workers and experiments with their head, and books of their own about what is right.
class plan_world {
public:
  explicit plan_world(std::uint64_t seed) : seed_{seed}, dice_{seed, "cluster plan", 0} {
    for (auto i = 0; i < 3; ++i)
      workers_["w" + std::to_string(i)] = {};
    for (auto i = 0; i < 3; ++i)
      begin_owner();
  }

  void happens() {
    pass(std::chrono::milliseconds{dice_.below(3000)});
    if (chance(2))
      worker_acts(std::next(workers_.begin(), static_cast<int>(dice_.below(3)))->first);
    else
      owner_acts();
  }

  /// All workers are lost, a large one comes, and the head ends.
  void end() {
    for (auto& [name, x] : workers_) {
      if (x.is_member)
        obey_all(uut_.silent(x.session, "silence", now_));
    }
    workers_["large"].room = 100'000;
    come("large");
    pass(1h);
    EXPECT_TRUE(waiting_.empty()) << at() << "a request is never granted";
    while (!held_.empty())
      free(held_.begin()->first);
    obey_all(uut_.dissolve());
    EXPECT_EQ(ends_, 0) << at();
    obey_all(uut_.lost("large", "it left"));
    EXPECT_EQ(ends_, 1) << at();
  }

  [[nodiscard]] std::uint64_t begun() const { return begun_.size(); }

private:
  struct worker {
    std::size_t room = tune::room;
    /// As the head sees it.
    bool is_member = false;
    bool is_leaving = false;
    bool is_resting = false;
    std::uint64_t rest_session = 0;
    /// Words go to and fro.
    bool is_linked = false;
    /// As the worker sees it.
    std::uint64_t session = 0;
    std::uint64_t incarnation = 0;
    std::uint64_t turn = 0;
    std::set<lease_id> runs = {};
  };
  struct holder {
    std::uint64_t owner = 0;
    std::string node;
    bool is_launched = false;
  };

  std::uint64_t seed_;
  rng dice_;
  instant now_{0};
  cluster_plan uut_;
  std::map<std::string, worker> workers_;
  std::uint64_t sessions_ = 0;
  std::multimap<instant, std::function<void()>> timers_;

  /// The nodes that each living experiment was told of.
  std::map<std::uint64_t, std::set<std::string>> owners_;
  std::uint64_t last_owner_ = 0;
  std::uint64_t last_trial_ = 0;
  std::set<std::pair<std::uint64_t, trial_id>> waiting_;
  std::map<lease_id, holder> held_;
  std::set<lease_id> begun_;
  /// Leases that a node has told to be over.
  std::vector<lease_id> over_;
  int ends_ = 0;

  [[nodiscard]] bool chance(std::uint64_t one_in) { return dice_.below(one_in) == 0; }
  [[nodiscard]] std::string at() const { return "seed " + std::to_string(seed_) + ": "; }

  void pass(instant time) {
    const auto until = now_ + time;
    while (!timers_.empty() && timers_.begin()->first <= until) {
      auto due = timers_.extract(timers_.begin());
      now_ = due.key();
      due.mapped()();
    }
    now_ = until;
  }

  // -- Workers.

  void worker_acts(const std::string& name) {
    auto& x = workers_.at(name);
    if (!x.is_member)
      return chance(3) ? come_anew(name) : come(name);
    if (chance(20))
      return come_anew(name);
    if (chance(12))
      return obey_all(uut_.silent(x.session, "silence", now_));
    if (!x.is_linked)
      return away(name);
    if (chance(8)) {
      x.is_linked = false;
      return obey_all(uut_.cut_off(name, "it is cut off", now_));
    }
    if (chance(25)) {
      x.is_leaving = true;
      return obey_all(uut_.leave(name));
    }
    ends_one(x);
  }

  void away(const std::string& name) {
    auto& x = workers_.at(name);
    if (chance(2))
      come(name);
    else if (!x.runs.empty())
      x.runs.erase(x.runs.begin());
  }

  void ends_one(worker& x) {
    if (x.runs.empty())
      return;
    const auto which = *x.runs.begin();
    x.runs.erase(which);
    if (chance(3))
      obey_all(uut_.decline(which, "no space", chance(2)));
    free(which);
  }

  void free(lease_id which) {
    held_.erase(which);
    obey_all(uut_.over(which));
  }

  /// The worker has ended everything, and the head has not heard of that.
  void come_anew(const std::string& name) {
    auto& x = workers_.at(name);
    x.runs.clear();
    x.incarnation = 0;
    x.turn = 0;
    come(name);
  }

  void come(const std::string& name) {
    auto& x = workers_.at(name);
    x.session = ++sessions_;
    if (x.incarnation == 0)
      x.incarnation = x.session;
    x.is_linked = true;
    const node_holdings has{x.incarnation, x.turn, {x.runs.begin(), x.runs.end()}};
    for (const auto& [id, holder] : std::map{held_}) {
      // What ended unheard is free now.
      const auto& all = x.runs;
      if (holder.node == name && holder.is_launched && begun_.contains(id) && !all.contains(id))
        held_.erase(id);
    }
    obey_all(uut_.arrive({name, "process " + name, x.session, has},
                         {{amount::of(static_cast<double>(x.room)), {}, 0, {}}, {}}, now_));
  }

  // -- Experiments.

  void begin_owner() {
    owners_[++last_owner_];
    obey_all(uut_.enrol(last_owner_));
  }

  void owner_acts() {
    const auto owner = std::next(owners_.begin(), static_cast<int>(dice_.below(3)))->first;
    if (chance(30)) {
      owners_.erase(owner);
      std::erase_if(waiting_, [&](const auto& x) { return x.first == owner; });
      obey_all(uut_.forget(owner));
      return begin_owner();
    }
    if (chance(2))
      return ask(owner);
    if (chance(10) && !waiting_.empty()) {
      const auto [whose, trial] = *waiting_.begin();
      waiting_.erase(waiting_.begin());
      return uut_.withdraw(whose, trial);
    }
    launch_one();
  }

  void ask(std::uint64_t owner) {
    const trial_id trial{++last_trial_};
    waiting_.emplace(owner, trial);
    obey_all(uut_.enter({owner, trial, {{{amount::of(1), {}, 0, {}}}, {}}, chance(2)}));
  }

  void launch_one() {
    for (auto& [id, x] : held_) {
      if (x.is_launched || !owners_.contains(x.owner))
        continue;
      x.is_launched = true;
      // A runner may have no use for what it was granted.
      const auto which = id;
      return chance(6) ? free(which) : obey_all(uut_.launch(which, {1, which.number}));
    }
  }

  // -- The head.

  void obey_all(const cluster_commands& all) {
    for (const auto& x : all)
      std::visit([this](const auto& y) { obey(y); }, x);
    for (auto which : std::exchange(over_, {}))
      free(which);
  }

  void obey(const cluster_cmd::attend& x) { workers_.at(x.node).is_member = true; }
  void obey(const cluster_cmd::let_go& x) {
    auto& lost = workers_.at(x.node);
    EXPECT_TRUE(lost.is_member) << at();
    lost.is_member = lost.is_leaving = lost.is_resting = false;
    std::erase_if(held_, [&](const auto& y) { return y.second.node == x.node; });
  }
  void obey(const cluster_cmd::keep& x) {
    auto& to = workers_.at(x.node);
    EXPECT_EQ(x.session, to.session) << at();
    if (x.is_new)
      to.runs.clear();
    for (auto id : x.leases)
      EXPECT_EQ(held_.at(id).node, x.node) << at();
  }
  void obey(const cluster_cmd::order& x) {
    auto& to = workers_.at(x.node);
    EXPECT_TRUE(to.is_member) << at() << "an order for a node that is lost";
    if (!to.is_linked || to.runs.contains(x.lease))
      return;
    EXPECT_EQ(x.session, to.session) << at();
    EXPECT_GT(x.turn, to.turn) << at();
    EXPECT_TRUE(begun_.insert(x.lease).second) << at() << "an attempt begins twice";
    EXPECT_TRUE(held_.contains(x.lease)) << at();
    to.turn = x.turn;
    to.runs.insert(x.lease);
  }
  void obey(const cluster_cmd::forget_order& x) {
    EXPECT_FALSE(held_.contains(x.lease)) << at() << "the order may be needed again";
  }
  void obey(const cluster_cmd::revoke& x) {
    EXPECT_FALSE(owners_.contains(held_.at(x.lease).owner)) << at() << "it is wanted";
    auto& to = workers_.at(x.node);
    if (!to.is_linked)
      return;
    to.runs.erase(x.lease);
    over_.push_back(x.lease);
  }
  void obey(const cluster_cmd::grant& x) {
    const auto& on = workers_.at(x.node);
    EXPECT_EQ(waiting_.erase({x.owner, x.trial}), 1u) << at() << "nobody waits for it";
    EXPECT_TRUE(on.is_member && on.is_linked) << at() << "the node is away";
    EXPECT_FALSE(on.is_leaving || on.is_resting) << at() << "the node gets no trials";
    std::size_t used = 0;
    for (const auto& [id, y] : held_)
      used += y.node == x.node ? 1 : 0;
    EXPECT_LT(used, on.room) << at() << "overcommitted";
    EXPECT_TRUE(held_.emplace(x.what.id, holder{x.owner, x.node}).second) << at();
  }
  void obey(const cluster_cmd::refuse& x) {
    EXPECT_EQ(waiting_.erase({x.owner, x.trial}), 1u) << at();
    for (const auto& [name, y] : workers_)
      EXPECT_FALSE(y.is_member && !y.is_leaving && !y.is_resting) << at() << name << " could";
  }
  void obey(const cluster_cmd::tell_event& x) {
    // What ran for an experiment that is gone may end after it; nobody hears of that.
    if (std::holds_alternative<on::ended>(x.what))
      return;
    auto& told = owners_.at(x.owner);
    if (const auto* up = std::get_if<on::node_up>(&x.what)) {
      EXPECT_TRUE(told.insert(up->node).second) << at() << "told twice of " << up->node;
    } else if (const auto* down = std::get_if<on::node_down>(&x.what)) {
      EXPECT_EQ(told.erase(down->node), 1u) << at() << "never told of " << down->node;
    }
  }
  void obey(const cluster_cmd::end_hold_after& x) {
    timers_.emplace(now_ + x.rest.length,
                    [this, x] { obey_all(uut_.end_hold(x.owner, x.node, x.rest.times)); });
  }
  void obey(const cluster_cmd::end_rest_after& x) {
    auto& of = workers_.at(x.node);
    of.is_resting = true;
    of.rest_session = x.session;
    timers_.emplace(now_ + x.wait, [this, x] {
      auto& y = workers_.at(x.node);
      y.is_resting = y.is_resting && y.rest_session != x.session;
      obey_all(uut_.end_rest(x.node, x.session));
    });
  }
  void obey(const cluster_cmd::look_after& x) {
    timers_.emplace(now_ + x.wait, [this] { obey_all(uut_.look_for_unmet()); });
  }
  void obey(const cluster_cmd::all_gone&) { ++ends_; }
  template <class Command>
  void obey(const Command&) {}
};

TEST(cluster_plan_campaign, launches_each_attempt_once_and_only_where_there_is_room) {
  std::uint64_t begun = 0;
  for (std::uint64_t seed = 0; seed < 2'000 && !testing::Test::HasFailure(); ++seed) {
    plan_world x{seed};
    for (auto step = 0; step < 300; ++step)
      x.happens();
    x.end();
    begun += x.begun();
  }
  EXPECT_GT(begun, 50'000u) << "hardly anything was launched";
}

} // namespace
} // namespace tune

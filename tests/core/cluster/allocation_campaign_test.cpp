// Users, experiments and nodes by dice: whatever they do, the rule that deals out room holds.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/lease_book.hpp"
#include "tune/core/resource/demands.hpp"
#include "tune/core/rng.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tune {
namespace {

resources cpus(std::uint64_t x) {
  return {amount::of(static_cast<double>(x)), {}, 0, {}};
}

/// A head's books, and books of its own about the same: trials take CPUs of one node, report, save
/// when they make room, and end after their last report.
class shared_world {
public:
  explicit shared_world(std::uint64_t seed) : seed_{seed}, dice_{seed, "allocation", 0} {
    allocation_limits limits;
    if (chance(2))
      limits.quotas["u0"].cpu = amount::of(static_cast<double>(quota_ = 2 + dice_.below(4)));
    limits.max_experiments = most_ = chance(2) ? 0 : 1 + dice_.below(4);
    uut_ = lease_book{1, limits};
    for (std::uint64_t i = 0, count = 1 + dice_.below(4); i < count; ++i)
      add_node();
  }

  void happens() {
    const auto what = dice_.below(12);
    if (what == 0 && owners_.size() < 8)
      add_owner();
    else if (what == 1)
      chance(3) ? lose_node() : add_node();
    else if (what < 5)
      ask();
    else if (what < 11)
      go_on();
    else if (chance(4))
      drop_owner();
    deal();
  }

  /// Nothing new comes: all that can be granted at all is, in bounded time, and ends.
  void settle() {
    while (nodes_.size() < 2)
      add_node();
    if (!has_special())
      add_special();
    deal();
    std::size_t steps = 0;
    while (!owners_.empty() && steps < 20'000) {
      ++steps;
      go_on();
      drop_those_that_have_ended();
      deal();
    }
    EXPECT_TRUE(owners_.empty()) << at() << "somebody with room waits for ever";
  }

  [[nodiscard]] std::uint64_t granted() const { return granted_; }
  [[nodiscard]] std::uint64_t made_room() const { return made_room_; }
  [[nodiscard]] std::uint64_t stuck() const { return stuck_; }

private:
  static constexpr std::uint64_t reports_of_a_trial = 4;

  struct node {
    std::uint64_t room = 0;
    bool is_special = false;
  };
  struct trial {
    std::uint64_t cpu = 1;
    std::uint64_t reports = 0;
    /// Its last checkpoint.
    std::uint64_t saved = 0;
    bool waits = false;
  };
  struct owner {
    owner_standing standing;
    bool is_choosy = false;
    std::map<trial_id, trial> trials;
  };
  struct holder {
    std::uint64_t owner = 0;
    trial_id trial;
    std::string node;
    std::uint64_t cpu = 0;
    std::int32_t priority = 0;
    std::string user;
    bool is_to_end = false;
    /// The priority for which it makes room.
    std::optional<std::int32_t> makes_room = {};
  };

  std::uint64_t seed_;
  rng dice_;
  lease_book uut_;
  std::uint64_t quota_ = 0;
  std::uint64_t most_ = 0;
  std::map<std::string, node> nodes_;
  std::map<std::uint64_t, owner> owners_;
  std::map<lease_id, holder> held_;
  std::uint64_t last_owner_ = 0;
  std::uint64_t last_node_ = 0;
  std::uint64_t last_trial_ = 0;
  std::uint64_t granted_ = 0;
  std::uint64_t made_room_ = 0;
  std::uint64_t stuck_ = 0;

  [[nodiscard]] bool chance(std::uint64_t one_in) { return dice_.below(one_in) == 0; }
  [[nodiscard]] std::string at() const { return "seed " + std::to_string(seed_) + ": "; }
  static std::string demand() { return require_word("special"); }

  // -- What happens.

  void add_node() {
    if (nodes_.size() >= 4)
      return;
    const auto name = "n" + std::to_string(++last_node_);
    const auto is_special = nodes_.empty() || chance(2);
    nodes_[name] = {4 + dice_.below(3), is_special};
    uut_.set_node(name, cpus(nodes_[name].room),
                  is_special ? node_labels{given_label("special=true")} : node_labels{});
  }

  void add_special() {
    const auto name = "n" + std::to_string(++last_node_);
    nodes_[name] = {4 + dice_.below(3), true};
    uut_.set_node(name, cpus(nodes_[name].room), {given_label("special=true")});
  }
  [[nodiscard]] bool has_special() const {
    return std::any_of(nodes_.begin(), nodes_.end(),
                       [](const auto& x) { return x.second.is_special; });
  }

  /// What ran there waits again, from its last checkpoint.
  void lose_node() {
    if (nodes_.size() < 2)
      return;
    auto gone = std::next(nodes_.begin(), static_cast<int>(dice_.below(nodes_.size())));
    uut_.remove_node(gone->first);
    const auto name = gone->first;
    nodes_.erase(gone);
    std::vector<lease_id> lost;
    for (const auto& [id, x] : held_) {
      if (x.node == name)
        lost.push_back(id);
    }
    for (auto id : lost) {
      const auto x = held_.extract(id).mapped();
      static_cast<void>(uut_.lose(id));
      wait_again(x);
    }
  }

  void add_owner() {
    const auto number = ++last_owner_;
    auto& x = owners_[number];
    x.standing = {"x" + std::to_string(number), "u" + std::to_string(dice_.below(3)),
                  static_cast<std::int32_t>(dice_.below(3)), 1, !chance(4)};
    x.is_choosy = chance(4);
    uut_.stand(number, x.standing);
  }

  void ask() {
    if (owners_.empty())
      return;
    auto i = std::next(owners_.begin(), static_cast<int>(dice_.below(owners_.size())));
    const trial_id id{++last_trial_};
    i->second.trials[id].cpu = 1 + dice_.below(2);
    ask_for(i->first, id);
  }

  void ask_for(std::uint64_t who, trial_id id) {
    auto& x = owners_.at(who);
    x.trials.at(id).waits = true;
    uut_.enter({who,
                id,
                {{cpus(x.trials.at(id).cpu)}},
                true,
                x.is_choosy ? node_labels{demand()} : node_labels{}});
  }

  void wait_again(const holder& x) {
    if (!owners_.contains(x.owner))
      return;
    auto& of = owners_.at(x.owner).trials.at(x.trial);
    of.reports = of.saved;
    ask_for(x.owner, x.trial);
  }

  /// A trial that runs reports, and does then what it is asked to.
  void go_on() {
    if (held_.empty())
      return;
    auto i = std::next(held_.begin(), static_cast<int>(dice_.below(held_.size())));
    const auto id = i->first;
    if (!owners_.contains(i->second.owner))
      return end(id);
    auto& of = owners_.at(i->second.owner).trials.at(i->second.trial);
    if (++of.reports >= reports_of_a_trial) {
      owners_.at(i->second.owner).trials.erase(i->second.trial);
      return end(id);
    }
    if (i->second.makes_room) {
      const auto x = i->second;
      of.saved = of.reports;
      end(id);
      wait_again(x);
      EXPECT_EQ(of.reports, of.saved) << at() << "a report is lost";
    }
  }

  void end(lease_id id) {
    held_.erase(id);
    static_cast<void>(uut_.over(id));
  }

  void drop_owner() {
    if (!owners_.empty())
      drop(std::next(owners_.begin(), static_cast<int>(dice_.below(owners_.size())))->first);
  }
  void drop(std::uint64_t who) {
    owners_.erase(who);
    static_cast<void>(uut_.forget(who));
  }
  void drop_those_that_have_ended() {
    std::vector<std::uint64_t> ended;
    for (const auto& [who, x] : owners_) {
      if (x.trials.empty())
        ended.push_back(who);
    }
    for (auto who : ended)
      drop(who);
  }

  // -- What is granted.

  void deal() {
    for (const auto& x : uut_.grant_what_fits())
      take(x);
    for (const auto& x : uut_.make_room())
      make_room(x.which);
    std::uint64_t served = 0;
    std::uint64_t stuck = 0;
    for (const auto& [who, x] : owners_) {
      const auto seen = uut_.view_of(who);
      served += seen.place == 0 && !seen.stands_aside ? 1 : 0;
      stuck += is_stuck(who, x) ? 1 : 0;
      EXPECT_EQ(seen.stands_aside, most_ > 0 && is_stuck(who, x)) << at() << "x" << who;
    }
    stuck_ += stuck;
    if (most_ > 0) {
      EXPECT_LE(served, most_) << at() << "too many experiments at once";
      EXPECT_EQ(served, std::min<std::uint64_t>(most_, owners_.size() - stuck))
          << at() << "a place is free";
    }
  }

  /// It waits for what no node can give, and holds nothing.
  [[nodiscard]] bool is_stuck(std::uint64_t who, const owner& x) const {
    const auto holds = std::any_of(held_.begin(), held_.end(),
                                   [&](const auto& each) { return each.second.owner == who; });
    const auto waits = std::any_of(x.trials.begin(), x.trials.end(),
                                   [](const auto& each) { return each.second.waits; });
    return !holds && waits && x.is_choosy && !nodes_.empty() && !has_special();
  }

  [[nodiscard]] std::uint64_t used(const std::string& node) const {
    std::uint64_t result = 0;
    for (const auto& [id, x] : held_)
      result += x.node == node ? x.cpu : 0;
    return result;
  }
  [[nodiscard]] std::uint64_t held_by(const std::string& user) const {
    std::uint64_t result = 0;
    for (const auto& [id, x] : held_)
      result += x.user == user ? x.cpu : 0;
    return result;
  }
  [[nodiscard]] bool keeps_quota(const std::string& user, std::uint64_t more) const {
    return quota_ == 0 || user != "u0" || held_by(user) + more <= quota_;
  }
  [[nodiscard]] bool fits(const owner& whose, std::uint64_t cpu) const {
    return std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& x) {
      return used(x.first) + cpu <= x.second.room && (x.second.is_special || !whose.is_choosy);
    });
  }
  /// Whether some trial of the owner could be granted now.
  [[nodiscard]] bool could_be_served(std::uint64_t who, const owner& x) const {
    return uut_.view_of(who).place == 0
           && std::any_of(x.trials.begin(), x.trials.end(), [&](const auto& each) {
                return each.second.waits && keeps_quota(x.standing.user, each.second.cpu)
                       && fits(x, each.second.cpu);
              });
  }

  void take(const lease_book::grant& what) {
    ++granted_;
    auto& whose = owners_.at(what.owner);
    auto& of = whose.trials.at(what.trial);
    EXPECT_TRUE(of.waits) << at() << "nobody waits for it";
    EXPECT_EQ(uut_.view_of(what.owner).place, 0u) << at() << "it is queued";
    EXPECT_TRUE(nodes_.at(what.node).is_special || !whose.is_choosy) << at() << "a wrong node";
    EXPECT_LE(used(what.node) + of.cpu, nodes_.at(what.node).room) << at() << "overcommitted";
    EXPECT_TRUE(keeps_quota(whose.standing.user, of.cpu)) << at() << "beyond the quota";
    const auto priority = whose.standing.priority;
    for (const auto& [id, x] : held_)
      EXPECT_LE(x.makes_room.value_or(priority), priority) << at() << "room is made for another";
    for (const auto& [who, x] : owners_) {
      const auto goes_first = x.standing.priority > priority
                              || (x.standing.priority == priority
                                  && held_by(x.standing.user) < held_by(whose.standing.user));
      EXPECT_FALSE(goes_first && could_be_served(who, x)) << at() << "another goes first";
    }
    of.waits = false;
    held_[what.what.id]
        = {what.owner, what.trial, what.node, of.cpu, priority, whose.standing.user};
    uut_.launched(what.what.id, {1, what.what.id.number});
  }

  void make_room(lease_id id) {
    ++made_room_;
    auto& x = held_.at(id);
    EXPECT_FALSE(x.makes_room) << at() << "asked twice";
    std::int32_t highest = 0;
    for (const auto& [who, y] : owners_) {
      if (std::any_of(y.trials.begin(), y.trials.end(),
                      [](const auto& z) { return z.second.waits; }))
        highest = std::max(highest, y.standing.priority);
    }
    EXPECT_LT(x.priority, highest) << at() << "nobody of a higher priority waits";
    EXPECT_TRUE(owners_.at(x.owner).standing.can_make_room) << at() << "it would be a loss";
    x.makes_room = x.priority + 1;
  }
};

TEST(allocation_campaign, deals_out_room_by_priority_share_and_quota) {
  std::uint64_t granted = 0;
  std::uint64_t made_room = 0;
  std::uint64_t stuck = 0;
  for (std::uint64_t seed = 0; seed < 400 && !testing::Test::HasFailure(); ++seed) {
    shared_world x{seed};
    for (auto step = 0; step < 300; ++step)
      x.happens();
    x.settle();
    granted += x.granted();
    made_room += x.made_room();
    stuck += x.stuck();
  }
  EXPECT_GT(granted, 10'000u) << "hardly anything was granted";
  EXPECT_GT(made_room, 500u) << "hardly any room was made";
  EXPECT_GT(stuck, 500u) << "hardly anybody stood aside";
}

} // namespace
} // namespace tune

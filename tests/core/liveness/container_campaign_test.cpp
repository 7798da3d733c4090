// Machines with nested containers, whose nodes use the same paths and whose kernel reuses numbers.
// A sweep ends no process that is looked after and none of another directory, and it finds every
// process that nobody looks after, provided it can see that.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/liveness/leftover.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tune {
namespace {

constexpr std::uint64_t worlds = 4000;

struct process {
  std::size_t space = 0;
  std::int64_t inner_pid = 0;
  std::uint64_t start = 0;
  bool lives = true;
};

/// A process of a trial.
struct trial {
  std::size_t self = 0;
  std::size_t guard = 0;
  /// Working directory of its node, by path and by inode at the start.
  std::size_t path = 0;
  std::uint64_t place = 0;
};

/// PID and mount namespaces go together here, as in a container.
struct container {
  std::size_t around = 0;
  std::uint64_t number = 0;
  /// Inode of each path, which is mounted from outside or the container's own.
  std::vector<std::uint64_t> paths;
  std::int64_t next_pid = 2;
};

class machine {
public:
  explicit machine(std::uint64_t seed) : dice_{seed} {
    containers_.push_back({0, 4026531836, {fresh_inode(), fresh_inode()}});
    for (auto i = below(4); i > 0; --i)
      add_container();
    for (auto i = 2 + below(12); i > 0; --i)
      happen();
  }

  /// Sweeps each path from each container.
  void sweep_everywhere() {
    for (std::size_t from = 0; from < containers_.size(); ++from) {
      for (std::size_t path = 0; path < containers_[from].paths.size(); ++path)
        sweep(from, path);
    }
  }

  [[nodiscard]] std::size_t ended() const { return ended_; }

private:
  std::mt19937_64 dice_;
  std::size_t ended_ = 0;
  std::uint64_t inodes_ = 100;
  std::uint64_t now_ = 1000;
  std::vector<container> containers_;
  std::vector<process> processes_;
  std::vector<trial> trials_;

  std::size_t below(std::size_t n) { return dice_() % n; }
  bool happens(unsigned percent) { return below(100) < percent; }
  std::uint64_t fresh_inode() { return ++inodes_; }

  void add_container() {
    container made{below(containers_.size()), 4026532000 + containers_.size(), {}};
    for (auto outside : containers_[made.around].paths)
      made.paths.push_back(happens(40) ? outside : fresh_inode());
    containers_.push_back(std::move(made));
  }

  /// Starts a process; PIDs are small and reused once they are free.
  std::size_t begin_process(std::size_t space) {
    constexpr std::int64_t most = 8;
    auto& where = containers_[space];
    for (std::int64_t tries = 0; tries < most; ++tries) {
      where.next_pid = where.next_pid % most + 2;
      if (!is_used(space, where.next_pid))
        break;
    }
    processes_.push_back({space, where.next_pid, ++now_, !is_used(space, where.next_pid)});
    return processes_.size() - 1;
  }

  bool is_used(std::size_t space, std::int64_t pid) const {
    for (const auto& x : processes_) {
      if (x.lives && x.space == space && x.inner_pid == pid)
        return true;
    }
    return false;
  }

  void happen() {
    const auto what = below(10);
    if (what < 5)
      begin_node();
    else if (what < 8 && !processes_.empty())
      processes_[below(processes_.size())].lives = false;
    else if (what < 9)
      begin_process(below(containers_.size()));
    else
      make_directory_anew();
  }

  /// Starts a node's guard and its trials.
  void begin_node() {
    const auto space = below(containers_.size());
    const auto path = below(containers_[space].paths.size());
    const auto guard = begin_process(space);
    for (auto i = 1 + below(2); i > 0; --i)
      trials_.push_back({begin_process(space), guard, path, containers_[space].paths[path]});
  }

  void make_directory_anew() {
    auto& where = containers_[below(containers_.size())];
    const auto path = below(where.paths.size());
    const auto before = where.paths[path];
    const auto after = fresh_inode();
    for (auto& x : containers_) {
      if (x.paths[path] == before)
        x.paths[path] = after;
    }
  }

  bool is_inside(std::size_t space, std::size_t of) const {
    while (space != of && space != 0)
      space = containers_[space].around;
    return space == of;
  }

  /// The processes visible from a namespace. PIDs of inner namespaces differ between two views;
  /// those of the view's own namespace do not.
  process_view view_from(std::size_t space, bool hides) {
    process_view result{"boot", containers_[space].number, 1, {}};
    // The observer itself.
    result.all.push_back({1, 1, result.space, 1});
    for (const auto& x : processes_) {
      if (!x.lives || !is_inside(x.space, space))
        continue;
      const auto pid = x.space == space ? x.inner_pid : static_cast<std::int64_t>(2 + below(8));
      seen_process seen{pid, x.inner_pid, containers_[x.space].number, x.start};
      if (hides && happens(20))
        seen.space.reset();
      result.all.push_back(seen);
    }
    return result;
  }

  void sweep(std::size_t from, std::size_t path) {
    const auto hides = happens(30);
    const auto view = view_from(from, hides);
    const auto inode = containers_[from].paths[path];
    for (const auto& x : trials_) {
      if (processes_[x.self].lives && is_inside(processes_[x.self].space, from))
        judge(x, view, path, inode, from, hides);
    }
  }

  void judge(const trial& x, const process_view& view, std::size_t path, std::uint64_t inode,
             std::size_t from, bool hides) {
    const auto& guard = processes_[x.guard];
    const auto& home = containers_[processes_[x.self].space];
    const auto knows_all = !hides || happens(70);
    trial_process_facts facts;
    facts.has_our_path = x.path == path;
    if (knows_all)
      facts.marked = directory_name{8, x.place};
    if (facts.has_our_path && knows_all)
      facts.seen = directory_name{8, home.paths[path]};
    facts.guard
        = fate_of({"boot", containers_[guard.space].number, 1, guard.inner_pid, guard.start}, view);

    const auto verdict = judge_leftover(facts, {8, inode});

    const auto is_ours = x.place == inode || (x.path == path && home.paths[path] == inode);
    const auto is_ended = verdict == leftover_verdict::leftover;
    EXPECT_FALSE(is_ended && !is_ours) << "a sweep from " << from << " ends a process of others";
    EXPECT_FALSE(is_ended && guard.lives) << "a sweep from " << from << " ends what a guard has";
    EXPECT_FALSE(!is_ended && is_ours && !guard.lives && knows_all && !hides)
        << "a sweep from " << from << " leaves what nobody looks after";
    ended_ += is_ended;
  }
};

TEST(container_campaign, ends_what_nobody_looks_after_and_nothing_else) {
  std::size_t ended = 0;
  for (std::uint64_t seed = 0; seed < worlds && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    machine uut{seed};
    uut.sweep_everywhere();
    ended += uut.ended();
  }
  EXPECT_GT(ended, worlds / 10);
}

} // namespace
} // namespace tune

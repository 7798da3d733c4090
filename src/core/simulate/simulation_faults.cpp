// What goes wrong all of a sudden, and how the head learns of it.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/simulate/simulation.hpp"

#include "tune/core/stable_math.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tune {

void simulation::plan_faults() {
  for (std::uint32_t i = 0; i < how_.faults.sudden; ++i)
    faults_due_.push_back(1 + chance_.below(how_.faults.within));
  std::sort(faults_due_.begin(), faults_due_.end(), std::greater<>{});
  for (std::size_t i = 0; i < nodes_.size() && how_.faults.node_mtbf.count() > 0; ++i)
    wear_out(i);
}

void simulation::inject() {
  auto node = static_cast<std::size_t>(chance_.below(nodes_.size()));
  auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(how_.lost_after.count(), 1)) * 3;
  auto duration = instant{1 + chance_.below(most)};
  auto kind = chance_.below(7);
  if (kind < 3 && (is_silent(nodes_[node]) || is_deaf(nodes_[node])))
    kind = 3;
  if (kind == 0) {
    lose(node, duration);
  } else if (kind == 1) {
    freeze(node, duration, trouble::machine);
  } else if (kind == 2) {
    static constexpr trouble ways[] = {trouble::link, trouble::way_up, trouble::way_down};
    freeze(node, duration, ways[chance_.below(3)]);
  } else if (kind == 3) {
    if (how_.records)
      lose_head();
  } else if (kind == 4) {
    if (!processes_.empty())
      end(std::next(processes_.begin(),
                    static_cast<std::ptrdiff_t>(chance_.below(processes_.size())))
              ->first,
          end_class::killed, "signal 9");
  } else if (kind == 5) {
    interfere(duration);
  } else {
    leave(node, duration, instant{1 + chance_.below(most)});
  }
}

/// A client stops a trial, or pauses one or all for a while.
void simulation::interfere(instant duration) {
  std::uint64_t trials = 0;
  for (auto count : engine_->machine().view().counts)
    trials += count;
  if (trials == 0)
    return;
  std::optional<trial_id> whom = trial_id{chance_.below(trials)};
  auto kind = chance_.below(4);
  if (kind == 0) {
    wish(on::stop_asked{whom, "a client wants it"});
    return;
  }
  if (kind == 3)
    whom.reset();
  if (wish(on::pause_asked{whom}))
    release(whom, duration);
}

/// Lets go on what was paused; once more where the head is lost before that, or what made it
/// needless, is on disk.
void simulation::release(std::optional<trial_id> whom, instant after) {
  agenda_.add(after, [this, whom, after] {
    auto last = engine_->machine().last_seq();
    auto taken = wish(on::unpause_asked{whom});
    if (!how_.records || finished_)
      return;
    if (taken)
      watch_release(whom, last + 1, after);
    else if (last > on_disk_)
      release(whom, after);
  });
}

void simulation::watch_release(std::optional<trial_id> whom, sequence said, instant after) {
  agenda_.add(after, [this, whom, said, after] {
    auto there
        = said <= log_.size() && std::holds_alternative<on::unpause_asked>(log_[said - 1].what);
    if (!there)
      release(whom, after);
    else if (said > on_disk_)
      watch_release(whom, said, after);
  });
}

/// What changes nothing, or cannot be, is refused before it enters the log.
bool simulation::wish(event_body what) {
  if (engine_->machine().weigh(what).what != order_verdict::kind::taken)
    return false;
  tell(std::move(what));
  return true;
}

/// Loses a node after a time, again and again.
void simulation::wear_out(std::size_t node) {
  auto mean = static_cast<double>(how_.faults.node_mtbf.count());
  auto lasts = instant{static_cast<std::int64_t>(-stable_log(1 - chance_.unit()) * mean)};
  auto repair = static_cast<double>(how_.faults.node_repair.count());
  auto away = instant{static_cast<std::int64_t>((0.5 + chance_.unit()) * repair)};
  agenda_.add(std::max(lasts, instant{1}), [this, node, away] {
    if (finished_)
      return;
    if (!is_silent(nodes_[node]))
      lose(node, away);
    agenda_.add(away, [this, node] { wear_out(node); });
  });
}

/// Its head hears nothing of it.
bool simulation::is_silent(const node_state& node) const {
  return !node.alive || std::max(node.frozen_until, node.unheard_until) > agenda_.now();
}

/// It hears nothing of its head.
bool simulation::is_deaf(const node_state& node) const {
  return node.deaf_until > agenda_.now();
}

/// It may say nothing until its head has said what may go on.
bool simulation::is_fenced(const node_state& node) const {
  return node.lease && node.lease->at(agenda_.now()) != node_lease::state::held;
}

void simulation::lose_node(const std::string& name, instant back_after) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].what.name == name)
      lose(i, back_after);
  }
}

/// The machine goes down, and its processes with it.
void simulation::lose(std::size_t which, instant back_after) {
  auto& node = nodes_[which];
  node.alive = false;
  std::erase_if(processes_, [&](const auto& x) { return x.second.node == which; });
  clear_memory(which);
  watch_silence(which);
  node.lease->revoke(agenda_.now());
  agenda_.add(back_after, [this, which] {
    nodes_[which].alive = true;
    // It says that it is new: what ran there is over, noticed or not.
    if (nodes_[which].joined)
      take_for_lost(which);
    for_node(which);
  });
}

/// It is told to go: what runs there may save, and is handed back when its time is up.
void simulation::leave(std::size_t which, instant grace, instant back_after) {
  auto& node = nodes_[which];
  if (!node.joined || node.leaving || is_silent(node))
    return;
  node.leaving = true;
  ledger_->remove_node(node.what.name);
  tell(on::node_leaving{node.what.name});
  agenda_.add(grace, [this, which, back_after] { go_away(which, back_after); });
}

/// Its time to leave is up; if it is in trouble just then, once that is over.
void simulation::go_away(std::size_t which, instant back_after) {
  auto& node = nodes_[which];
  if (!node.leaving || !node.alive)
    return;
  auto open = std::max({node.frozen_until, node.unheard_until, node.deaf_until});
  if (open > agenda_.now()) {
    agenda_.add(open - agenda_.now(), [this, which, back_after] { go_away(which, back_after); });
    return;
  }
  std::vector<attempt_id> running;
  for (const auto& [attempt, who] : processes_) {
    if (who.node == which)
      running.push_back(attempt);
  }
  for (auto attempt : running)
    end(attempt, end_class::preempted, "its node leaves");
  lose(which, back_after);
}

/// The machine stands still, or its link does; what is under way comes afterwards.
void simulation::freeze(std::size_t which, instant duration, trouble what) {
  auto& node = nodes_[which];
  auto until = agenda_.now() + duration;
  if (what == trouble::machine)
    node.frozen_until = until;
  if (what == trouble::link || what == trouble::way_up)
    node.unheard_until = until;
  if (what == trouble::link || what == trouble::way_down)
    node.deaf_until = until;
  watch_silence(which);
  agenda_.add(duration, [this, which] { come_back(which); });
}

/// The trouble is over; what that means is for the head to say.
void simulation::come_back(std::size_t which) {
  auto& node = nodes_[which];
  if (!node.joined)
    for_node(which);
  else if (node.lease && !is_silent(node) && !is_deaf(node))
    agenda_.add(delay(), [this, which] { go_on(which); });
}

/// It is back before it was given up: what runs there goes on, and what it kept to itself is said.
void simulation::go_on(std::size_t which) {
  auto& node = nodes_[which];
  if (!node.joined || is_silent(node) || is_deaf(node))
    return;
  node.lease.reset();
  // Nothing that it said before is longer on its way.
  auto wait = how_.most_delay;
  for (auto& what : std::exchange(node.unsaid, {}))
    agenda_.add(wait, [this, which, what = std::move(what)] { arrive(which, what); });
  // What is said from now on comes behind it.
  for (auto& [attempt, who] : processes_) {
    if (who.node == which)
      who.last_up = std::max(who.last_up, agenda_.now() + wait);
  }
}

/// After a while, a node that is back clears up and joins.
void simulation::for_node(std::size_t which) {
  agenda_.add(delay(), [this, which] { join(which); });
}

/// Neither side hears of the other any more, or one does not. The node's lease ends before the head
/// gives it up; where only the node hears nothing, it says so then.
void simulation::watch_silence(std::size_t which) {
  auto& node = nodes_[which];
  auto silence = ++node.silence;
  const liveness_rules rules{how_.lost_after};
  // One that has not come back from the last silence has the lease that it had.
  if (!node.lease)
    node.lease.emplace(rules, agenda_.now());
  agenda_.add(rules.lost_after, [this, which, silence] {
    auto& it = nodes_[which];
    if (it.silence == silence && it.joined && is_silent(it))
      take_for_lost(which);
  });
  auto left = [&](instant until) { return std::max(until - agenda_.now(), instant{0}); };
  agenda_.add(left(node.lease->ends()), [this, which, silence] {
    auto& it = nodes_[which];
    if (it.silence == silence && it.joined && is_deaf(it) && !is_silent(it))
      take_for_lost(which);
  });
  agenda_.add(left(node.lease->lost_at()), [this, which, silence] {
    auto& it = nodes_[which];
    if (it.silence == silence && !it.joined && (is_silent(it) || is_deaf(it)))
      kill_processes(which);
  });
}

void simulation::take_for_lost(std::size_t which) {
  auto& node = nodes_[which];
  if (node.alive && !is_fenced(node))
    fault(promise::bounded_detection,
          "node " + node.what.name + " is given up while it may believe that it is not");
  node.joined = false;
  ++nodes_lost_;
  ledger_->remove_node(node.what.name);
  // Its leases have run out: what still runs there was told to stop by its own clock.
  std::vector<lease_id> over;
  for (const auto& [id, x] : leases_) {
    if (x.bundles.front().node == node.what.name)
      over.push_back(id);
  }
  std::erase_if(lease_of_, [&](const auto& x) {
    return std::find(over.begin(), over.end(), x.second) != over.end();
  });
  tell(on::node_down{node.what.name, "silent for too long"});
  for (auto id : over)
    give_back(id);
}

void simulation::join(std::size_t which) {
  auto& node = nodes_[which];
  if (node.joined || is_silent(node) || finished_) {
    if (finished_)
      kill_processes(which);
    return;
  }
  kill_processes(which);
  node.lease.reset();
  clear_memory(which);
  node.joined = true;
  node.leaving = false;
  ++node.silence;
  ledger_->set_node(node.what.name, node.what.capacity, {node.what.name});
  if (how_.records)
    conduct_.offers(node.what.name, node.what.capacity);
  tell(on::node_up{node.what.name, node.what.capacity});
  grant();
}

/// What trials paused with there is lost to the head.
void simulation::clear_memory(std::size_t which) {
  std::erase_if(disk_, [&](const auto& x) { return x.second.node == which; });
}

/// What it ran for a head that is gone, or that has given it up.
void simulation::kill_processes(std::size_t which) {
  std::erase_if(processes_, [&](const auto& x) { return x.second.node == which; });
  nodes_[which].unsaid.clear();
}

} // namespace tune

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
  auto kind = chance_.below(6);
  if (kind < 3 && is_silent(nodes_[node]))
    kind = 3;
  if (kind == 0) {
    lose(node, duration);
  } else if (kind <= 2) {
    freeze(node, duration, kind == 2);
  } else if (kind == 3) {
    if (how_.records)
      lose_head();
  } else if (kind == 4) {
    if (!processes_.empty())
      end(std::next(processes_.begin(),
                    static_cast<std::ptrdiff_t>(chance_.below(processes_.size())))
              ->first,
          end_class::killed, "signal 9");
  } else {
    interfere(duration);
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

/// Lets go on what was paused; once more where the head is lost before that is on disk.
void simulation::release(std::optional<trial_id> whom, instant after) {
  agenda_.add(after, [this, whom, after] {
    auto said = engine_->machine().last_seq() + 1;
    if (wish(on::unpause_asked{whom}) && how_.records)
      watch_release(whom, said, after);
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

bool simulation::is_silent(const node_state& node) const {
  return !node.alive || std::max(node.frozen_until, node.cut_until) > agenda_.now();
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
  watch_silence(which);
  agenda_.add(back_after, [this, which] {
    nodes_[which].alive = true;
    // It says that it is new: what ran there is over, noticed or not.
    if (nodes_[which].joined)
      take_for_lost(which);
    for_node(which);
  });
}

/// The machine stands still, or its link does; what is under way comes afterwards.
void simulation::freeze(std::size_t which, instant duration, bool only_link) {
  auto& node = nodes_[which];
  (only_link ? node.cut_until : node.frozen_until) = agenda_.now() + duration;
  watch_silence(which);
  agenda_.add(duration, [this, which] {
    if (!nodes_[which].joined)
      for_node(which);
  });
}

/// After a while, a node that is back clears up and joins.
void simulation::for_node(std::size_t which) {
  agenda_.add(delay(), [this, which] { join(which); });
}

void simulation::watch_silence(std::size_t which) {
  auto silence = ++nodes_[which].silence;
  agenda_.add(how_.lost_after, [this, which, silence] {
    auto& node = nodes_[which];
    if (node.silence == silence && node.joined && is_silent(node))
      take_for_lost(which);
  });
}

void simulation::take_for_lost(std::size_t which) {
  auto& node = nodes_[which];
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
  node.joined = true;
  ++node.silence;
  ledger_->set_node(node.what.name, node.what.capacity);
  if (how_.records)
    conduct_.offers(node.what.name, node.what.capacity);
  tell(on::node_up{node.what.name, node.what.capacity});
  grant();
}

/// What it ran for a head that is gone, or that has given it up.
void simulation::kill_processes(std::size_t which) {
  std::erase_if(processes_, [&](const auto& x) { return x.second.node == which; });
}

} // namespace tune

// Faults of nodes and how the head learns of them: sudden ones, which campaigns of tests inject,
// and those of a model (`wear_out`), which `tune-node simulate` asks for.
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
  auto kind = chance_.below(8);
  const auto& whom = nodes_[node];
  if (kind < 3 && (is_silent(whom) || whom.deaf_until > agenda_.now()))
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
    for_any_head(instant{0}, [this, duration] { interfere(duration); });
  } else if (kind == 6) {
    put_to_sleep(duration);
  } else {
    leave(node, duration, instant{1 + chance_.below(most)});
  }
}

/// Acts as a client that stops a trial, pauses one or all for a while, or calls one back.
void simulation::interfere(instant duration) {
  if (finished_)
    return;
  std::uint64_t trials = 0;
  for (auto count : head_.engine->machine().view().counts)
    trials += count;
  if (trials == 0)
    return;
  trial_id one{chance_.below(trials)};
  auto kind = chance_.below(how_.faults.recalls ? 6 : 4);
  if (kind == 0) {
    wish(on::stop_asked{one, "a client wants it"});
  } else if (kind == 4) {
    wish_for_any(one, trials, [](trial_id x) { return on::unpause_asked{x}; });
  } else if (kind == 5) {
    wish_for_any(one, trials, [this, from_scratch = chance_.below(2) == 0](trial_id x) {
      const auto& known = rows_[x];
      return on::retry_asked{x, known.config, known.origin, from_scratch};
    });
  } else {
    auto whom = kind == 3 ? std::nullopt : std::optional{one};
    if (wish(on::pause_asked{whom}))
      release(whom, duration);
  }
}

/// The first trial from `first` on, in a circle, for which the wish is no needless one.
void simulation::wish_for_any(trial_id first, std::uint64_t trials,
                              const std::function<event_body(trial_id)>& what) {
  for (std::uint64_t i = 0; i < trials; ++i) {
    if (wish(what({(first.number + i) % trials})))
      return;
  }
}

/// Resumes what was paused; repeats that if the head is lost before the order, or whatever made it
/// needless, is on disk.
void simulation::release(std::optional<trial_id> whom, instant after) {
  for_any_head(after, [this, whom, after] {
    auto last = head_.engine->machine().last_seq();
    auto taken = wish(on::unpause_asked{whom});
    if (!how_.records || finished_)
      return;
    if (taken)
      watch_release(whom, last + 1, after);
    else if (last > log_.on_disk())
      release(whom, after);
  });
}

void simulation::watch_release(std::optional<trial_id> whom, sequence said, instant after) {
  agenda_.add(after, [this, whom, said, after] {
    const auto& log = log_.events();
    auto there
        = said <= log.size() && std::holds_alternative<on::unpause_asked>(log[said - 1].what);
    if (!there)
      release(whom, after);
    else if (said > log_.on_disk())
      watch_release(whom, said, after);
  });
}

/// Posts an order of a client. An order that changes nothing or is illegal is refused before it
/// enters the log.
bool simulation::wish(event_body what) {
  if (head_.engine->machine().weigh(what).what != order_verdict::kind::taken)
    return false;
  tell(std::move(what));
  return true;
}

/// Loses a node at random times, again and again.
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

/// Whether the head hears nothing from the node.
bool simulation::is_silent(const node_state& node) const {
  return !node.alive || std::max(node.frozen_until, node.unheard_until) > agenda_.now();
}

/// Whether the node hears nothing from the head.
bool simulation::is_deaf(const node_state& node) const {
  return std::max(node.deaf_until, clock_.awake_from()) > agenda_.now();
}

bool simulation::is_in_trouble(const node_state& node) const {
  return is_silent(node) || is_deaf(node);
}

void simulation::lose_node(const std::string& name, instant back_after) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].what.name == name)
      lose(i, back_after);
  }
}

/// Takes the machine down, with its processes.
void simulation::lose(std::size_t which, instant back_after) {
  nodes_[which].alive = false;
  ++nodes_[which].process;
  abandon(which);
  clear_memory(which);
  watch_silence(which);
  agenda_.add(back_after, [this, which] {
    nodes_[which].alive = true;
    come_back(which);
  });
}

/// Tells the node to leave: its trials may save, and are handed back when its time is up.
void simulation::leave(std::size_t which, instant grace, instant back_after) {
  auto& node = nodes_[which];
  if (!is_member(which) || !node.plan || node.epoch != epoch_ || is_in_trouble(node)
      || !head_.members.leave(name_of(which)))
    return;
  head_.ledger->remove_node(name_of(which));
  tell(on::node_leaving{name_of(which)});
  on_node(which, grace, [this, which, back_after] { go_away(which, back_after); });
}

/// Ends a leaving node's time; waits for the end of its trouble first, if there is any.
void simulation::go_away(std::size_t which, instant back_after) {
  auto& node = nodes_[which];
  auto open
      = std::max({node.frozen_until, node.unheard_until, node.deaf_until, clock_.awake_from()});
  if (open > agenda_.now())
    return on_node(which, open - agenda_.now(),
                   [this, which, back_after] { go_away(which, back_after); });
  carry_out(which, node.plan->drain());
  lose(which, back_after);
}

/// Suspends the machine or its link for a while; pending messages arrive afterwards.
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

/// Suspends the head, like a machine put to sleep. Nobody is told meanwhile.
void simulation::put_to_sleep(instant duration) {
  if (is_asleep())
    return;
  clock_.fall_asleep(agenda_.now(), duration);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].plan)
      watch_silence(i);
  }
  agenda_.add(duration, [this] {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      come_back(i);
  });
}

/// Watches a broken link, in one direction or both. The node's lease ends before the head gives the
/// node up; where only the node hears nothing, it says so then.
void simulation::watch_silence(std::size_t which) {
  auto& node = nodes_[which];
  auto silence = ++node.silence;
  // A node that has not come back from the last silence keeps its old lease.
  if (!node.lease)
    node.lease.emplace(rules(), agenda_.now());
  watch_for_silence(which, silence);
  auto left = [&](instant until) { return std::max(until - agenda_.now(), instant{0}); };
  agenda_.add(left(node.lease->ends()), [this, which, silence, sleeps = clock_.sleeps()] {
    const auto& it = nodes_[which];
    const auto only_deaf = it.deaf_until > agenda_.now() && !is_silent(it);
    // A head that was suspended does not blame a node for having heard nothing.
    if (it.silence == silence && is_member(which) && only_deaf && sleeps == clock_.sleeps())
      give_up(which);
    if (it.silence == silence)
      train_on(which);
  });
  agenda_.add(left(node.lease->lost_at()), [this, which, silence] {
    const auto& it = nodes_[which];
    // A suspended node notices when it resumes.
    if (it.silence != silence || !it.lease || it.frozen_until > agenda_.now())
      return;
    abandon(which);
    come_back(which);
  });
}

/// Has the head give the node up after too long a silence; the head's own sleep does not count.
void simulation::watch_for_silence(std::size_t which, std::uint64_t silence) {
  for_any_head(how_.lost_after, [this, which, silence, sleeps = clock_.sleeps()] {
    const auto& it = nodes_[which];
    if (it.silence != silence || !is_member(which) || !is_silent(it))
      return;
    if (sleeps != clock_.sleeps())
      watch_for_silence(which, silence);
    else
      give_up(which);
  });
}

void simulation::give_up(std::size_t which) {
  if (nodes_[which].plan && may_speak(nodes_[which]))
    report_broken(promise::bounded_detection,
                  "node " + name_of(which) + " is given up while it may believe that it is not");
  take_for_lost(which);
}

/// Drops checkpoints in the node's memory, which the head cannot reach any more.
void simulation::clear_memory(std::size_t which) {
  disk_.lose_memory(which);
}

} // namespace tune
